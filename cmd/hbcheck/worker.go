package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/nats-io/nuid"
	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/internal/cluster"
	"hbcheck.dev/hbcheck/internal/cluster/jetstream"
)

// A worker executes tasks of all runs of its build.
type worker struct {
	c      *jetstream.Cluster
	info   jetstream.WorkerInfo // guarded by mu; ID, Build and Slots do not change
	log    io.Writer
	memory byteSize // memory limit for searches; 0: the limit of the run, or the default
	puller *jetstream.Puller

	own    *job // the job of this process, if the process is also the coordinator; otherwise nil
	ownRun string

	mu      sync.Mutex
	jobs    map[string]*loading
	helpers []helper        // waiting for the next piece, the oldest first
	said    map[string]bool // runs of other builds
	stopped map[string]context.CancelCauseFunc
	drained time.Duration // time for tasks to end when the worker leaves
	idle    time.Duration // the worker leaves after this time without a task; 0: never
	rests   time.Time     // when the last task ended
}

// loading is a job that is being loaded, or has been.
type loading struct {
	turn chan bool // full while a task loads the program
	done bool
	job  *job
	err  error
	used time.Time
}

// get returns the job, and loads it if no task has loaded it yet. If ctx is done meanwhile, another task,
// which may have more time, tries again.
func (l *loading) get(ctx context.Context, load func() (*job, error)) (*job, error) {
	select {
	case l.turn <- true:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !l.done {
		l.job, l.err = load()
		//mutant: a task gives up loading for all that wait for it [test ./cmd/hbcheck TestLoading]: true
		l.done = l.err == nil || ctx.Err() == nil
	}
	return l.job, l.err
}

// mostDeliveries bounds the deliveries of a task. After that the task is abandoned, because it kills its
// workers.
const mostDeliveries = 25

// mostPieceDeliveries is that bound for a piece of an entry.
const mostPieceDeliveries = 3

// newWorker returns a worker that executes at most slots tasks at the same time.
func newWorker(c *jetstream.Cluster, build string, slots int, log io.Writer) *worker {
	w := &worker{c: c, log: log, jobs: make(map[string]*loading), said: make(map[string]bool)}
	w.info = jetstream.WorkerInfo{ID: nuid.Next(), Build: build, Version: version(), PID: os.Getpid(), Slots: slots, Started: time.Now(), State: "working"}
	w.info.Host, _ = os.Hostname()
	return w
}

// work executes tasks until ctx is done. Running tasks then get at most the time w.drained.
func (w *worker) work(ctx context.Context) error {
	p, err := w.c.Puller(ctx, w.info.Build)
	if err != nil {
		return err
	}
	w.puller, w.rests = p, time.Now()
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	tasks, end := context.WithCancelCause(context.Background())
	defer end(nil)
	over := make(chan struct{})
	var beats sync.WaitGroup
	beats.Go(func() { w.beat(ctx, leave, over) })
	var all sync.WaitGroup
	for range w.info.Slots {
		all.Go(func() {
			for {
				d, err := p.Pull(ctx)
				if err != nil {
					return
				}
				w.handle(tasks, d)
			}
		})
	}
	leaves := make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
			w.mu.Lock()
			w.info.State = "draining"
			w.mu.Unlock()
			select {
			case <-time.After(w.drained):
			case <-over:
			}
			end(errStopped)
		case <-over:
		}
		close(leaves)
	}()
	all.Wait()
	close(over)
	<-leaves
	beats.Wait()
	w.c.RemoveWorker(w.info.ID)
	for _, h := range w.helpers {
		h.Close()
	}
	for _, l := range w.jobs {
		if l.job != nil && l.job.dir != "" {
			os.RemoveAll(l.job.dir)
		}
	}
	return nil
}

