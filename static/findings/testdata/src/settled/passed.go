package settled

import (
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Locks that functions pass to each other.

// A Log keeps entries.
type Log struct {
	mu      sync.Mutex
	entries []int
	last    uint64
	limit   int
	onDrop  func(int)
	timer   *time.Timer
}

// drop removes the oldest entry. It tells so without the lock, which it acquires again.
func (l *Log) drop() bool {
	if len(l.entries) == 0 {
		return false
	}
	n := l.entries[0]
	l.entries = l.entries[1:]
	l.reset(n)
	return true
}

func (l *Log) reset(n int) {
	if n > 0 {
		func() {
			l.mu.Unlock()
			defer l.mu.Lock()
			l.onDrop(n)
		}()
	}
}

// Expire drops entries.
func (l *Log) Expire(keep func() bool) {
	for keep() {
		l.mu.Lock()
		l.drop()
		l.mu.Unlock()
	}
	l.mu.Lock()
	l.drop()
	l.mu.Unlock()
}

// full reports whether there is no room.
func (l *Log) full(held bool) bool {
	if !held {
		l.mu.Lock()
		defer l.mu.Unlock()
	}
	return len(l.entries) >= l.limit // want HBA107 "l.entries is read without mu" low
}

func (l *Log) room(held bool) bool { return !l.full(held) }

func (l *Log) busy(free bool) bool { return l.full(!free) }

// Add and Put know who has the lock.
func (l *Log) Add(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.room(true) && !l.busy(false) {
		l.entries = append(l.entries, n)
	}
}

func (l *Log) Put(n int, held bool) {
	if !held {
		l.mu.Lock()
	}
	if l.room(true) || held && l.full(held) {
		l.entries = append(l.entries, n)
	}
	if !held {
		l.mu.Unlock()
	}
}

// PutOwn locks depending on own, and so does full.
func (l *Log) PutOwn(n int, own bool) {
	if own {
		l.mu.Lock()
	}
	if !l.full(own) {
		l.entries = append(l.entries, n)
	}
	if own {
		l.mu.Unlock()
	}
}

// PutOwnWrong locks twice.
func (l *Log) PutOwnWrong(own bool) bool {
	if own {
		l.mu.Lock()
	}
	full := l.full(!own) // want HBA101 "l.mu is locked by full"
	if own {
		l.mu.Unlock()
	}
	return full
}

// AddWrong does not.
func (l *Log) AddWrong(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.room(false) { // want HBA101 "l.mu is locked by room"
		l.entries = append(l.entries, n)
	}
	if l.busy(true) { // want HBA101 "l.mu is locked by busy"
		l.entries = nil
	}
}

// Commit has a literal that releases its locks after a call of anything.
func (l *Log) Commit(check func() error, undo func()) error {
	l.mu.Lock()
	fail := func(err error) error {
		undo()
		l.mu.Unlock()
		return err
	}
	if err := check(); err != nil {
		return fail(err)
	}
	l.entries = nil
	l.mu.Unlock()
	return nil
}

// A deep list has locks far away.
type deep struct {
	next *deep
	mu   sync.Mutex
}

// CommitDeep has a literal that releases another lock first, which the analysis does not know.
func (l *Log) CommitDeep(d *deep, check func() error) error {
	l.mu.Lock()
	fail := func(err error) error {
		d.next.next.next.next.mu.Unlock()
		l.mu.Unlock()
		return err
	}
	if len(l.entries) == 0 {
		l.mu.Unlock()
		return nil
	}
	d.next.next.next.next.mu.Lock()
	return fail(check())
}

// CommitWrong has one that does not.
func (l *Log) CommitWrong(check func() error, undo func()) error {
	l.mu.Lock()
	fail := func(err error) error {
		undo()
		return err
	}
	if err := check(); err != nil {
		return fail(err) // want HBA103 "return without l.mu.Unlock"
	}
	l.entries = nil
	l.mu.Unlock()
	return nil
}

// Rebuild calls rebuild with the lock held.
func (l *Log) Rebuild() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rebuild()
}

func (l *Log) rebuild() {
	atomic.StoreUint64(&l.last, 0)
	defer func() {
		if l.last == 0 {
			atomic.StoreUint64(&l.last, 1)
		}
	}()
	l.entries = nil
}

// Last needs no lock.
func (l *Log) Last() uint64 { return atomic.LoadUint64(&l.last) }

// Arm stores a timer, which the timer's function removes.
func (l *Log) Arm() {
	l.timer = time.AfterFunc(time.Hour, l.disarm)
}

func (l *Log) disarm() {
	l.timer = nil // want HBA401 "l.timer is written" medium
}

// Walk locks what a map has.
func Walk(locks *sync.Map, now int) {
	go func() {
		for {
			empty := true
			locks.Range(func(k, v any) bool {
				m := k.(map[int]int)
				l := v.(sync.Locker)
				l.Lock()
				for i, n := range m {
					if n <= now {
						delete(m, i)
						if len(m) == 0 {
							locks.Delete(k)
						}
					}
				}
				l.Unlock()
				empty = false
				return true
			})
			if empty {
				return
			}
		}
	}()
}

