package jetstream

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"hbcheck.dev/hbcheck/internal/cluster"
)

// A Run is the queue of one run.
type Run struct {
	c       *Cluster
	ctx     context.Context
	Build   string
	ID      string
	born    string // identifies this process in the ids of its messages
	of      string // for a queue of pieces: the task that was cut into them
	mu      sync.Mutex
	watcher jetstream.KeyWatcher
}

// Run returns the queue of a run. Its calls end when ctx is done.
func (c *Cluster) Run(ctx context.Context, build, id string) *Run {
	return &Run{c: c, ctx: ctx, Build: build, ID: id, born: nuid.Next()}
}

// subject is that of the tasks of a run.
func (c *Cluster) subject(build, run string) string { return c.prefix + ".task." + build + "." + run }

// message is a task, or a record, as it is sent. A record that is too large for a message is an object.
type message struct {
	Task   cluster.Task
	Record cluster.Record
	Object string
}

// compressFrom is the size from which messages are compressed, which takes a millisecond. Messages of
// pieces are not compressed, because others wait for them, and most of a large one are fingerprints.
const compressFrom = 32 << 10

// encode returns m in bytes: a letter for the form, and m in it.
func (r *Run) encode(m *message) ([]byte, error) {
	b := bytes.NewBuffer([]byte{'g'})
	if err := gob.NewEncoder(b).Encode(m); err != nil || b.Len() < compressFrom || r.of != "" {
		return b.Bytes(), err
	}
	small := bytes.NewBuffer([]byte{'z'})
	z, err := gzip.NewWriterLevel(small, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	_, err = z.Write(b.Bytes()[1:])
	err = errors.Join(err, z.Close())
	return small.Bytes(), err
}

// decode is the inverse of encode.
func decode(data []byte) (*message, error) {
	var r io.Reader
	switch {
	case len(data) > 0 && data[0] == 'g':
		r = bytes.NewReader(data[1:])
	case len(data) > 0 && data[0] == 'z':
		z, err := gzip.NewReader(bytes.NewReader(data[1:]))
		if err != nil {
			return nil, err
		}
		r = z
	default:
		return nil, errors.New("cluster: a message of an unknown form")
	}
	m := new(message)
	return m, gob.NewDecoder(r).Decode(m)
}

// pack returns m as a message of the server, with an object for data that are too large.
func (r *Run) pack(m *message, name string) ([]byte, error) {
	data, err := r.encode(m)
	if err != nil || int64(len(data))+1024 < r.c.conn.MaxPayload() {
		return data, err
	}
	object := r.ID + "." + name + "." + nuid.Next()
	if err := r.c.putObject(r.ctx, object, data); err != nil {
		return nil, err
	}
	return r.encode(&message{Object: object})
}

// mostChunk is the largest size of the messages in which objects are sent.
const mostChunk = 128 << 10

// putObject keeps data under a name, in messages that the server takes.
func (c *Cluster) putObject(ctx context.Context, name string, data []byte) error {
	//mutant: objects are sent in messages of one size [test ./internal/cluster/server TestSmallMessages]: "min(mostChunk, c.conn.MaxPayload()/2)" -> "mostChunk"
	size := min(mostChunk, c.conn.MaxPayload()/2)
	return c.retry(ctx, func(ctx context.Context) error {
		meta := jetstream.ObjectMeta{Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: uint32(size)}}
		_, err := c.objects.Put(ctx, meta, bytes.NewReader(data))
		return err
	})
}

// unpack is the inverse of pack.
func (c *Cluster) unpack(ctx context.Context, data []byte) (*message, error) {
	m, err := decode(data)
	if err != nil || m.Object == "" {
		return m, err
	}
	err = c.retry(ctx, func(ctx context.Context) error {
		data, err = c.objects.GetBytes(ctx, m.Object)
		return err
	})
	if err != nil {
		return nil, err
	}
	return decode(data)
}

// Publish implements cluster.Queue. While the server recognises duplicates, messages of one process for one
// name are one message; a message of another process that publishes the task again is a new one.
func (r *Run) Publish(t cluster.Task) error {
	data, err := r.pack(&message{Task: t}, t.Name)
	if err != nil {
		return err
	}
	return r.c.retry(r.ctx, func(ctx context.Context) error {
		_, err := r.c.js.Publish(ctx, r.c.subject(r.Build, r.ID), data, jetstream.WithMsgID(r.ID+"/"+t.Name+"/"+r.born))
		return err
	})
}

