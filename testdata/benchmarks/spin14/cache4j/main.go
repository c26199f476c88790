// Cache4j: a blocking cache with least-recently-used eviction. A get that finds
// nothing leaves the entry locked for the goroutine that asked, until it puts
// the object. Each client repeats: get a key, put the key.
//
// Shared: the map and the set ordered by use under the cache's lock; the fields
// of an entry, under the entry's own lock, which is a monitor with an owner;
// the counters of hits and misses under theirs; the counter of entry numbers
// under a lock of its own. The fields of an entry are read without a lock by the
// order of the set. Different from the Java text: the ordered tree is a sorted
// slice, what is thread-local there is a session here, keys come in a fixed
// order and not from a random generator, and there are no strong or soft
// references.
//
//	cache4j clients operations keys
package main

import (
	"os"
	"strconv"
	"sync"
)

var ids struct {
	mu   sync.Mutex
	next int64
}

func nextID() int64 {
	ids.mu.Lock()
	defer ids.mu.Unlock()
	ids.next++
	return ids.next
}

// entry is a CacheObject of cache4j.
type entry struct {
	mu       sync.Mutex
	unlocked sync.Cond
	owner    *session

	key         any
	object      any
	size        int
	accessCount int64
	createTime  int64
	lastAccess  int64
	id          int64
}

func newEntry(key any) *entry {
	e := &entry{key: key, accessCount: 1, createTime: 10, lastAccess: 10, id: nextID()}
	e.unlocked.L = &e.mu
	return e
}

// lock makes s the owner of the entry, as soon as it has no other.
func (e *entry) lock(s *session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.owner == s {
		return
	}
	for e.owner != nil {
		e.unlocked.Wait()
	}
	e.owner = s
}

func (e *entry) unlock() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.owner = nil
	e.unlocked.Signal()
}

func (e *entry) updateStatistics() {
	e.accessCount++
	e.lastAccess = e.createTime + 50*e.accessCount
	e.id = nextID()
}

func (e *entry) reset() {
	e.object = nil
	e.size = 0
	e.createTime = 20
	e.accessCount = 1
	e.lastAccess = e.createTime
	e.id = nextID()
}

// less is the order of use.
func (e *entry) less(f *entry) bool {
	if e.lastAccess != f.lastAccess {
		return e.lastAccess < f.lastAccess
	}
	return e.id < f.id
}

// useSet is a set of entries in the order of their use.
type useSet struct{ list []*entry }

// find returns where e is, or where it would be inserted.
func (s *useSet) find(e *entry) (i int, found bool) {
	for i = range s.list {
		if !s.list[i].less(e) {
			return i, !e.less(s.list[i])
		}
	}
	return len(s.list), false
}

func (s *useSet) add(e *entry) {
	i, found := s.find(e)
	if found {
		return
	}
	s.list = append(s.list, nil)
	copy(s.list[i+1:], s.list[i:])
	s.list[i] = e
}

func (s *useSet) remove(e *entry) {
	if i, found := s.find(e); found {
		s.list = append(s.list[:i], s.list[i+1:]...)
	}
}

// info counts what happens to a cache.
type info struct {
	mu                 sync.Mutex
	hits, misses, puts int64
}

func (i *info) increment(counter *int64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	*counter++
}

// config is a CacheConfig; what is 0 has no limit.
type config struct {
	id                 string
	maxMemory, maxSize int
}

// cache is a BlockingCache.
type cache struct {
	mu     sync.Mutex
	config *config
	byKey  map[any]*entry
	byUse  useSet
	memory int
	info   *info
}

// session is a goroutine's view of a cache.
type session struct {
	cache *cache
	held  *entry // locked by a get that found nothing
}

func (s *session) get(key any) any {
	if s.held != nil {
		panic("get after a get that found nothing")
	}
	c := s.cache
	e := c.entry(key)
	e.lock(s)
	if x := e.object; x != nil {
		c.useRemove(e)
		e.updateStatistics()
		c.useAdd(e)
		e.unlock()
		c.info.increment(&c.info.hits)
		return x
	}
	s.held = e
	c.info.increment(&c.info.misses)
	return nil
}

func (s *session) put(key, x any) {
	c := s.cache
	c.checkOverflow(0)
	e := s.held
	switch {
	case e == nil:
		e = c.entry(key)
	case e.key == key:
		s.held = nil
	default:
		e.unlock()
		panic("put of another key than the get before")
	}
	e.lock(s)
	c.info.increment(&c.info.puts)
	c.useRemove(e)
	c.reset(e)
	e.object = x
	e.size = 0
	c.grow(e.size)
	c.useAdd(e)
	e.unlock()
}

// entry returns the entry for key, made if there is none.
func (c *cache) entry(key any) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[key]
	if e == nil {
		e = newEntry(key)
		c.byKey[key] = e
	}
	return e
}

// checkOverflow evicts what was used least until there is room for an object.
func (c *cache) checkOverflow(size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.config.maxSize > 0 && len(c.byKey)+1 > c.config.maxSize || c.config.maxMemory > 0 && c.memory+size > c.config.maxMemory {
		if len(c.byUse.list) == 0 {
			return
		}
		e := c.byUse.list[0]
		if c.byKey[e.key] == e {
			delete(c.byKey, e.key)
		}
		c.byUse.remove(e)
		c.memory -= e.size
		e.reset()
	}
}

func (c *cache) useRemove(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byUse.remove(e)
}

func (c *cache) useAdd(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey[e.key] == e {
		c.byUse.add(e)
	}
}

func (c *cache) reset(e *entry) {
	c.grow(-e.size)
	e.reset()
}

func (c *cache) grow(size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.memory += size
}

type client struct {
	session    *session
	operations int
	keys       int
}

func (t *client) run() {
	for i := range t.operations {
		key := i % t.keys
		t.session.get(key)
		t.session.put(key, key)
	}
}

// final is what main leaves behind, so that final states can be compared.
//
//lint:ignore U1000 nobody reads it
var final *cache

func main() {
	clients, operations, keys := number(1), number(2), number(3)
	c := &cache{config: &config{id: "cacheId", maxSize: 1000}, byKey: make(map[any]*entry), info: new(info)}
	var wg sync.WaitGroup
	for range clients {
		t := &client{&session{cache: c}, operations, keys}
		wg.Go(t.run)
	}
	wg.Wait()
	final = c
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
