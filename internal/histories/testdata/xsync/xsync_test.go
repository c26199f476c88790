package xsync

import (
	"testing"

	"github.com/puzpuzpuz/xsync/v4"

	"hbcheck.dev/hbcheck/hbtest/lin"
)

type table = *xsync.Map[int, int]

func ops() []lin.Op[table] {
	return []lin.Op[table]{
		lin.With("Store", func(m table, x int) any { m.Store(1, x); return nil }, 1),
		lin.With("LoadOrStore", func(m table, x int) any { return lin.Results(m.LoadOrStore(1, x)) }, 2),
		lin.Do("Load", func(m table) any { return lin.Results(m.Load(1)) }),
		lin.Do("LoadAndDelete", func(m table) any { return lin.Results(m.LoadAndDelete(1)) }),
	}
}

func TestMap(t *testing.T) {
	lin.Check(t, lin.Object[table]{New: func() table { return xsync.NewMap[int, int]() }, Ops: ops()})
}

// TestSize: Size adds up counters that other operations change one after another.
func TestSize(t *testing.T) {
	lin.Check(t, lin.Object[table]{New: func() table { return xsync.NewMap[int, int]() }, Ops: []lin.Op[table]{
		lin.With("Store", func(m table, x int) any { m.Store(x, x); return nil }, 1, 2),
		lin.With("Delete", func(m table, x int) any { m.Delete(x); return nil }, 1),
		lin.Do("Size", func(m table) any { return m.Size() }),
	}})
}

type queue = *xsync.MPMCQueue[int]

func TestMPMCQueue(t *testing.T) {
	lin.Check(t, lin.Object[queue]{New: func() queue { return xsync.NewMPMCQueue[int](2) }, Ops: []lin.Op[queue]{
		lin.With("TryEnqueue", func(q queue, x int) any { return q.TryEnqueue(x) }, 1, 2),
		lin.Do("TryDequeue", func(q queue) any { return lin.Results(q.TryDequeue()) }),
	}})
}

type spsc = *xsync.SPSCQueue[int]

func TestSPSCQueue(t *testing.T) {
	lin.Check(t, lin.Object[spsc]{New: func() spsc { return xsync.NewSPSCQueue[int](2) }, Operations: 3, Ops: []lin.Op[spsc]{
		lin.With("TryEnqueue", func(q spsc, x int) any { return q.TryEnqueue(x) }, 1, 2).By("producer"),
		lin.Do("TryDequeue", func(q spsc) any { return lin.Results(q.TryDequeue()) }).By("consumer"),
	}})
}