// beat publishes the state of the worker, and stops the tasks of runs that are over. It calls leave when the
// worker has been idle for too long.
func (w *worker) beat(ctx context.Context, leave func(), over chan struct{}) {
	for n := 0; ; n++ {
		w.mu.Lock()
		w.info.Seen = time.Now()
		info := w.info
		info.Doing = slices.Clone(w.info.Doing)
		//mutant: a worker leaves while it has a task [test ./cmd/hbcheck TestIdleWorker]: "len(info.Doing) == 0 && " -> ""
		rested := w.idle > 0 && len(info.Doing) == 0 && time.Since(w.rests) >= w.idle
		w.mu.Unlock()
		if rested && ctx.Err() == nil {
			fmt.Fprintf(w.log, "leaving: no task for %v\n", w.idle)
			leave()
		}
		w.c.PutWorker(info)
		if w.c.Connected() {
			w.checkRuns(ctx, info)
		}
		select {
		case <-over:
			return
		case <-time.After(time.Second):
		}
	}
}

// checkRuns checks the present runs.
func (w *worker) checkRuns(ctx context.Context, info jetstream.WorkerInfo) {
	one, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	s, err := w.c.Runs(one)
	if err != nil {
		return
	}
	for _, r := range s {
		if r.State == jetstream.Running && r.Build != w.info.Build && time.Since(r.Seen) < deadAfter && !w.said[r.ID] {
			w.said[r.ID] = true
			fmt.Fprintf(w.log, "%v\n", otherBuild(r, w.info.Build))
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, stop := range w.stopped {
		run, _, _ := strings.Cut(id, "/")
		i := slices.IndexFunc(s, func(r jetstream.RunInfo) bool { return r.ID == run })
		if i < 0 || s[i].State != jetstream.Running {
			stop(errStopped)
		}
	}
}

// otherBuild is the error for a run of another build.
func otherBuild(r jetstream.RunInfo, own string) error {
	return fmt.Errorf("refused: the run of %s in %s is one of hbcheck %s, build %s; this worker is hbcheck %s, build %s; both have to be the same binary",
		r.Host, r.Dir, r.Version, r.Build, version(), own)
}

// handle executes a delivered task.
func (w *worker) handle(ctx context.Context, d *jetstream.Delivered) {
	id := d.Run + "/" + d.Task().Name
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w.begin(id, d, cancel)
	defer w.end(id)
	defer d.Working()()
	run := w.c.Run(ctx, w.info.Build, d.Run)
	if r, ok, err := w.c.GetRun(ctx, d.Run); err == nil && (!ok || r.State != jetstream.Running) {
		d.Drop() // a coordinator that continues the run publishes missing tasks
		return
	}
	of, isPiece := pieceOf(d.Task().Name)
	if isPiece {
		if _, over, err := run.Lookup(of); err == nil && over {
			d.Drop() // the entry has a record
			return
		}
		run = run.Pieces(of)
	}
	err := cluster.Handle(run, d, func(t cluster.Task) (cluster.Record, error) {
		j, err := w.job(ctx, d.Run)
		if isPiece {
			return w.handlePiece(ctx, j, err, run, d, of)
		}
		if err != nil && ctx.Err() == nil {
			fmt.Fprintf(w.log, "run %s: %v\n", d.Run, err)
			return cluster.Record{Result: (&outcome{Refused: err.Error()}).marshal()}, nil
		}
		if err != nil {
			return cluster.Record{}, err
		}
		if d.Times > mostDeliveries {
			o := &outcome{Err: fmt.Sprintf("%d workers were lost while they explored it", d.Times-1)}
			return cluster.Record{Result: o.marshal()}, nil
		}
		o := j.execute(ctx, t.Data, w, d)
		if o == nil {
			return cluster.Record{}, context.Cause(ctx)
		}
		return cluster.Record{Result: o.marshal()}, nil
	})
	if err == nil {
		return
	}
	if ctx.Err() == nil {
		fmt.Fprintf(w.log, "%s: %v\n", id, err)
	}
	d.Return()
}

// handlePiece executes a delivered piece of the task called of. err is the error of loading the
// program.
func (w *worker) handlePiece(ctx context.Context, j *job, err error, run *jetstream.Run, d *jetstream.Delivered, of string) (cluster.Record, error) {
	if ctx.Err() != nil {
		return cluster.Record{}, ctx.Err()
	}
	o := &pieceOutcome{Refused: true, Why: fmt.Sprint(err)}
	if err == nil && d.Times <= mostPieceDeliveries { // otherwise its owner explores it
		if o = w.explorePiece(ctx, j, run, d, of); o == nil {
			return cluster.Record{}, context.Cause(ctx)
		}
	}
	return cluster.Record{Result: o.marshal()}, nil
}

func (w *worker) begin(id string, d *jetstream.Delivered, stop context.CancelCauseFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped == nil {
		w.stopped = make(map[string]context.CancelCauseFunc)
	}
	w.stopped[id] = stop
	w.info.Doing = append(w.info.Doing, jetstream.DoingInfo{Run: d.Run, Task: d.Task().Name, Since: time.Now()})
}

// describeTask notes the entry to which the executed task belongs.
func (w *worker) describeTask(d *jetstream.Delivered, what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.info.Doing {
		if x := &w.info.Doing[i]; x.Run == d.Run && x.Task == d.Task().Name {
			x.What = what
		}
	}
}

func (w *worker) end(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.stopped, id)
	w.info.Done++
	w.rests = time.Now()
	w.info.Doing = slices.DeleteFunc(w.info.Doing, func(d jetstream.DoingInfo) bool { return d.Run+"/"+d.Task == id })
}

// mostJobs bounds the programs that a worker keeps.
const mostJobs = 3

// job returns the job of a run, and loads it if that is the first task of it.
func (w *worker) job(ctx context.Context, run string) (*job, error) {
	if w.own != nil && run == w.ownRun {
		return w.own, nil
	}
	w.mu.Lock()
	l := w.jobs[run]
	if l == nil {
		l = &loading{turn: make(chan bool, 1)}
		w.jobs[run] = l
		w.forget(run)
	}
	l.used = time.Now()
	w.mu.Unlock()
	return l.get(ctx, func() (*job, error) {
		data, err := w.c.Run(ctx, w.info.Build, run).Program()
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(w.log, "run %s: loading its program (%d KB)\n", run, len(data)>>10)
		return unpackJob(data, run, w.memory)
	})
}

// forget drops the least recently used program, if there are too many and it is not in use.
func (w *worker) forget(but string) {
	for len(w.jobs) > mostJobs {
		oldest := ""
		for id, l := range w.jobs {
			busy := slices.ContainsFunc(w.info.Doing, func(d jetstream.DoingInfo) bool { return d.Run == id })
			if id != but && !busy && (oldest == "" || l.used.Before(w.jobs[oldest].used)) {
				oldest = id
			}
		}
		if oldest == "" {
			return
		}
		w.dropHelpers(oldest)
		if j := w.jobs[oldest].job; j != nil {
			os.RemoveAll(j.dir)
		}
		delete(w.jobs, oldest)
	}
}

func workerCommand() *cobra.Command {
	var slots int
	var ackWait, drain, idle time.Duration
	var memory byteSize
	cmd := &cobra.Command{
		Use:   "worker [flags] nats://host:port",
		Short: "Explore entries of runs on other machines (hbcheck --cluster)",
		Long: `Worker explores entries for runs with --cluster. It needs neither Go nor the sources: it
gets the program from the cluster, and executes it in hbcheck's machine only. A worker
joins and leaves at any time. After SIGTERM or Ctrl-C it takes no more tasks, and returns
tasks that it cannot finish within --drain.`,
		Args: oneArgument("the address of a server such as nats://localhost:4222"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slots < 1 {
				return fmt.Errorf("-j %d: want 1 or more", slots)
			}
			a, err := jetstream.ParseAddress(args[0])
			if err != nil {
				return err
			}
			if a.Inside {
				return fmt.Errorf("%s: want nats://host:port", args[0])
			}
			build, err := buildID()
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(background(cmd), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			defer stop()
			log := cmd.ErrOrStderr()
			noServer := time.AfterFunc(cmp.Or(idle, math.MaxInt64), stop)
			c, err := jetstream.Connect(ctx, a, jetstream.Options{Name: "hbcheck worker", AckWait: ackWait, Waiting: func(err error) {
				fmt.Fprintf(log, "%v: waiting for it\n", err)
			}})
			noServer.Stop()
			if err != nil {
				return err
			}
			defer c.Close()
			runs, err := c.Runs(ctx)
			if err != nil {
				return err
			}
			if err := refuses(runs, build); err != nil {
				return err
			}
			w := newWorker(c, build, slots, log)
			w.memory, w.drained, w.idle = memory, drain, idle
			fmt.Fprintf(log, "worker %s: %d at a time, build %s, at %s\n", w.info.ID[len(w.info.ID)-6:], slots, build, c.Address)
			context.AfterFunc(ctx, func() {
				stop() // a second signal ends the process
				fmt.Fprintln(log, "leaving: taking no more tasks")
			})
			return w.work(ctx)
		},
	}
	cmd.Flags().IntVarP(&slots, "jobs", "j", processors(), "explore `n` entries at the same time")
	cmd.Flags().Lookup("jobs").DefValue = "number of processors"
	cmd.Flags().Var(&memory, "max-memory", "memory limit for the searches of this worker: `size` with K, M or G (half of the machine's by default)")
	cmd.Flags().DurationVar(&drain, "drain", 20*time.Second, "after SIGTERM, wait for running explorations for at most this `time`")
	cmd.Flags().DurationVar(&idle, "idle", 0, "leave after this `time` without a task (0: never)")
	registerAckWait(cmd.Flags(), &ackWait)
	return cmd
}

// background returns the context of a command.
func background(cmd *cobra.Command) context.Context {
	if ctx := cmd.Context(); ctx != nil {
		return ctx
	}
	return context.Background()
}

// refuses returns an error if there are runs, and all of them belong to other builds.
func refuses(runs []jetstream.RunInfo, build string) (err error) {
	for _, r := range runs {
		if r.State != jetstream.Running || time.Since(r.Seen) > deadAfter {
			continue
		}
		if r.Build == build {
			return nil
		}
		err = errors.Join(err, otherBuild(r, build))
	}
	return err
}

func statusCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "status [flags] nats://host:port",
		Short: "Show the runs and the workers of a cluster",
		Args:  oneArgument("the address of a server such as nats://localhost:4222"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("--format %s: want text or json", format)
			}
			a, err := jetstream.ParseAddress(args[0])
			if err != nil {
				return err
			}
			if a.Inside {
				return fmt.Errorf("%s: want nats://host:port", args[0])
			}
			ctx := background(cmd)
			c, err := jetstream.Connect(ctx, a, jetstream.Options{Name: "hbcheck status"})
			if err != nil {
				return err
			}
			defer c.Close()
			s, err := c.Status(ctx)
			if err != nil {
				return err
			}
			if format == "json" {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetIndent("", "  ")
				return enc.Encode(s)
			}
			return writeStatus(cmd.OutOrStdout(), s, time.Now())
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`text|json`: output format")
	return cmd
}

// writeStatus writes the runs and workers as tables.
func writeStatus(out io.Writer, s jetstream.Status, now time.Time) error {
	ago := func(t time.Time) string { return now.Sub(t).Round(time.Second).String() }
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "RUN\tSTATE\tENTRIES\tTASKS\tDONE\tWORKERS\tSINCE\tSEEN\tBUILD\tHOST\tDIRECTORY")
	short := func(id string) string { return id[max(0, len(id)-6):] }
	for _, r := range s.Runs {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\n", short(r.ID), r.State, r.Entries, r.Tasks, r.Records, r.Workers,
			ago(r.Started), ago(r.Seen), r.Build, r.Host, r.Dir)
	}
	fmt.Fprintln(w, "\nWORKER\tSTATE\tSLOTS\tDONE\tSINCE\tSEEN\tBUILD\tHOST\tPID\tDOING")
	for _, x := range s.Workers {
		var doing []string
		for _, d := range x.Doing {
			doing = append(doing, fmt.Sprintf("%s/%s for %s", short(d.Run), cmp.Or(d.What, d.Task), ago(d.Since)))
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%d\t%s\n", short(x.ID), x.State, x.Slots, x.Done, ago(x.Started), ago(x.Seen),
			x.Build, x.Host, x.PID, strings.Join(doing, ", "))
	}
	return w.Flush()
}
