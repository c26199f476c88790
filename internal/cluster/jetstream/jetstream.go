// Package jetstream implements the queues of package cluster on NATS JetStream. The server is part
// of this process, or belongs to the user.
//
//	stream   PREFIX-tasks     subject PREFIX.task.BUILD.RUN: a work queue, with a consumer for each build
//	values   PREFIX-records   RUN.TASK: the records, created if absent
//	values   PREFIX-runs      RUN: what a run is (RunInfo)
//	values   PREFIX-workers   a worker and what it does (WorkerInfo); they expire
//	objects  PREFIX-objects   programs, and records that are larger than a message
//
// Several runs share all of them. Workers of one build of hbcheck never see tasks of another one.
//
//	connect.go    addresses, credentials, the server inside
//	queue.go      tasks and records
//	status.go     runs and workers
package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Cluster is a connection to the data that runs and workers share.
type Cluster struct {
	Address string // without credentials
	conn    *nats.Conn
	js      jetstream.JetStream
	prefix  string
	ackWait time.Duration
	tasks   jetstream.Stream
	records jetstream.KeyValue
	runs    jetstream.KeyValue
	workers jetstream.KeyValue
	objects jetstream.ObjectStore
	stop    func() // of the server inside
}

// DefaultAckWait is how long a worker may be silent before its task is given to another one.
const DefaultAckWait = 30 * time.Second

// workersTTL is the time after which a silent worker is forgotten.
const workersTTL = 20 * time.Second

// open creates missing streams and buckets.
func (c *Cluster) open(ctx context.Context) (err error) {
	if c.js, err = jetstream.New(c.conn); err != nil {
		return err
	}
	c.tasks, err = c.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: c.prefix + "-tasks", Subjects: []string{c.prefix + ".task.>"},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Description: "tasks of hbcheck"})
	if err != nil {
		return fmt.Errorf("JetStream: %w", err)
	}
	for _, b := range []struct {
		kv   *jetstream.KeyValue
		name string
		ttl  time.Duration
	}{{&c.records, "records", 0}, {&c.runs, "runs", 0}, {&c.workers, "workers", workersTTL}} {
		cfg := jetstream.KeyValueConfig{Bucket: c.prefix + "-" + b.name, TTL: b.ttl, Storage: jetstream.FileStorage}
		if *b.kv, err = c.js.CreateOrUpdateKeyValue(ctx, cfg); err != nil {
			return fmt.Errorf("JetStream: %w", err)
		}
	}
	c.objects, err = c.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: c.prefix + "-objects", Storage: jetstream.FileStorage})
	if err != nil {
		return fmt.Errorf("JetStream: %w", err)
	}
	return nil
}

// Close ends the connection, and the server if it is inside.
func (c *Cluster) Close() {
	c.conn.Close()
	if c.stop != nil {
		c.stop()
	}
}

// Connected reports whether the server can be reached at the moment.
func (c *Cluster) Connected() bool { return c.conn.IsConnected() }

// patience is how long an operation is tried again before it fails: a server may be restarted meanwhile.
const patience = 10 * time.Minute

// callTime bounds one call.
const callTime = 10 * time.Second

// retry calls f until it succeeds, or fails for a reason that will not go away, or ctx is done.
func (c *Cluster) retry(ctx context.Context, f func(ctx context.Context) error) error {
	wait := 20 * time.Millisecond
	for end := time.Now().Add(patience); ; {
		one, cancel := context.WithTimeout(ctx, callTime)
		err := f(one)
		cancel()
		if err == nil || ctx.Err() != nil || final(err) || time.Now().After(end) {
			if err != nil && ctx.Err() == nil {
				err = fmt.Errorf("cluster %s: %w", c.Address, err)
			}
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
			wait = min(2*wait, time.Second)
		}
	}
}

// final reports whether an operation would fail again.
func final(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.Code/100 == 4 || noSpace(api)
	}
	for _, e := range []error{jetstream.ErrKeyExists, jetstream.ErrKeyNotFound, jetstream.ErrObjectNotFound, jetstream.ErrInvalidKey,
		nats.ErrMaxPayload, nats.ErrAuthorization, nats.ErrPermissionViolation} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// Full reports whether err says that the server's storage is full.
func Full(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && noSpace(api)
}

// noSpace reports whether the server's storage is full.
func noSpace(e *jetstream.APIError) bool {
	const insufficientResources, storageExceeded, memoryExceeded, storeFailed = 10023, 10047, 10028, 10077
	switch int(e.ErrorCode) {
	case insufficientResources, storageExceeded, memoryExceeded, storeFailed:
		return true
	}
	return false
}
