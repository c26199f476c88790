package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/load"
)

func watchCommand() *cobra.Command {
	var f exploreFlags
	cmd := &cobra.Command{
		Use:   "watch [flags] [packages] [-- args]",
		Short: "Explore, and again whenever a file changes",
		Long: `Watch explores the packages as explore does, and waits. When a file of the module
changes, it starts a new round: it explores the entries of packages that depend on the
file, and the entries that failed or are undecided. A change during a round starts the
next one. Watch has the flags of explore, except those that write a file about one
exploration. Ctrl-C ends it; the exit status is that of the last round.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.rounds(cmd) },
	}
	f.register(cmd.Flags())
	cmd.Flags().SortFlags = false
	groupFlags(cmd, exploreGroups, explorerDocs())
	completeFlags(cmd)
	return cmd
}

// notWatched are the flags that mean something for a single exploration only.
var notWatched = []string{"cluster", "coverprofile", "dot", "resume", "since", "trace-search", "write-baseline", "write-corpus"}

// A round is one exploration of hbcheck watch.
type round struct {
	first   bool            // the reader has not seen all earlier results
	answers *load.GoAnswers // of the go command
}

type roundKey struct{}

// roundOf returns the round of hbcheck watch to which cmd belongs; nil if there is none.
func roundOf(cmd *cobra.Command) *round {
	r, _ := background(cmd).Value(roundKey{}).(*round)
	return r
}

// leavesOut reports whether cached results are omitted, because the reader has seen them.
func (r *round) leavesOut() bool { return r != nil && !r.first }

// errChanged ends a round.
var errChanged = errors.New("a file has changed")

// rounds explores again and again, until a signal comes.
func (f *exploreFlags) rounds(cmd *cobra.Command) error {
	for _, name := range notWatched {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is about one exploration, and watch explores many times", name)
		}
	}
	outputs, err := f.outputs()
	if err != nil {
		return err
	}
	own := []string{f.out} // directories and files that hbcheck itself writes
	for _, o := range outputs {
		own = append(own, o.file)
	}
	tree, err := watchTree(f.dir, own)
	if err != nil {
		return err
	}
	defer tree.close()
	_, line, err := cmd.Root().Find(commandLine(cmd))
	if err != nil {
		return err
	}
	line = append([]string{"explore", "--save=off"}, line...)
	stop, release := signal.NotifyContext(background(cmd), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer release()

	if stdCache == nil {
		stdCache = new(load.Cache)
	}
	r := &round{first: true, answers: load.NewGoAnswers()}
	for {
		before := tree.files()
		ctx, cancel := context.WithCancelCause(context.WithValue(background(cmd), roundKey{}, r))
		out, errs := &gate{w: cmd.OutOrStdout()}, &gate{w: cmd.ErrOrStderr()}
		ended := make(chan int, 1)
		go func() { ended <- execute(ctx, line, cmd.InOrStdin(), out, errs) }()
		next := &round{}
		select {
		case code := <-ended:
			fmt.Fprintf(errs, "watching %s\n", tree.root)
			select {
			case <-tree.changed:
			case <-stop.Done():
				cancel(nil)
				return status(code)
			}
		case <-tree.changed:
			out.close()
			errs.close()
			cancel(errChanged)
			<-ended
			next.first = true // the closed gates have not printed its last results
		case <-stop.Done(): // stop has ended the round, too
			code := <-ended
			cancel(nil)
			return status(code)
		}
		cancel(nil)
		names, asks := changes(before, tree.files())
		fmt.Fprintf(cmd.ErrOrStderr(), "changed: %s\n", names)
		//mutant: the go command is never asked again [test ./cmd/hbcheck TestWatch]: "; asks" -> "; asks && false"
		if next.answers = r.answers.Reuse(); asks {
			next.answers = load.NewGoAnswers()
		}
		r = next
	}
}

// A gate writes to w until it is closed. After a change, later output of a round is about an older program.
type gate struct {
	mu     sync.Mutex
	w      io.Writer
	closed bool // guarded by mu
}

func (g *gate) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return len(p), nil
	}
	return g.w.Write(p)
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

// fileOf returns the file to which w writes.
func fileOf(w io.Writer) (*os.File, bool) {
	if g, ok := w.(*gate); ok {
		w = g.w
	}
	f, ok := w.(*os.File)
	return f, ok
}
