package structures

import (
	"sync"
	"testing"

	"hbcheck.dev/hbcheck/hbtest/lin"
)

// A counter is one of those.
type counter interface {
	Inc() int
	Get() int
}

func testCounter[T counter](t *testing.T, make func() T, k, m int) {
	lin.Check(t, lin.Object[T]{New: make, Goroutines: k, Operations: m, Ops: []lin.Op[T]{
		lin.Do("Inc", func(c T) any { return c.Inc() }),
		lin.Do("Get", func(c T) any { return c.Get() }),
	}})
}

func TestLocked(t *testing.T)   { testCounter(t, func() *Locked { return new(Locked) }, 2, 2) }
func TestTorn(t *testing.T)     { testCounter(t, func() *Torn { return new(Torn) }, 2, 2) }
func TestUnlocked(t *testing.T) { testCounter(t, func() *Unlocked { return new(Unlocked) }, 2, 2) }

func TestStriped(t *testing.T) {
	lin.Check(t, lin.Object[*Striped]{New: func() *Striped { return new(Striped) }, Ops: []lin.Op[*Striped]{
		lin.Do("Inc", func(c *Striped) any { c.Inc(); return nil }),
		lin.Do("Dec", func(c *Striped) any { c.Dec(); return nil }),
		lin.Do("Get", func(c *Striped) any { return c.Get() }),
	}})
}

func TestCells(t *testing.T) {
	lin.Check(t, lin.Object[*Cells]{New: func() *Cells { return new(Cells) }, Ops: []lin.Op[*Cells]{
		lin.With("Inc", func(c *Cells, i int) any { c.Inc(i); return nil }, 0, 1),
		lin.Do("Get", func(c *Cells) any { return c.Get() }),
	}})
}

func TestLate(t *testing.T) {
	lin.Check(t, lin.Object[*Late]{New: func() *Late { return new(Late) }, Ops: []lin.Op[*Late]{
		lin.Do("Inc", func(c *Late) any { c.Inc(); return nil }),
		lin.Do("Get", func(c *Late) any { return c.Get() }),
	}})
}

func TestAccounts(t *testing.T) {
	lin.Check(t, lin.Object[*Accounts]{New: func() *Accounts { return new(Accounts) }, Ops: []lin.Op[*Accounts]{
		lin.With("Transfer", func(a *Accounts, from int) any { a.Transfer(from); return nil }, 0, 1),
	}})
}

// A queue is any of them.
type queue interface {
	Put(x int)
	Take() (int, bool)
}

func queueOps[T queue]() []lin.Op[T] {
	return []lin.Op[T]{
		lin.With("Put", func(q T, x int) any { q.Put(x); return nil }, 1, 2),
		lin.Do("Take", func(q T) any { return lin.Results(q.Take()) }),
	}
}

func TestQueue(t *testing.T) {
	lin.Check(t, lin.Object[*Queue]{New: NewQueue, Ops: queueOps[*Queue]()})
}

func TestOverwriting(t *testing.T) {
	lin.Check(t, lin.Object[*Overwriting]{New: NewOverwriting, Ops: queueOps[*Overwriting]()})
}

func TestTailed(t *testing.T) {
	lin.CheckModel(t, lin.Object[*Tailed]{New: NewTailed, Ops: queueOps[*Tailed]()}, model)
}

// A list is the specification of queues.
type list struct{ values []int }

func (l *list) Put(x int) { l.values = append(l.values, x) }

func (l *list) Take() (x int, ok bool) {
	if len(l.values) == 0 {
		return 0, false
	}
	x, l.values = l.values[0], l.values[1:]
	return x, true
}

var model = lin.Object[*list]{New: func() *list { return new(list) }, Ops: queueOps[*list]()}

// A bounded is a bounded buffer.
type bounded interface {
	Put(x int) bool
	Take() (int, bool)
}

func bufferOps[T bounded]() (put, take lin.Op[T]) {
	return lin.With("Put", func(q T, x int) any { return q.Put(x) }, 1, 2),
		lin.Do("Take", func(q T) any { return lin.Results(q.Take()) })
}

func TestRing(t *testing.T) {
	put, take := bufferOps[*Ring]()
	lin.Check(t, lin.Object[*Ring]{New: func() *Ring { return new(Ring) }, Operations: 3,
		Ops: []lin.Op[*Ring]{put.By("producer"), take.By("consumer")}})
}

func TestRingOfTwoProducers(t *testing.T) {
	put, take := bufferOps[*Ring]()
	lin.Check(t, lin.Object[*Ring]{New: func() *Ring { return new(Ring) },
		Ops: []lin.Op[*Ring]{put, take.By("consumer")}})
}

func TestHurried(t *testing.T) {
	put, take := bufferOps[*Hurried]()
	lin.Check(t, lin.Object[*Hurried]{New: func() *Hurried { return new(Hurried) },
		Ops: []lin.Op[*Hurried]{put.By("producer"), take.By("consumer")}})
}

func TestSequenced(t *testing.T) {
	put, take := bufferOps[*Sequenced]()
	lin.Check(t, lin.Object[*Sequenced]{New: NewSequenced,
		Ops: []lin.Op[*Sequenced]{put, take}, Initial: []lin.Op[*Sequenced]{put}, Final: []lin.Op[*Sequenced]{take}})
}