// Pieces returns the queue of the pieces of a task. They are delivered like other tasks, and their records
// are separate, so that the coordinator does not see them.
func (r *Run) Pieces(of string) *Run {
	return &Run{c: r.c, ctx: r.ctx, Build: r.Build, ID: r.ID, born: r.born, of: of}
}

// space begins the keys of records.
func (r *Run) space() string {
	if r.of != "" {
		return piecesOf(r.ID) + r.of + "."
	}
	return r.ID + "."
}

// piecesOf begins the keys of records of pieces.
func piecesOf(run string) string { return run + "-pieces." }

// key is that of a record.
func (r *Run) key(name string) string { return r.space() + name }

// Commit implements cluster.Queue.
func (r *Run) Commit(name string, rec cluster.Record) (won bool, err error) {
	data, err := r.pack(&message{Record: rec}, name)
	if err != nil {
		return false, err
	}
	err = r.c.retry(r.ctx, func(ctx context.Context) error {
		_, err := r.c.records.Create(ctx, r.key(name), data)
		return err
	})
	if errors.Is(err, jetstream.ErrKeyExists) {
		return false, nil
	}
	return err == nil, err
}

// Lookup implements cluster.Queue.
func (r *Run) Lookup(name string) (rec cluster.Record, ok bool, err error) {
	var e jetstream.KeyValueEntry
	err = r.c.retry(r.ctx, func(ctx context.Context) (err error) {
		e, err = r.c.records.Get(ctx, r.key(name))
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return rec, false, nil
	}
	if err != nil {
		return rec, false, err
	}
	m, err := r.c.unpack(r.ctx, e.Value())
	if err != nil {
		return rec, false, err
	}
	return m.Record, true, nil
}

// Remove removes the record of a task for which no process will ask again. It does not matter if it fails.
func (r *Run) Remove(name string) {
	ctx, cancel := context.WithTimeout(r.ctx, time.Second)
	defer cancel()
	r.c.records.Purge(ctx, r.key(name))
}

// watchAgain is the time for which Next trusts a silent watch. Then it asks for all records again.
const watchAgain = 15 * time.Second

// Next implements cluster.Queue.
func (r *Run) Next() (name string, rec cluster.Record, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if r.watcher == nil {
			err := r.c.retry(r.ctx, func(context.Context) (err error) {
				r.watcher, err = r.c.records.Watch(r.ctx, r.space()+">", jetstream.IgnoreDeletes())
				return err
			})
			if err != nil {
				return "", rec, err
			}
		}
		select {
		case <-r.ctx.Done():
			return "", rec, cluster.ErrClosed
		case e, ok := <-r.watcher.Updates():
			if ok && e == nil {
				continue // all present records have been delivered
			}
			if !ok {
				r.unwatch()
				continue
			}
			m, err := r.c.unpack(r.ctx, e.Value())
			if err != nil {
				return "", rec, err
			}
			return strings.TrimPrefix(e.Key(), r.space()), m.Record, nil
		case <-time.After(watchAgain):
			r.unwatch()
		}
	}
}

func (r *Run) unwatch() {
	r.watcher.Stop()
	r.watcher = nil
}

// Pull implements cluster.Queue: it returns a task of any run of this build.
func (r *Run) Pull() (cluster.Delivery, error) {
	return nil, errors.New("cluster: a coordinator pulls nothing")
}

// A Puller pulls the tasks of all runs of one build.
type Puller struct {
	c     *Cluster
	build string

	mu   sync.Mutex
	from jetstream.Consumer // replaced when the server has lost its data
}

// consumer returns the consumer from which p pulls.
func (p *Puller) consumer() jetstream.Consumer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.from
}

// Puller returns the puller of a build.
func (c *Cluster) Puller(ctx context.Context, build string) (*Puller, error) {
	p := &Puller{c: c, build: build}
	err := c.retry(ctx, func(ctx context.Context) (err error) {
		p.from, err = c.tasks.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: "build-" + build, FilterSubject: c.subject(build, ">"),
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.ackWait, MaxAckPending: -1, MaxDeliver: -1})
		return err
	})
	return p, err
}

