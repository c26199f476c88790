package jetstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A RunInfo describes a run.
type RunInfo struct {
	ID       string    `json:"run"`
	Identity string    `json:"identity"` // identity of the explored program
	Program  string    `json:"program"`  // identity of its sources
	Build    string    `json:"build"`
	Version  string    `json:"version"`
	Host     string    `json:"host"` // of the coordinator
	Dir      string    `json:"dir"`
	Command  string    `json:"command"`
	State    string    `json:"state"` // running, stopped or done
	Started  time.Time `json:"started"`
	Seen     time.Time `json:"seen"` // when the coordinator was alive
	Entries  int       `json:"entries"`
	Tasks    int       `json:"tasks"`   // tasks that have been named
	Records  int       `json:"records"` // tasks that have a record
	Workers  int       `json:"workers"` // filled in by Status
}

// The states of a run.
const (
	Running = "running"
	Stopped = "stopped"
	Done    = "done"
)

// A WorkerInfo describes a worker.
type WorkerInfo struct {
	ID      string      `json:"worker"`
	Build   string      `json:"build"`
	Version string      `json:"version"`
	Host    string      `json:"host"`
	PID     int         `json:"pid"`
	Slots   int         `json:"slots"` // tasks that it executes at the same time
	Done    int         `json:"done"`  // tasks that it has executed
	Started time.Time   `json:"started"`
	Seen    time.Time   `json:"seen"`
	Doing   []DoingInfo `json:"doing"`
	State   string      `json:"state"` // working, or draining
}

// A DoingInfo is a task that a worker executes.
type DoingInfo struct {
	Run   string    `json:"run"`
	Task  string    `json:"task"`
	What  string    `json:"what"`
	Since time.Time `json:"since"`
}

// A Status has the runs and workers of a cluster.
type Status struct {
	Runs    []RunInfo    `json:"runs"`
	Workers []WorkerInfo `json:"workers"`
}

// PutRun publishes a run.
func (c *Cluster) PutRun(ctx context.Context, r RunInfo) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return c.retry(ctx, func(ctx context.Context) error {
		_, err := c.runs.Put(ctx, r.ID, data)
		return err
	})
}

// RemoveRun forgets that there was a run.
func (c *Cluster) RemoveRun(ctx context.Context, id string) { c.runs.Purge(ctx, id) }

// Runs returns the present runs.
func (c *Cluster) Runs(ctx context.Context) ([]RunInfo, error) {
	return values[RunInfo](ctx, c, c.runs)
}

// GetRun returns a run; ok is false if there is none of that name.
func (c *Cluster) GetRun(ctx context.Context, id string) (r RunInfo, ok bool, err error) {
	var e jetstream.KeyValueEntry
	err = c.retry(ctx, func(ctx context.Context) (err error) {
		e, err = c.runs.Get(ctx, id)
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return r, false, nil
	}
	if err != nil {
		return r, false, err
	}
	return r, true, json.Unmarshal(e.Value(), &r)
}

// PutWorker publishes a worker, without waiting for long.
func (c *Cluster) PutWorker(w WorkerInfo) {
	data, err := json.Marshal(w)
	if err != nil || !c.Connected() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	c.workers.Put(ctx, w.ID, data)
}

// RemoveWorker removes a worker that has left.
func (c *Cluster) RemoveWorker(id string) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	c.workers.Purge(ctx, id)
}

// Status returns what there is.
func (c *Cluster) Status(ctx context.Context) (s Status, err error) {
	s = Status{Runs: []RunInfo{}, Workers: []WorkerInfo{}}
	if s.Runs, err = values[RunInfo](ctx, c, c.runs); err != nil {
		return s, err
	}
	if s.Workers, err = values[WorkerInfo](ctx, c, c.workers); err != nil {
		return s, err
	}
	s.Workers = slices.DeleteFunc(s.Workers, func(w WorkerInfo) bool { return time.Since(w.Seen) > workersTTL })
	slices.SortFunc(s.Runs, func(a, b RunInfo) int { return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.ID, b.ID)) })
	slices.SortFunc(s.Workers, func(a, b WorkerInfo) int {
		return cmp.Or(strings.Compare(a.Host, b.Host), a.PID-b.PID, strings.Compare(a.ID, b.ID))
	})
	for i := range s.Runs {
		for _, w := range s.Workers {
			if slices.ContainsFunc(w.Doing, func(d DoingInfo) bool { return d.Run == s.Runs[i].ID }) {
				s.Runs[i].Workers++
			}
		}
	}
	return s, nil
}

// values returns all values of a bucket.
func values[T any](ctx context.Context, c *Cluster, kv jetstream.KeyValue) (list []T, err error) {
	list = []T{}
	err = c.retry(ctx, func(ctx context.Context) error {
		w, err := kv.WatchAll(ctx, jetstream.IgnoreDeletes())
		if err != nil {
			return err
		}
		defer w.Stop()
		list = list[:0]
		for {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case e := <-w.Updates():
				if e == nil {
					return nil
				}
				var v T
				if json.Unmarshal(e.Value(), &v) == nil {
					list = append(list, v)
				}
			}
		}
	})
	return list, err
}

// Slots returns how many tasks of a build are executed at the same time, by all its workers.
func (c *Cluster) Slots(ctx context.Context, build string) (workers, slots int) {
	list, err := values[WorkerInfo](ctx, c, c.workers)
	if err != nil {
		return 0, 0
	}
	for _, w := range list {
		if w.Build == build && time.Since(w.Seen) < workersTTL && w.State == "working" {
			workers++
			slots += w.Slots
		}
	}
	return workers, slots
}

// recordSubject is the subject of records with such keys.
func (c *Cluster) recordSubject(keys string) string { return "$KV." + c.prefix + "-records." + keys }

// ForgetPieces removes the records of the pieces of a task, without waiting for long.
func (c *Cluster) ForgetPieces(r *Run) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if s, err := c.js.Stream(ctx, "KV_"+c.prefix+"-records"); err == nil {
		s.Purge(ctx, jetstream.WithPurgeSubject(c.recordSubject(r.space()+">")))
	}
}

// Forget removes the records, the tasks and the program of a run.
func (c *Cluster) Forget(ctx context.Context, build, id string) error {
	err := c.retry(ctx, func(ctx context.Context) error {
		return c.tasks.Purge(ctx, jetstream.WithPurgeSubject(c.subject(build, id)))
	})
	if err != nil {
		return err
	}
	if s, err := c.js.Stream(ctx, "KV_"+c.prefix+"-records"); err == nil {
		s.Purge(ctx, jetstream.WithPurgeSubject(c.recordSubject(id+".>")))
		s.Purge(ctx, jetstream.WithPurgeSubject(c.recordSubject(piecesOf(id)+">")))
	}
	list, _ := c.objects.List(ctx)
	for _, o := range list {
		if o.Name == "program."+id || strings.HasPrefix(o.Name, id+".") {
			c.objects.Delete(ctx, o.Name)
		}
	}
	return nil
}
