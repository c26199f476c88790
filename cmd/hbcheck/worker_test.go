//go:build unix && cluster

package main

import (
	"bytes"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/cluster/jetstream"
)

// TestIdleWorker: a worker with --idle leaves when it has had no task for that time, and not before.
func TestIdleWorker(t *testing.T) {
	p := newProcesses(t)
	server := p.server(t.TempDir())
	defer server.Process.Kill()
	a, err := jetstream.ParseAddress(p.url())
	if err != nil {
		t.Fatal(err)
	}
	c, err := jetstream.Connect(t.Context(), a, jetstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var log bytes.Buffer
	w := newWorker(c, "build", 1, &log)
	w.idle, w.info.Doing = time.Millisecond, []jetstream.DoingInfo{{Run: "run", Task: "task"}}
	left := make(chan error, 1)
	go func() { left <- w.work(t.Context()) }()
	select {
	case err := <-left:
		t.Fatalf("it has left beside a task: %v", err)
	case <-time.After(1500 * time.Millisecond):
	}
	w.end("run/task")
	if err := <-left; err != nil || log.String() != "leaving: no task for 1ms\n" {
		t.Errorf("%v, %q", err, log.String())
	}
}
