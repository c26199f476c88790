package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"hbcheck.dev/hbcheck/debug"
	"hbcheck.dev/hbcheck/debug/console"
	"hbcheck.dev/hbcheck/explore/schedule"
)

// session begins to debug a replay file.
func (r *recording) session(interrupted func() bool) (*debug.Session, error) {
	s, err := debug.Open(debug.Config{New: r.again, Prog: r.prog, Recording: &r.rec, Interrupted: interrupted})
	var d *schedule.Divergence
	if errors.As(err, &d) {
		return nil, r.diverged(d)
	}
	return s, err
}

// debugReplay is replay -i.
func debugReplay(cmd *cobra.Command, name string) error {
	r, err := openFor(name, true)
	if err != nil {
		return err
	}
	var stop atomic.Bool
	s, err := r.session(stop.Load)
	if err != nil {
		return err
	}
	in, isFile := cmd.InOrStdin().(*os.File)
	out, toFile := cmd.OutOrStdout().(*os.File)
	if isFile && toFile && term.IsTerminal(int(in.Fd())) && isTerminal(out) && escapes(out) {
		return editLines(in, out, &stop, func(w io.Writer) *console.Console { return console.New(s, r.paths, w) })
	}
	c := console.New(s, r.paths, cmd.OutOrStdout())
	c.Begin()
	lines := bufio.NewScanner(cmd.InOrStdin())
	for lines.Scan() {
		fmt.Fprintf(cmd.OutOrStdout(), "%s%s\n", console.Prompt, lines.Text())
		if c.Do(lines.Text()) {
			return nil
		}
	}
	return lines.Err()
}

// editLines reads lines from a terminal, with a history and completion of commands, until one quits. While
// a command is executed, Ctrl-C sets stop and does not end the process.
func editLines(in, out *os.File, stop *atomic.Bool, begin func(io.Writer) *console.Console) error {
	state, err := term.GetState(int(in.Fd()))
	if err != nil {
		return err
	}
	defer term.Restore(int(in.Fd()), state)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	go func() {
		for range signals {
			stop.Store(true)
		}
	}()
	t := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, out}, console.Prompt)
	if w, h, err := term.GetSize(int(out.Fd())); err == nil && w > 0 {
		t.SetSize(w, h)
	}
	t.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' || strings.Contains(line[:pos], " ") {
			return "", 0, false
		}
		names := console.Complete(line[:pos])
		if len(names) == 0 {
			return "", 0, false
		}
		done := names[0]
		for _, n := range names[1:] {
			for !strings.HasPrefix(n, done) {
				done = done[:len(done)-1]
			}
		}
		if len(names) == 1 {
			done += " "
		}
		return done + line[pos:], len(done), true
	}
	c := begin(t)
	c.Begin()
	for {
		if _, err := term.MakeRaw(int(in.Fd())); err != nil {
			return err
		}
		line, err := t.ReadLine()
		term.Restore(int(in.Fd()), state)
		if err == io.EOF { // Ctrl-D, or Ctrl-C where there is nothing to stop
			fmt.Fprintln(out)
			return nil
		}
		if err != nil && !errors.Is(err, term.ErrPasteIndicator) {
			return err
		}
		stop.Store(false)
		if c.Do(line) {
			return nil
		}
	}
}
