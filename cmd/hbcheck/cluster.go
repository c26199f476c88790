package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/cluster"
	"hbcheck.dev/hbcheck/internal/cluster/jetstream"
	"hbcheck.dev/hbcheck/internal/saved"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

// A run over several machines (--cluster). The process that the user started is its coordinator: it loads
// the program, makes a task of each attempt at an entry, and writes the results as without workers. It also
// executes tasks itself, like any worker.

// A coordinator distributes the attempts of one run. A nil one distributes nothing.
type coordinator struct {
	f        *exploreFlags
	c        *jetstream.Cluster
	run      *jetstream.Run
	info     jetstream.RunInfo
	worker   *worker // the worker in this process, or nil
	stderr   io.Writer
	inside   bool // the server is part of this process
	ctx      context.Context
	cancel   func()
	resumed  bool
	complete bool // everything has been explored, so there is nothing to continue
	all      sync.WaitGroup

	mu        sync.Mutex
	changed   sync.Cond
	hosts     map[*load.Entry]*vm.HostLog
	collector *cluster.Collector
	found     map[string]cluster.Record
	waiting   map[string]cluster.Task // tasks that are published and have no record
	failed    error
	running   int // tasks whose records are awaited
	slots     int // slots of all workers together
	workers   int
	begin     time.Time
}

// clusterFlags are the flags about workers.
type clusterFlags struct {
	cluster string
	ackWait time.Duration
}

func (f *clusterFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.cluster, "cluster", "", "let other machines explore, too, with hbcheck worker. `address`: :4222 starts a NATS server in this process that listens there (SECRET@:4222: for workers that know the secret); nats://user@host:4222 uses one that runs (docs/cluster.md)")
	registerAckWait(fs, &f.ackWait)
}

func registerAckWait(fs *pflag.FlagSet, d *time.Duration) {
	fs.DurationVar(d, "ack-wait", jetstream.DefaultAckWait, "give a task to another worker if its worker is silent for this long")
	if err := fs.MarkHidden("ack-wait"); err != nil {
		panic("BUG: " + err.Error())
	}
}

// joinCluster connects to the cluster of --cluster, or starts it.
func (f *exploreFlags) joinCluster(cmd *cobra.Command, patterns []string) (*coordinator, error) {
	if f.clusterFlags.cluster == "" {
		return nil, nil
	}
	switch {
	case f.jobs > 1:
		return nil, errors.New("--cluster and -j exclude each other: each worker explores as many entries as it has processors; see --parallel, and hbcheck worker -j")
	case f.traceSearch != "" || f.explain != "" || f.checkStatic || f.checkDuplicates:
		return nil, errors.New("--cluster: --trace-search, --explain, --check-static and --check-duplicates are about one search in one process")
	}
	a, err := jetstream.ParseAddress(f.clusterFlags.cluster)
	if err != nil {
		return nil, fmt.Errorf("--cluster %w", err)
	}
	dir, err := filepath.Abs(f.dir)
	if err != nil {
		return nil, err
	}
	x := &coordinator{f: f, stderr: cmd.ErrOrStderr(), hosts: make(map[*load.Entry]*vm.HostLog), collector: cluster.NewCollector(),
		found: make(map[string]cluster.Record), waiting: make(map[string]cluster.Task), resumed: f.resume, begin: time.Now()}
	x.changed.L = &x.mu
	x.info = jetstream.RunInfo{Version: version(), Dir: dir, Command: strings.Join(append([]string{"hbcheck"}, patterns...), " "),
		Identity: f.identity(cmd, dir, patterns), Started: time.Now(), State: jetstream.Running}
	x.info.Host, _ = os.Hostname()
	if x.info.Build, err = buildID(); err != nil {
		return nil, err
	}
	f.resume = false // the run is resumed, not single searches
	parent := cmd.Context()
	if parent == nil {
		parent = context.Background()
	}
	x.ctx, x.cancel = context.WithCancel(parent)
	x.c, err = jetstream.Connect(x.ctx, a, jetstream.Options{Name: "hbcheck coordinator", AckWait: f.ackWait,
		Dir: filepath.Join(clusterDir(), "server-"+x.info.Identity)})
	if err != nil {
		x.cancel()
		return nil, err
	}
	if x.inside = a.Inside; x.inside {
		fmt.Fprintf(x.stderr, "cluster: on other machines: hbcheck worker nats://%sHOST:%s\n", secretOf(a), port(x.c.Address))
	}
	return x, nil
}

// secretOf returns the beginning of an address whose server requires a secret.
func secretOf(a jetstream.Address) string {
	if a.Secret == "" {
		return ""
	}
	return "SECRET@"
}

func port(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }

// host returns the log of the facts that machines of e learn about the host.
func (x *coordinator) host(e *load.Entry) *vm.HostLog {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.hosts[e] == nil {
		x.hosts[e] = new(vm.HostLog)
	}
	return x.hosts[e]
}

