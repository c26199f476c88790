package findings

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// checkSpin finds loops that wait for a plain variable (HBA501).
func checkSpin(p *pass) {
	for _, fn := range p.list {
		for _, b := range fn.Blocks {
			br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
			if !ok {
				continue
			}
			load := plainLoad(br.Cond)
			if load == nil || !p.waitsOnly(b) {
				continue
			}
			path := p.Base.Paths.Of(load.X)
			st := p.storeTo(p.Base.Paths.Class(path), fn)
			//mutant: findings: each element is the one before [test ./static/findings TestWant]: "moves(load.X)" -> "false"
			if path == static.Unknown || st == nil || moves(load.X) {
				continue
			}
			p.report("HBA501", High, load, fmt.Sprintf("the loop waits for %s, which another goroutine writes without synchronisation: a data race, and the compiler may read it only once", p.name(path)), p.place(st, "it is written here"))
		}
	}
}

// moves reports whether addr is of an element whose index is computed, or of an object that is
// another one in each iteration: then a loop goes through many variables, and does not wait for
// one.
func moves(addr ssa.Value) bool {
	switch x := addr.(type) {
	case *ssa.IndexAddr:
		_, isConst := x.Index.(*ssa.Const)
		return !isConst
	case *ssa.FieldAddr:
		return moves(x.X)
	case *ssa.Phi: // for n.next != nil { n = n.next }
		//mutant: findings: a loop through a list waits [test ./static/findings TestWant]: false
		return true
	}
	return false
}

// plainLoad returns the load on which a condition depends.
func plainLoad(v ssa.Value) *ssa.UnOp {
	switch x := v.(type) {
	case *ssa.UnOp:
		if x.Op == token.NOT {
			return plainLoad(x.X)
		}
		if x.Op == token.MUL {
			return x
		}
	case *ssa.BinOp:
		if _, ok := x.Y.(*ssa.Const); ok {
			return plainLoad(x.X)
		}
	}
	return nil
}

// waitsOnly reports whether the loop around b only waits.
func (p *pass) waitsOnly(b *ssa.BasicBlock) bool {
	for _, s := range b.Succs {
		// A short way back to b.
		for x, n := s, 0; n < 4; n++ {
			if x == b {
				return idle(b)
			}
			if !idle(x) || len(x.Succs) != 1 {
				break
			}
			x = x.Succs[0]
		}
	}
	return false
}

// idle reports whether b has no effect.
func idle(b *ssa.BasicBlock) bool {
	for _, instr := range b.Instrs {
		switch i := instr.(type) {
		case *ssa.Call:
			fn := i.Call.StaticCallee()
			if fn == nil || fn.String() != "runtime.Gosched" && fn.String() != "time.Sleep" {
				return false
			}
		case *ssa.Store, *ssa.Send, *ssa.MapUpdate, *ssa.Select, *ssa.Go, *ssa.Defer, *ssa.Return:
			return false
		case *ssa.UnOp:
			if i.Op == token.ARROW {
				return false
			}
		}
	}
	return true
}

// initialiser is what ssa says about a function that initialises the variables of a package.
const initialiser = "package initializer"

// storeTo returns a store to a variable of that class in a function that may run beside fn.
func (p *pass) storeTo(class string, fn *ssa.Function) ssa.Instruction {
	if class == "" {
		return nil
	}
	for _, g := range p.list {
		//mutant: findings: packages are initialised at any time [test ./static/findings TestWant]: "g.Synthetic == initialiser" -> "false"
		if g == fn || g.Synthetic == initialiser || !p.parallel(fn, g) {
			continue
		}
		for _, b := range g.Blocks {
			for _, instr := range b.Instrs {
				if st, ok := instr.(*ssa.Store); ok && p.Base.Paths.Class(p.Base.Paths.Of(st.Addr)) == class {
					return st
				}
			}
		}
	}
	return nil
}
