package static

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Stage A of the lock patterns analysis (SPIN 2014, section 4.7): the locks a
// function holds at each of its points because it has acquired them itself.
// Forward, flow-sensitive, intersection.
//
// The paper has one bit, for the monitor of this. Here it is a set of paths with modes, so that locks need
// not be nested and boundaries of critical sections need not be in one function: a call removes the locks
// that its callee may unlock, and adds those that it has locked when it returns. An unlock that matches no
// path in the set may be of any lock, so it removes all locks. Cond.Wait has acquired its Locker again when
// it returns.

//	mu.Lock()       {mu}
//	help()          {mu} \ what help may unlock ∪ what it has locked when it returns
//	mu.Unlock()     {}
//	other.Unlock()  {}, and not clean: it may be any mutex, one that a caller has locked, too

// holding has the locks held at a point.
type holding struct {
	locks   Set  // numbers of the lock objects in the analysis of foreign unlocks
	clean   bool // since entry, only locks were unlocked that had been locked since entry
	reached bool
}

// held computes and keeps holdings.
type held struct {
	u    *ForeignUnlock
	at   map[ssa.Instruction]holding
	done map[*ssa.Function]bool
}

func newHeld(u *ForeignUnlock) *held {
	return &held{u: u, at: map[ssa.Instruction]holding{}, done: map[*ssa.Function]bool{}}
}

// before returns the locks held before instr, which has events or calls.
func (h *held) before(instr ssa.Instruction) holding {
	if fn := instr.Parent(); !h.done[fn] {
		h.done[fn] = true
		h.u.Whole(fn)
		h.analyse(h.u.base.skeletonOf(fn))
	}
	return h.at[instr]
}

// analyse iterates over the blocks of c until nothing changes. It begins at the entry, and at the
// block where control continues after a recovered panic; nothing is known about the locks held
// there.
func (h *held) analyse(c *skeleton) {
	in := make([]holding, len(c.fn.Blocks))
	in[0] = holding{clean: true, reached: true}
	work := []int{0}
	if c.fn.Recover != nil {
		in[c.fn.Recover.Index] = holding{reached: true}
		work = append(work, c.fn.Recover.Index)
	}
	for len(work) > 0 {
		k := work[len(work)-1]
		work = work[:len(work)-1]
		x := in[k]
		for i := range c.blocks[k] {
			n := &c.blocks[k][i]
			h.at[n.instr] = x
			x = h.step(c, n, x)
		}
		for i, succ := range c.fn.Blocks[k].Succs {
			e := edge{k, i}
			if c.dead[e] {
				continue
			}
			y := h.meet(in[succ.Index], h.equal(c.fn.Blocks[k], i, h.events(c.edges[e], x)))
			if y != in[succ.Index] {
				in[succ.Index] = y
				work = append(work, succ.Index)
			}
		}
	}
}

// equal returns the locks held on the edge to b's succ-th successor: if two pointers are equal there, a
// lock of the one is also held as a lock of the other.
//
//	if x != y { y.mu.Lock() }    without the branch x is y: y.mu is held if x.mu is
func (h *held) equal(b *ssa.BasicBlock, succ int, x holding) holding {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok || x.locks == Empty {
		return x
	}
	cmp, ok := br.Cond.(*ssa.BinOp)
	//mutant: pointers are equal where they differ [test ./static TestWant/shards]: "== 1" -> "== 0"
	if !ok || cmp.Op != token.EQL && (cmp.Op != token.NEQ) || (cmp.Op == token.NEQ) != (succ == 1) {
		return x
	}
	if _, ok := cmp.X.Type().Underlying().(*types.Pointer); !ok {
		return x
	}
	paths := h.u.base.Paths
	p, q := paths.Of(cmp.X), paths.Of(cmp.Y)
	for _, n := range h.u.base.Sets.Elems(x.locks) {
		o := h.u.d.objs.At(n)
		for _, y := range [][2]Path{{p, q}, {q, p}} {
			if z := paths.replace(o.Path, y[0], y[1]); z != Unknown {
				x.locks = h.u.base.Sets.Union(x.locks, h.u.d.lock(z, o.Mode))
			}
		}
	}
	return x
}

// meet returns the locks held on both of two paths.
func (h *held) meet(x, y holding) holding {
	switch {
	case !x.reached:
		return y
	case !y.reached:
		return x
	}
	return holding{h.u.base.Sets.Inter(x.locks, y.locks), x.clean && y.clean, true}
}

// step returns the locks held after n.
func (h *held) step(c *skeleton, n *node, x holding) holding {
	x = h.events(n.events, x)
	switch n.kind {
	case callNode:
		x = h.calls(n, x)
	case maybeNode:
		x = h.meet(x, h.calls(n, x))
	case runNode:
		if n.stack.many {
			x.locks, x.clean = Empty, false
			break
		}
		var y holding
		for _, list := range n.stack.list {
			z := x
			for i := len(list) - 1; i >= 0; i-- {
				z = h.calls(c.defers[list[i]], z)
			}
			y = h.meet(y, z)
		}
		x = y
	}
	if n.kill != nil {
		r := h.u.base.forget(n.kill)
		x.locks = h.u.d.objs.rename(x.locks, r, true)
	}
	return x
}

// calls returns the locks held after a call of one of n's functions.
func (h *held) calls(n *node, x holding) holding {
	var y holding
	for i := range n.calls {
		c := &n.calls[i]
		z := h.events(c.events, x)
		if c.fn != nil {
			s := h.u.rename(h.u.Whole(c.fn).Normal, c.ren)
			if !s.Exits {
				continue
			}
			for _, u := range h.u.base.Sets.Elems(s.Unlocked) {
				z = h.unlock(h.u.d.unlocks.list[u], z)
			}
			z.locks = h.u.base.Sets.Union(z.locks, s.Held)
		}
		y = h.meet(y, z)
	}
	return y
}

// events returns the locks held after the events of list.
func (h *held) events(list []Event, x holding) holding {
	for i := range list {
		switch e := &list[i]; e.Kind {
		case LockEvent, TryEvent:
			if e.Path != Unknown && h.u.base.Paths.Stable(e.Path) {
				x.locks = h.u.base.Sets.Union(x.locks, h.u.d.lock(e.Path, e.Mode))
			}
		case UnlockEvent:
			x = h.unlock(unlock{Path: e.Path}, x)
		case AnyEvent:
			x.locks, x.clean = Empty, false
		}
	}
	return x
}

// unlock returns the part of x that is still held after u.
func (h *held) unlock(u unlock, x holding) holding {
	switch {
	case u.Waits:
	case h.u.d.holds(x.locks, u.Path):
		x.locks = h.u.base.Sets.Minus(x.locks, h.u.d.locks(u.Path))
	default:
		x.locks, x.clean = Empty, false
	}
	return x
}