// start publishes the program, and begins to take tasks.
func (x *coordinator) start(w *wholeRun, cmd *cobra.Command, entries []explore.Entry) error {
	x.info.Entries, x.info.Seen = len(entries), time.Now()
	if err := x.adopt(w); err != nil {
		return err
	}
	x.run = x.c.Run(x.ctx, x.info.Build, x.info.ID)
	if !x.resumed {
		spec := newJobSpec(cmd, w)
		extra, err := saved.Marshal(&spec)
		if err != nil {
			return err
		}
		var b strings.Builder
		if err := w.dirs.prog.Bundle(&b, extra); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
		if err := x.run.PutProgram([]byte(b.String())); err != nil {
			return err
		}
	}
	if err := x.c.PutRun(x.ctx, x.info); err != nil {
		return err
	}
	if x.f.parallel > 0 {
		x.worker = newWorker(x.c, x.info.Build, x.f.parallel, io.Discard)
		x.worker.own, x.worker.ownRun = &job{x: w, entries: entries}, x.info.ID
		x.slots, x.workers = x.f.parallel, 1
		x.all.Go(func() {
			if err := x.worker.work(x.ctx); err != nil {
				x.fail(err)
			}
		})
	}
	x.all.Go(x.collect)
	x.all.Go(x.beat)
	return nil
}

// adopt finds the run that is resumed, or makes a new one.
func (x *coordinator) adopt(w *wholeRun) error {
	s, err := x.c.Status(x.ctx)
	if err != nil {
		return err
	}
	program, err := programHash(w)
	if err != nil {
		return err
	}
	x.info.Program = program
	var last *jetstream.RunInfo
	for i, r := range s.Runs {
		if r.Identity == x.info.Identity && r.Build == x.info.Build && r.Program == program && r.State != jetstream.Done {
			last = &s.Runs[i]
		}
		dead := x.inside || r.State == jetstream.Stopped || time.Since(r.Seen) > deadAfter
		same := r.Identity == x.info.Identity && r.Build == x.info.Build && dead
		if time.Since(r.Seen) > oldestRun || same && !x.resumed {
			x.c.Forget(x.ctx, r.Build, r.ID)
			x.c.RemoveRun(x.ctx, r.ID)
		}
	}
	if x.resumed && last == nil {
		fmt.Fprintln(x.stderr, "cluster: no run to continue: explored from the beginning")
		x.resumed = false
	}
	if x.resumed {
		x.info.ID, x.info.Started = last.ID, last.Started
	} else {
		x.info.ID = nuid.Next()
	}
	return nil
}

// deadAfter is the time after which a silent coordinator counts as dead.
const deadAfter = 10 * time.Second

// oldestRun is the time for which the records of a run are kept after its coordinator has ended.
const oldestRun = 7 * 24 * time.Hour

// fail records an error of the run, which ends every wait for tasks and records.
func (x *coordinator) fail(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed == nil {
		x.failed = err
	}
	x.changed.Broadcast()
}

// collect takes records as they are committed.
func (x *coordinator) collect() {
	for {
		name, r, err := x.run.Next()
		if err != nil {
			if x.ctx.Err() == nil {
				x.fail(err)
			}
			return
		}
		x.mu.Lock()
		x.collector.Add(name, r, x.take)
		x.changed.Broadcast()
		x.mu.Unlock()
	}
}

// take keeps a record until await takes it.
func (x *coordinator) take(name string, r cluster.Record) {
	x.found[name] = r
	x.info.Records++
}