// Room returns how many workers of the build wait for a task, and how many tasks wait for a worker.
func (p *Puller) Room(ctx context.Context) (idle, queued int, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	info, err := p.consumer().Info(ctx)
	if err != nil {
		return 0, 0, err
	}
	return info.NumWaiting, int(info.NumPending), nil
}

// A Delivered is a task that a worker has been given.
type Delivered struct {
	c    *Cluster
	msg  jetstream.Msg
	task cluster.Task
	Run  string // the id of the run
	// Times is how often the task was delivered, this time included.
	Times int
}

// Task implements cluster.Delivery.
func (d *Delivered) Task() cluster.Task { return d.task }

// Acknowledge implements cluster.Delivery. Whether the server has heard it makes no difference to a run.
func (d *Delivered) Acknowledge() error {
	ctx, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	d.msg.DoubleAck(ctx)
	return nil
}

// Drop removes a task whose run is over.
func (d *Delivered) Drop() { d.msg.Term() }

// Return gives the task back, for another worker.
func (d *Delivered) Return() { d.msg.Nak() }

// Working tells the server that the worker is alive, until the function it returns is called.
func (d *Delivered) Working() (stop func()) {
	ended := make(chan struct{})
	go func() {
		tick := time.NewTicker(max(d.c.ackWait/3, 10*time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				d.msg.InProgress()
			case <-ended:
				return
			}
		}
	}()
	return sync.OnceFunc(func() { close(ended) })
}

// next waits for a message for a second, or until ctx is done. A message that comes in that moment is
// delivered again.
func (p *Puller) next(ctx context.Context) (jetstream.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return p.consumer().Next(jetstream.FetchContext(ctx))
}

// Pull returns a task. It waits until there is one, or ctx is done.
func (p *Puller) Pull(ctx context.Context) (*Delivered, error) {
	for ctx.Err() == nil {
		msg, err := p.next(ctx)
		if err != nil {
			if errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrConsumerDeleted) || errors.Is(err, jetstream.ErrNoHeartbeat) || !p.c.Connected() {
				select {
				case <-ctx.Done():
				case <-time.After(200 * time.Millisecond):
				}
				if p.c.Connected() {
					if q, err := p.c.Puller(ctx, p.build); err == nil { // the server may have lost its data
						p.mu.Lock()
						p.from = q.from
						p.mu.Unlock()
					}
				}
			}
			continue
		}
		d := &Delivered{c: p.c, msg: msg, Run: msg.Subject()[strings.LastIndexByte(msg.Subject(), '.')+1:], Times: 1}
		if meta, err := msg.Metadata(); err == nil {
			d.Times = int(meta.NumDelivered)
		}
		m, err := p.c.unpack(ctx, msg.Data())
		if err != nil {
			if ctx.Err() == nil {
				msg.NakWithDelay(time.Second)
			}
			continue
		}
		d.task = m.Task
		return d, nil
	}
	return nil, cluster.ErrClosed
}

// Queued returns how many tasks of the run the queue has: those that no worker has acknowledged. It is 1 if
// that is not known.
func (r *Run) Queued() int {
	ctx, cancel := context.WithTimeout(r.ctx, callTime)
	defer cancel()
	subject := r.c.subject(r.Build, r.ID)
	info, err := r.c.tasks.Info(ctx, jetstream.WithSubjectFilter(subject))
	if err != nil {
		return 1
	}
	return int(info.State.Subjects[subject])
}

// PutProgram keeps the bundle of a run.
func (r *Run) PutProgram(data []byte) error {
	return r.c.putObject(r.ctx, "program."+r.ID, data)
}

// Program returns the bundle of a run.
func (r *Run) Program() (data []byte, err error) {
	err = r.c.retry(r.ctx, func(context.Context) error {
		ctx, cancel := context.WithTimeout(r.ctx, 5*time.Minute)
		defer cancel()
		data, err = r.c.objects.GetBytes(ctx, "program."+r.ID)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the program of run %s: %w", r.ID, err)
	}
	return data, nil
}
