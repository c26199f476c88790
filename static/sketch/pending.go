package sketch

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// The pending operations of goroutines, and whether they are enabled.

// pending returns the deferred or direct call of a native that g is at; nil if it is at another
// instruction.
func (r *Run) pending(g *goroutine) (n *native, args []value) {
	fr := g.top()
	var d *deferred
	if fr.unwinds && len(fr.defers) > 0 {
		d = &fr.defers[len(fr.defers)-1]
	} else if fr.unwinds || fr.pc >= len(fr.block.Instrs) {
		return nil, nil
	}
	if d == nil {
		switch i := fr.block.Instrs[fr.pc].(type) {
		case *ssa.RunDefers:
			if len(fr.defers) > 0 {
				d = &fr.defers[len(fr.defers)-1]
			}
		case *ssa.Call:
			if _, ok := i.Call.Value.(*ssa.Builtin); ok {
				return nil, nil
			}
			if fn := i.Call.StaticCallee(); fn != nil && r.nativeOf(fn) == nil {
				return nil, nil
			}
			t := r.resolve(fr, &i.Call)
			return t.native, t.args
		}
	}
	if d != nil && d.builtin == nil {
		return d.t.native, d.t.args
	}
	return nil, nil
}

// visible reports whether others may go before the next instruction of g.
func (r *Run) visible(g *goroutine) bool {
	if len(g.frames) == 0 {
		return true
	}
	fr := g.top()
	if !fr.unwinds && fr.pc < len(fr.block.Instrs) {
		switch i := fr.block.Instrs[fr.pc].(type) {
		case *ssa.Send, *ssa.Select:
			return true
		case *ssa.UnOp:
			if _, ok := i.X.Type().Underlying().(*types.Chan); ok {
				return true
			}
		case *ssa.Call:
			if b, ok := i.Call.Value.(*ssa.Builtin); ok && b.Name() == "close" {
				return true
			}
		}
	}
	n, _ := r.pending(g)
	return n != nil && n.visible
}

// enabled reports whether the pending operation of g can happen now.
func (r *Run) enabled(g *goroutine) bool {
	if len(g.frames) == 0 {
		return false
	}
	g.op = NoOp
	fr := g.top()
	if !fr.unwinds && fr.pc < len(fr.block.Instrs) {
		switch i := fr.block.Instrs[fr.pc].(type) {
		case *ssa.Send:
			g.op = SendOp
			return r.canSend(g, r.chanOf(fr, i.Chan))
		case *ssa.UnOp:
			if _, ok := i.X.Type().Underlying().(*types.Chan); ok {
				g.op = RecvOp
				return r.canRecv(g, r.chanOf(fr, i.X))
			}
		case *ssa.Select:
			g.op = SelectOp
			return !i.Blocking || len(r.ready(g, fr, i)) > 0
		}
	}
	n, args := r.pending(g)
	if n == nil || n.can == nil {
		return true
	}
	g.op = n.op
	return n.can(r, g, args)
}

// mayWake reports whether g waits for something that other goroutines may still change. live has all
// objects that they can reach; moves has the goroutines that can move.
func (r *Run) mayWake(g *goroutine, live map[*obj]bool, moves []bool) bool {
	fr := g.top()
	if !fr.unwinds && fr.pc < len(fr.block.Instrs) {
		var chans []ssa.Value
		switch i := fr.block.Instrs[fr.pc].(type) {
		case *ssa.Send:
			chans = append(chans, i.Chan)
		case *ssa.UnOp:
			if _, ok := i.X.Type().Underlying().(*types.Chan); ok {
				chans = append(chans, i.X)
			}
		case *ssa.Select:
			for _, s := range i.States {
				chans = append(chans, s.Chan)
			}
		}
		if r.onPurpose(fr.block.Instrs[fr.pc]) {
			return true
		}
		for _, c := range chans {
			if o := r.chanOf(fr, c); o != nil && (o.ch == nil || o.outside || live[o]) {
				return true
			}
		}
		if chans != nil {
			return false
		}
	}
	_, args := r.pending(g)
	if len(args) == 0 {
		return true
	}
	p, ok := args[0].(*ptr)
	if !ok {
		if i, isIface := args[0].(*iface); isIface {
			p, ok = i.v.(*ptr)
		}
	}
	if !ok {
		return true
	}
	l := r.lockAt(p)
	switch g.op {
	case LockOp:
		// The goroutine that holds the lock is part of the run.
		for i, h := range r.gs {
			for _, x := range h.held {
				if x.l == l {
					return moves[i]
				}
			}
		}
		return p.o.outside || live[p.o]
	case JoinOp, CondOp, OnceOp:
		return p.o.outside || live[p.o]
	}
	return false
}

// onPurpose reports whether instr waits forever on purpose, as select {} does: it receives from a new
// channel that no other goroutine can have.
//
//	<-make(chan struct{})
func (r *Run) onPurpose(instr ssa.Instruction) bool {
	recv, ok := instr.(*ssa.UnOp)
	if !ok {
		return false
	}
	line := func(pos token.Pos) int { return r.Prog.Fset.Position(pos).Line }
	m, ok := recv.X.(*ssa.MakeChan)
	//mutant: sketch: to wait for a new channel is a mistake [test ./static/findings TestWant]: "ok &&" -> "ok && false &&"
	return ok && len(*m.Referrers()) == 1 && line(m.Pos()) == line(recv.Pos())
}