// beat publishes that the coordinator is alive, and counts the workers.
func (x *coordinator) beat() {
	var away time.Time // time since which the server is unreachable, or stores no messages; zero: it works
	told := false
	for n, kept := 1, true; ; n++ {
		switch why := "cannot be reached"; {
		case x.c.Connected() && kept:
			if told {
				fmt.Fprintf(x.stderr, "cluster %s: reached again\n", x.c.Address)
			}
			away, told = time.Time{}, false
		case away.IsZero():
			away = time.Now()
		case !told && time.Since(away) > 3*time.Second:
			if x.c.Connected() {
				why = "does not store messages (is its disk full?)"
			}
			fmt.Fprintf(x.stderr, "cluster %s: %s: waiting for it\n", x.c.Address, why)
			told = true
		}
		if n%30 == 0 {
			x.republish()
		}
		workers, slots := x.c.Slots(x.ctx, x.info.Build)
		x.mu.Lock()
		if workers > 0 {
			x.workers, x.slots = workers, slots
		}
		x.info.Seen = time.Now()
		info := x.info
		x.changed.Broadcast()
		x.mu.Unlock()
		one, cancel := context.WithTimeout(x.ctx, answerTime)
		err := x.c.PutRun(one, info)
		kept = err == nil
		if jetstream.Full(err) {
			x.fail(err)
		}
		cancel()
		select {
		case <-x.ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// answerTime is the time that a server may take to store a message before the user is notified.
const answerTime = 5 * time.Second

// republish publishes the awaited tasks again if the queue is empty, because then the server has lost them.
func (x *coordinator) republish() {
	x.mu.Lock()
	lost := slices.SortedFunc(maps.Values(x.waiting), func(a, b cluster.Task) int { return strings.Compare(a.Name, b.Name) })
	x.mu.Unlock()
	if len(lost) == 0 || x.run.Queued() > 0 {
		return
	}
	again := x.c.Run(x.ctx, x.info.Build, x.info.ID) // its messages have other ids
	if err := cluster.Resume(again, lost); err != nil && x.ctx.Err() == nil {
		x.fail(err)
	}
}

// atOnce returns how many tasks may be awaited at the same time; if tasks are short, these are more than the
// workers execute at a time.
func (x *coordinator) atOnce(short bool) int {
	n := max(1, x.slots)
	if short {
		n *= 2
	}
	return n
}

// capacity returns how many tasks all workers execute at the same time.
func (x *coordinator) capacity() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return max(1, x.slots)
}

// enter waits until another task may be begun.
func (x *coordinator) enter(ctx context.Context, short bool) {
	defer x.wake(ctx)()
	x.mu.Lock()
	defer x.mu.Unlock()
	for x.running >= x.atOnce(short) && ctx.Err() == nil && x.failed == nil {
		x.changed.Wait()
	}
	x.running++
}

func (x *coordinator) leave() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.running--
	x.changed.Broadcast()
}

// wake wakes waiting goroutines when ctx is done, until the function that it returns is called.
func (x *coordinator) wake(ctx context.Context) (stop func()) {
	remove := context.AfterFunc(ctx, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.changed.Broadcast()
	})
	return func() { remove() }
}

// errNotHere is the error of a task that the coordinator has to execute itself.
var errNotHere = errors.New("not explored by a worker")

// explore returns the outcome of a task: that of an earlier process, or of the first worker that commits
// it.
func (x *coordinator) explore(ctx context.Context, name string, t *entryTask) (*outcome, error) {
	data, err := saved.Marshal(t)
	if err != nil {
		return nil, err
	}
	for again := 0; ; again++ {
		unique := name
		if again > 0 {
			unique = fmt.Sprintf("%s.again%d", name, again)
		}
		r, known, err := x.await(ctx, cluster.Task{Name: unique, Data: data})
		if err != nil {
			return nil, err
		}
		o := new(outcome)
		if err := saved.Unmarshal(r.Result, o); err != nil {
			return nil, fmt.Errorf("cluster: the record of %s: %w", unique, err)
		}
		if known && x.resumed && t.Final && o.Result != nil && o.Result.TimedOut() {
			continue // the task was stopped when its time was up, and now there is more time
		}
		if o.Refused != "" {
			return nil, fmt.Errorf("%w: %s", errNotHere, o.Refused)
		}
		return o, nil
	}
}

// await publishes a task and waits for its record. known is set if the task had a record before.
func (x *coordinator) await(ctx context.Context, t cluster.Task) (r cluster.Record, known bool, err error) {
	x.mu.Lock()
	x.collector.Expect(t.Name, x.take)
	x.waiting[t.Name] = t
	x.info.Tasks++
	x.mu.Unlock()
	defer func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.waiting, t.Name)
	}()
	if _, known, err = x.run.Lookup(t.Name); err != nil {
		return r, known, err
	}
	if err := cluster.Resume(x.run, []cluster.Task{t}); err != nil {
		return r, known, err
	}
	defer x.wake(ctx)()
	x.mu.Lock()
	defer x.mu.Unlock()
	for {
		if r, ok := x.found[t.Name]; ok {
			delete(x.found, t.Name)
			return r, known, nil
		}
		if x.failed != nil {
			return r, known, x.failed
		}
		if ctx.Err() != nil {
			return r, known, context.Cause(ctx)
		}
		x.changed.Wait()
	}
}

// close ends the run.
func (x *coordinator) close() {
	if x == nil {
		return
	}
	if x.run != nil {
		x.mu.Lock()
		x.info.Seen, x.info.State = time.Now(), jetstream.Stopped
		if x.complete {
			x.info.State = jetstream.Done
		}
		info := x.info
		x.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if x.c.PutRun(ctx, info) == nil && x.complete {
			x.c.Forget(ctx, info.Build, info.ID)
		}
	}
	x.cancel()
	x.all.Wait()
	x.c.Close()
}

// progress shows the progress of the run.
func (x *coordinator) progress(p *report.Progress) {
	x.mu.Lock()
	defer x.mu.Unlock()
	p.Cluster(x.workers, x.slots, x.info.Records, x.info.Tasks, time.Since(x.begin))
}

// processors returns the default number of entries that a worker explores at the same time.
func processors() int { return runtime.GOMAXPROCS(0) }