// Three types lock each other.
type (
	One struct {
		mu sync.Mutex
		to *Two
		n  int
	}
	Two struct {
		mu sync.Mutex
		to *Three
		n  int
	}
	Three struct {
		mu sync.Mutex
		to *One
		n  int
	}
)

// Up, Down and Round lock two of them.
func (o *One) Up() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.to.mu.Lock() // want HBA110 "closes a cycle of 3 locks" low
	o.to.n++
	o.to.mu.Unlock()
}

func (t *Two) Down() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.to.mu.Lock()
	t.to.n++
	t.to.mu.Unlock()
}

func (t *Three) Round() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.to.mu.Lock()
	t.to.n++
	t.to.mu.Unlock()
}

// Visit locks one of them.
func Visit(first bool, f func()) {
	var l sync.Locker = &sync.Mutex{}
	if first {
		l = new(none)
	}
	go f()
	l.Lock()
	f()
	l.Unlock()
}

type none struct{}

func (*none) Lock()   {}
func (*none) Unlock() {}

// A Cell is set once, or by functions whose callers lock.
type Cell struct {
	mu  sync.Mutex
	seq atomic.Uint64
	pos atomic.Uint64
}

// Start and Restart lock.
func (c *Cell) Start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begin()
}

func (c *Cell) Restart(f func()) {
	c.mu.Lock()
	f()
	c.begin()
	c.mu.Unlock()
}

// Boot does not, but nothing else runs then.
func (c *Cell) Boot() { c.begin() }

func (c *Cell) begin() {
	if c.seq.Load() == 0 {
		c.seq.Store(1) // want HBA403 "c.seq is checked and then set" low
		println("begin")
	}
}

// Move is called without locks.
func (c *Cell) Move() { c.move() }

func (c *Cell) move() {
	if c.pos.Load() == 0 {
		c.pos.Store(1) // want HBA403 "c.pos is checked and then set" medium
		println("move")
	}
}

// A Request goes from one goroutine to another.
type Request struct {
	id   uint32
	done func(error)
}

// Finish ends the request.
func (r *Request) Finish(err error) { r.done(err) }

// ID and Clear are about the number.
func (r *Request) ID() uint32 { return atomic.LoadUint32(&r.id) }
func (r *Request) Clear()     { atomic.StoreUint32(&r.id, 0) }

// Client sends requests.
type Client struct {
	mu    sync.Mutex
	sent  uint32
	queue chan *Request
}

// Send gives the request a number, which Describe reads.
func (c *Client) Send(r *Request) {
	atomic.StoreUint32(&r.id, atomic.AddUint32(&c.sent, 1))
	c.queue <- r
}

func (c *Client) Describe(r *Request) int {
	show := func() int { return int(r.id) } // want HBA402 "r.id is read without sync/atomic" low
	n := int(r.id) + show()                 // want HBA402 "r.id is read without sync/atomic" low
	return n + int(c.sent)                  // want HBA402 "c.sent is read without sync/atomic" medium
}

// Ask waits for the answer by a lock, which a literal releases.
func (c *Client) Ask(r *Request) {
	var wait sync.Mutex
	wait.Lock()
	r.done = func(error) { wait.Unlock() }
	c.Send(r)
	wait.Lock()
}

// AskWrong has a literal that does something else.
func (c *Client) AskWrong(r *Request) {
	var wait sync.Mutex
	wait.Lock()
	r.done = func(error) { c.mu.Unlock() }
	func() { c.Send(r) }()
	wait.Lock() // want HBA101 "wait is locked while this goroutine holds it"
}

var exit, leave = os.Exit, func(int) {}

// Fatal exits; Leave does not.
func (c *Client) Fatal(now bool) {
	c.mu.Lock()
	if now {
		c.mu.Unlock()
		exit(1)
	}
	c.queue = nil
	c.mu.Unlock()
	exit(2)
}

func (c *Client) Leave(now bool) {
	c.mu.Lock()
	if now {
		c.mu.Unlock()
		leave(1)
	}
	c.queue = nil
	c.mu.Unlock() // want HBA104 "c.mu is unlocked twice"
	leave(2)
}

var tableMu sync.RWMutex
var table = map[string]*Config{}

// A Config is about one client.
type Config struct{ kind, name string }

// Configure changes the configuration while it reads the table, Rename while it changes the table.
func Configure(c *Config) bool {
	tableMu.RLock()
	defer tableMu.RUnlock()
	_, ok := table[c.name]
	c.kind = "table" // want HBA108 "c.kind is written while tableMu is locked for reading only" low
	return ok
}

func Rename(c *Config, name string) {
	tableMu.Lock()
	c.name = name
	table[name] = c
	tableMu.Unlock()
}

func Reset(c *Config) {
	tableMu.RLock()
	defer tableMu.RUnlock()
	c.name = "" // want HBA108 "c.name is written while tableMu is locked for reading only" high
}
