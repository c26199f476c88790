//go:build cluster

package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/cluster"
	"hbcheck.dev/hbcheck/internal/cluster/jetstream"
	_ "hbcheck.dev/hbcheck/internal/cluster/server"
)

const build = "build"

// open starts a server.
func open(t *testing.T, dir string) *jetstream.Cluster {
	t.Helper()
	a, err := jetstream.ParseAddress("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, err := jetstream.Connect(t.Context(), a, jetstream.Options{Dir: dir, AckWait: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// execute counts the leaves below a task, whose data is its depth: its children count theirs.
func execute(t cluster.Task) (cluster.Record, error) {
	depth := t.Data[0]
	if depth == 0 {
		return cluster.Record{Result: []byte{1}}, nil
	}
	r := cluster.Record{Result: []byte{0}}
	for i := range 3 {
		r.Children = append(r.Children, cluster.Task{Name: fmt.Sprintf("%s.%d", t.Name, i), Data: []byte{depth - 1}})
	}
	return r, nil
}

// TestTree: two workers, which forget every fifth task, count the leaves of a tree, and so does a
// coordinator that restarts with a new server on the same data.
func TestTree(t *testing.T) {
	dir := t.TempDir()
	const depth, leaves = 3, 27
	root := []cluster.Task{{Name: "r", Data: []byte{depth}}}
	count := func(c *jetstream.Cluster) (n int) {
		run := c.Run(t.Context(), build, "run")
		tree := cluster.NewCollector()
		add := func(_ string, r cluster.Record) { n += int(r.Result[0]) }
		tree.Expect("r", add)
		if err := cluster.Resume(run, root); err != nil {
			t.Fatal(err)
		}
		for !tree.Done() {
			name, r, err := run.Next()
			if err != nil {
				t.Fatal(err)
			}
			tree.Add(name, r, add)
		}
		return n
	}
	c := open(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			p, err := c.Puller(ctx, build)
			if err != nil {
				t.Error(err)
				return
			}
			for n := 0; ; n++ {
				d, err := p.Pull(ctx)
				if err != nil {
					return
				}
				run := c.Run(ctx, build, d.Run)
				if n%5 == 4 && d.Times == 1 {
					continue // it is delivered again
				}
				if err := cluster.Handle(run, d, execute); err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}
		})
	}
	if n := count(c); n != leaves {
		t.Errorf("%d leaves, want %d", n, leaves)
	}
	cancel()
	all.Wait()
	c.Close()
	c = open(t, dir)
	defer c.Close()
	if n := count(c); n != leaves {
		t.Errorf("%d leaves after a restart, want %d", n, leaves)
	}
	if err := c.Forget(t.Context(), build, "run"); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := c.Run(t.Context(), build, "run").Lookup("r"); ok || err != nil {
		t.Errorf("a record of a run that is forgotten: %v", err)
	}
}

// TestRecords: the first record counts, however large, and a task of another build is not delivered.
func TestRecords(t *testing.T) {
	c := open(t, t.TempDir())
	defer c.Close()
	run := c.Run(t.Context(), build, "run")
	large := make([]byte, 9<<20) // more than a message
	for i := range large {
		large[i] = byte(i * i >> 3)
	}
	for i := 1; i < len(large); i++ { // nor does it compress well
		large[i] ^= large[i-1]*7 + byte(i>>8)
	}
	for i, x := range []struct {
		result []byte
		won    bool
	}{{large, true}, {[]byte("late"), false}} {
		won, err := run.Commit("t", cluster.Record{Result: x.result})
		if err != nil || won != x.won {
			t.Errorf("commit %d: %v, %v", i, won, err)
		}
	}
	if n := run.Queued(); n != 0 {
		t.Errorf("%d tasks in an empty queue", n)
	}
	r, ok, err := run.Lookup("t")
	if !ok || err != nil || !bytes.Equal(r.Result, large) {
		t.Errorf("%v, %v, %d bytes", ok, err, len(r.Result))
	}
	if err := run.Publish(cluster.Task{Name: "t", Data: large}); err != nil {
		t.Fatal(err)
	}
	if n := run.Queued(); n != 1 {
		t.Errorf("%d tasks, want 1", n)
	}
	for b, most := range map[string]time.Duration{"other": 100 * time.Millisecond, build: time.Minute} {
		ctx, cancel := context.WithTimeout(t.Context(), most)
		p, err := c.Puller(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Pull(ctx)
		cancel()
		if got := err == nil && bytes.Equal(d.Task().Data, large); got != (b == build) {
			t.Errorf("build %s: %v", b, err)
		}
	}
}

// BenchmarkTasks measures the cost of a task for the queue: lookup, record, publication, acknowledgement.
func BenchmarkTasks(b *testing.B) {
	a, err := jetstream.ParseAddress("127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	c, err := jetstream.Connect(b.Context(), a, jetstream.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	run := c.Run(b.Context(), build, "run")
	p, err := c.Puller(b.Context(), build)
	if err != nil {
		b.Fatal(err)
	}
	result := make([]byte, 4096)
	for i := range b.N {
		if err := run.Publish(cluster.Task{Name: fmt.Sprint("t", i)}); err != nil {
			b.Fatal(err)
		}
		d, err := p.Pull(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if err := cluster.Handle(run, d, func(cluster.Task) (cluster.Record, error) { return cluster.Record{Result: result}, nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAddresses(t *testing.T) {
	for s, want := range map[string]string{
		":4222":                              ":4222",
		"secret@127.0.0.1:4222":              "127.0.0.1:4222",
		"nats://u:p@h:1,nats://i:2?prefix=x": "nats://h:1,nats://i:2",
		"tls://h:1?creds=f&ca=c":             "tls://h:1",
		"nats://h:1?prefix=a.b":              "",
		"nats://h:1?cert=c":                  "",
		"nats://h:1?color=red":               "",
		"http://h:1":                         "",
		"4222":                               "",
		":x":                                 "",
	} {
		a, err := jetstream.ParseAddress(s)
		if err != nil && want != "" || err == nil && a.String() != want {
			t.Errorf("%s: %v, %v, want %q", s, a, err, want)
		}
	}
}
