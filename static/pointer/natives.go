package pointer

import (
	"go/types"

	"hbcheck.dev/hbcheck/trace"
)

// natives holds the model of every function that the machine implements, by its SSA name. Those that
// package trace declares copy no pointers, call nothing, and allocate nothing that pointers refer to,
// unless they are in moving.
var natives = func() map[string]model {
	all := map[string]model{}
	trace.Natives(func(name string) { all[name] = func(*native) {} })
	for name, m := range moving { // the order makes no difference
		if all[name] == nil {
			panic("BUG: " + name + " is not declared")
		}
		all[name] = m
	}
	return all
}()

// moving has the natives that copy pointers, call functions or allocate.
var moving = map[string]model{
	"internal/bytealg.MakeNoZero": func(n *native) { n.alloc(types.Typ[types.Uint8]) },
	"testing.hbText":              func(n *native) { n.alloc(types.Typ[types.Uint8]) },
	// hbTarget(t *T, target any, texts [][]byte) calls target(t, ...) with the texts among the arguments.
	"testing.hbTarget": func(n *native) { n.a.on(n.arg(1), &fuzzTarget{n}) },
	// The slices in the result are new.
	"hbcheck.dev/hbcheck/hbtest.nondet": func(n *native) {
		site, ctx := n.site()
		n.a.inputs(site, ctx, n.result, n.fn.Signature.Results().At(0).Type())
	},
	"os.runtime_args":      func(n *native) { n.alloc(types.Typ[types.String]) },
	"syscall.runtime_envs": func(n *native) { n.alloc(types.Typ[types.String]) },

	"sync/atomic.LoadPointer":  func(n *native) { n.load(n.result, n.arg(0), place{}) },
	"sync/atomic.StorePointer": func(n *native) { n.store(n.arg(0), place{}, n.arg(1)) },
	"sync/atomic.SwapPointer": func(n *native) {
		n.load(n.result, n.arg(0), place{})
		n.store(n.arg(0), place{}, n.arg(1))
	},
	"sync/atomic.CompareAndSwapPointer": func(n *native) { n.store(n.arg(0), place{}, n.arg(2)) },

	// The argument stands for the lists of all goroutines.
	"sync.hbFind":  func(n *native) { n.load(n.result, n.arg(0), place{}) },
	"sync.hbOwned": func(n *native) { n.load(n.result, n.arg(0), place{}) },
	"sync.hbOwn":   func(n *native) { n.store(n.arg(0), place{}, n.arg(1)) },

	// hbGo(run func(*hbTimer, int64), r *hbTimer, d int64) runs run(r, d) on a
	// goroutine.
	"time.hbGo": func(n *native) { n.call(n.arg(0), n.arg(1)) },
	// hbSend(c chan hbTick, loc *Location) sends a tick with that location.
	"time.hbSend": func(n *native) {
		c := n.fn.Signature.Params().At(0).Type().Underlying().(*types.Chan)
		tick := n.a.lays.of(c.Elem())
		pl := n.a.in(n.a.lays.chanOf(c), 0).plus(&tick.parts[2])
		n.store(n.arg(0), pl, n.arg(1))
	},
	// The result has the location of the receiver.
	"(time.Time).Add": func(n *native) {
		if n.result != 0 && n.arg(0) != 0 {
			n.a.copy(n.result, n.arg(0))
		}
	},
	// newcoro(f func(*coro)) *coro runs f as a coroutine.
	"iter.newcoro": func(n *native) {
		o := n.alloc(types.Typ[types.Uint64])
		n.call(n.arg(0), n.a.pointer(o))
	},
	"runtime.hbFinalize": func(n *native) { n.a.on(n.arg(1), &finalizer{n}) },
	// clone(m any) any copies a map.
	"maps.clone": func(n *native) { n.a.on(n.arg(0), &cloneMap{n}) },
}

// allocating has the natives whose results are new memory.
var allocating = map[string]bool{"internal/bytealg.MakeNoZero": true, "maps.clone": true}

// fuzzTarget calls the func in each box.
type fuzzTarget struct{ n *native }

func (c *fuzzTarget) apply(a *analysis, delta []nodeID) {
	for _, x := range delta {
		o := a.objectOf(x)
		if !o.isBox() {
			continue
		}
		sig, ok := o.Type.Underlying().(*types.Signature)
		if !ok {
			continue
		}
		args := []nodeID{c.n.arg(0)}
		for i := 1; i < sig.Params().Len(); i++ {
			text := nodeID(0)
			if a.lays.holdsPointers(sig.Params().At(i).Type()) {
				text = a.registers(1)
				c.n.load(text, c.n.arg(2), place{})
			}
			args = append(args, text)
		}
		c.n.call(x, args...)
	}
}

// finalizer calls the func in each box with the pointers in the boxes of the
// first argument.
type finalizer struct{ n *native }

func (c *finalizer) apply(a *analysis, delta []nodeID) {
	for _, x := range delta {
		o := a.objectOf(x)
		if !o.isBox() {
			continue
		}
		if _, ok := o.Type.Underlying().(*types.Signature); !ok {
			continue
		}
		obj := a.registers(1)
		c.n.load(obj, c.n.arg(0), place{})
		c.n.call(x, obj)
	}
}

// cloneMap makes the result of maps.clone a box with a copy of each map.
type cloneMap struct{ n *native }

func (c *cloneMap) apply(a *analysis, delta []nodeID) {
	for _, x := range delta {
		o := a.objectOf(x)
		if !o.isBox() {
			continue
		}
		t, ok := o.Type.Underlying().(*types.Map)
		if !ok {
			continue
		}
		site, ctx := c.n.site()
		box := a.box(typedSite{site, o.Type}, ctx, o.Type)
		m := a.object(objectKey{typedSite{site, o.Type}, ctx, Map}, o.Type, a.lays.mapOf(t))
		a.add(box.base, m.base)
		if c.n.result != 0 {
			a.add(c.n.result, box.base)
		}
		for i, et := range []types.Type{t.Key(), t.Elem()} {
			e := a.lays.of(et)
			if len(e.ptrs) == 0 {
				continue
			}
			r := a.registers(len(e.ptrs))
			pl := a.in(m.lay, i)
			a.on(x, &loading{r, pl, e})
			a.storeTo(m.base, pl, r, e)
		}
	}
}

// typedSite is the site of a native that allocates objects of several types.
type typedSite struct {
	site any
	t    types.Type
}