// A stack is any of them.
type stack interface {
	Push(x int)
	Pop() (int, bool)
}

// stackOf is an object with two elements.
func stackOf[T stack](make func() T, m int) lin.Object[T] {
	push := func(values ...int) lin.Op[T] {
		return lin.With("Push", func(s T, x int) any { s.Push(x); return nil }, values...)
	}
	pop := lin.Do("Pop", func(s T) any { return lin.Results(s.Pop()) })
	return lin.Object[T]{New: make, Operations: m, Initial: []lin.Op[T]{push(1, 2)},
		Ops: []lin.Op[T]{push(3), pop}, Final: []lin.Op[T]{pop, pop}}
}

func TestStack(t *testing.T)   { lin.Check(t, stackOf(func() *Stack { return new(Stack) }, 2)) }
func TestReusing(t *testing.T) { lin.Check(t, stackOf(func() *Reusing { return new(Reusing) }, 3)) }
func TestTagged(t *testing.T)  { lin.Check(t, stackOf(NewTagged, 2)) }

func set(make func() *Set) lin.Object[*Set] {
	return lin.Object[*Set]{New: make, Operations: 1,
		Ops: []lin.Op[*Set]{
			lin.With("Add", func(s *Set, x int) any { return s.Add(x) }, 1, 2),
			lin.With("Remove", func(s *Set, x int) any { return s.Remove(x) }, 1, 2),
			lin.With("Contains", func(s *Set, x int) any { return s.Contains(x) }, 1, 2),
		},
		Initial: []lin.Op[*Set]{lin.With("Add", func(s *Set, x int) any { return s.Add(x) }, 1)},
		Final:   []lin.Op[*Set]{lin.With("Contains", func(s *Set, x int) any { return s.Contains(x) }, 1, 2)}}
}

func TestSet(t *testing.T)      { lin.Check(t, set(NewSet)) }
func TestCareless(t *testing.T) { lin.Check(t, set(NewCareless)) }

func TestDeque(t *testing.T) {
	lin.Check(t, lin.Object[*Deque]{New: func() *Deque { return new(Deque) }, Ops: []lin.Op[*Deque]{
		lin.With("AddFirst", func(d *Deque, x int) any { d.AddFirst(x); return nil }, 1),
		lin.With("AddLast", func(d *Deque, x int) any { d.AddLast(x); return nil }, 2),
		lin.Do("PeekFirst", func(d *Deque) any { return lin.Results(d.PeekFirst()) }),
		lin.Do("PollLast", func(d *Deque) any { return lin.Results(d.PollLast()) }),
	}})
}

// A slot is any of them.
type slot interface {
	Put(x int) int
	Get() int
}

func testSlot[T slot](t *testing.T, make func() T) {
	get := lin.Do("Get", func(s T) any { return s.Get() })
	lin.Check(t, lin.Object[T]{New: make, Ops: []lin.Op[T]{lin.With("Put", func(s T, x int) any { return s.Put(x) }, 1, 2), get},
		Final: []lin.Op[T]{get}})
}

func TestSlot(t *testing.T)   { testSlot(t, func() *Slot { return new(Slot) }) }
func TestMended(t *testing.T) { testSlot(t, func() *Mended { return new(Mended) }) }

func testSnapshot(t *testing.T, once bool) {
	lin.Check(t, lin.Object[*Snapshot]{New: func() *Snapshot { return &Snapshot{once: once} }, Ops: []lin.Op[*Snapshot]{
		lin.With2("Update", func(s *Snapshot, i, x int) any { s.Update(i, x); return nil }, []int{0, 1}, []int{1}),
		lin.Do("Scan", func(s *Snapshot) any { return s.Scan() }),
	}})
}

func TestSnapshot(t *testing.T)     { testSnapshot(t, false) }
func TestSnapshotOnce(t *testing.T) { testSnapshot(t, true) }

func syncMapOps() []lin.Op[*sync.Map] {
	return []lin.Op[*sync.Map]{
		lin.With("Store", func(m *sync.Map, x int) any { m.Store("a", x); return nil }, 1),
		lin.With("LoadOrStore", func(m *sync.Map, x int) any { return lin.Results(m.LoadOrStore("a", x)) }, 2),
		lin.Do("Load", func(m *sync.Map) any { return lin.Results(m.Load("a")) }),
		lin.Do("LoadAndDelete", func(m *sync.Map) any { return lin.Results(m.LoadAndDelete("a")) }),
	}
}

func TestSyncMap(t *testing.T) {
	lin.Check(t, lin.Object[*sync.Map]{New: func() *sync.Map { return new(sync.Map) }, Ops: syncMapOps()})
}

// TestSyncMapLoadThenStore: two operations of sync.Map are not one.
func TestSyncMapLoadThenStore(t *testing.T) {
	lin.Check(t, lin.Object[*sync.Map]{New: func() *sync.Map { return new(sync.Map) }, Ops: []lin.Op[*sync.Map]{
		lin.With("GetOrPut", func(m *sync.Map, x int) any {
			if v, ok := m.Load("a"); ok {
				return v
			}
			m.Store("a", x)
			return x
		}, 1, 2),
	}})
}
