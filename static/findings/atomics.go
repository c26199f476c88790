package findings

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// Checks of variables that are accessed with sync/atomic.

// atomicCall returns the variable that a call of sync/atomic operates on, and the name of the function.
func atomicCall(site ssa.CallInstruction) (addr ssa.Value, name string) {
	fn := site.Common().StaticCallee()
	if fn == nil || len(site.Common().Args) == 0 {
		return nil, ""
	}
	if fn.Pkg == nil && fn.Origin() == nil || fn.Object() == nil || fn.Object().Pkg() == nil || fn.Object().Pkg().Path() != "sync/atomic" {
		return nil, ""
	}
	return site.Common().Args[0], fn.Name()
}

// checkAtomic finds plain accesses to variables that are accessed atomically elsewhere (HBA402).
func checkAtomic(p *pass) {
	atomics := map[string][]ssa.Instruction{}
	for _, fn := range p.list {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				site, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				addr, name := atomicCall(site)
				if addr == nil || site.Common().StaticCallee().Signature.Recv() != nil || strings.HasPrefix(name, "Load") && false {
					continue
				}
				if class := p.Base.Paths.Class(p.Base.Paths.Of(addr)); class != "" {
					atomics[class] = append(atomics[class], instr)
				}
			}
		}
	}
	if len(atomics) == 0 {
		return
	}
	var plain []plainAccess
	defer func() { p.reportPlain(plain, atomics) }()
	for _, fn := range p.list {
		if strings.HasPrefix(fn.Name(), "init") {
			continue
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				var addr ssa.Value
				write := false
				switch i := instr.(type) {
				case *ssa.UnOp:
					if i.Op == token.MUL {
						addr = i.X
					}
				case *ssa.Store:
					addr, write = i.Addr, true
				}
				if addr == nil {
					continue
				}
				path := p.Base.Paths.Of(addr)
				list := atomics[p.Base.Paths.Class(path)]
				if len(list) == 0 {
					continue
				}
				if a, ok := p.Base.Paths.Root(path).(*ssa.Alloc); ok && a.Parent() == fn && !strings.HasPrefix(p.Base.Paths.Class(path), "variable") {
					continue // the object is not shared yet
				}
				//mutant: findings: helpers of constructors have shared objects [test ./static/findings TestWant]: "p.early(root, instr, freshDepth)" -> "p.early(root, instr, 0)"
				if root := p.Base.Paths.Root(path); root != nil && root.Parent() == fn && (p.unshared(root) || p.early(root, instr, freshDepth)) {
					continue
				}
				plain = append(plain, plainAccess{instr, addr, path, write})
			}
		}
	}
}

// plainAccess is an access without sync/atomic.
type plainAccess struct {
	instr ssa.Instruction
	addr  ssa.Value
	path  static.Path
	write bool
}

// reportPlain reports plain accesses. If a variable has more plain accesses than atomic ones, the atomic
// accesses are probably for one phase of the program only.
func (p *pass) reportPlain(plain []plainAccess, atomics map[string][]ssa.Instruction) {
	n := map[string]int{}
	for _, a := range plain {
		n[p.Base.Paths.Class(a.path)]++
	}
	for _, a := range plain {
		class := p.Base.Paths.Class(a.path)
		//mutant: findings: most accesses may be plain [test ./static/findings TestWant]: "n[class] > len(atomics[class])" -> "false"
		p.plain(a.instr, a.addr, a.path, a.write, atomics[class], n[class] > len(atomics[class]))
	}
}

// plain reports a plain access to path, which the instructions in list access atomically. usual is set if
// there are many of them.
func (p *pass) plain(instr ssa.Instruction, addr ssa.Value, path static.Path, write bool, list []ssa.Instruction, usual bool) {
	fn := instr.Parent()
	verb := "read"
	if write {
		verb = "written"
	}
	//mutant: findings: the function around a literal is the best witness [test ./static/findings TestWant]: "!around(x.Parent(), fn)" -> "true"
	around := slices.DeleteFunc(slices.Clone(list), func(x ssa.Instruction) bool { return !around(x.Parent(), fn) })
	others := slices.DeleteFunc(slices.Clone(list), func(x ssa.Instruction) bool { return slices.Contains(around, x) })
	for _, x := range slices.Concat(others, around) {
		at, name := atomicCall(x.(ssa.CallInstruction))
		if p.apart(addr, at) || !write && strings.HasPrefix(name, "Load") || !p.parallel(fn, x.Parent()) || p.afterJoin(instr) {
			continue
		}
		if a, ok := p.Base.Paths.Root(path).(*ssa.Alloc); ok && a.Parent() == fn && !p.startedBefore(fn, instr) {
			continue // no goroutine has it yet
		}
		//mutant: findings: a flag of an object does not say whether it is shared [test ./static/findings TestKernels]: "byFlag(instr, x)" -> "false"
		if byFlag(instr, x) {
			continue // all accesses to the object are of one kind
		}
		if p.sameLock(instr, x) || !write && p.lockedWrites(instr, list) {
			continue
		}
		c := Medium // two functions may be about different objects, or one after the other
		_, global := p.Base.Paths.Root(path).(*ssa.Global)
		local := strings.HasPrefix(p.Base.Paths.Class(path), "variable ") // a variable of fn, or of a literal that captures it
		//mutant: findings: an object is certain only in other functions [test ./static/findings TestWant]: "x.Parent() == fn && p.Base.Paths.Of(at) == path" -> "false"
		if global || local || x.Parent() == fn && p.Base.Paths.Of(at) == path {
			c = High
		}
		if c == Medium && usual {
			c = Low
		}
		if len(p.heldAt(instr)) > 0 || p.lockedBySome(fn, 3) {
			c = min(c, Medium) // all callers may lock, some of them in a way that is not seen
		}
		//mutant: findings: counts are not reset before goroutines are started [test ./static/findings TestWant]: "p.beforeStarts(fn, instr)" -> "false"
		early := p.beforeStarts(fn, instr)
		//mutant: findings: no object is reset [test ./static/findings TestWant]: " || resets(instr)" -> ""
		if early || resets(instr) || p.configures(instr) || p.isOption(path, instr) {
			c = Low
		}
		//mutant: findings: arguments belong to several goroutines [test ./static/findings TestWant]: "handed(p.Base.Paths.Root(path), fn)" -> "false"
		if handed(p.Base.Paths.Root(path), fn) {
			c = Low // the goroutines may have the object one after the other
		}
		//mutant: findings: atomic loads have atomic stores [test ./static/findings TestWant]: "!anyWrite(list)" -> "false"
		if !anyWrite(list) {
			c = Low // there may be only one goroutine
		}
		//mutant: findings: what a panic prints is used [test ./static/findings TestWant]: "printed(instr)" -> "false"
		if printed(instr) || !write && p.onlyWriter(instr, list) {
			c = Low
		}
		f := p.report("HBA402", c, instr, fmt.Sprintf("%s is %s without sync/atomic, and by %s at %s: a data race if both happen at the same time", p.name(path), verb, name, p.line(x)), p.place(x, name+" of it here"))
		other := p.place(x, "")
		f.Other = &other
		return
	}
}

// around reports whether fn is a literal within outer, which often waits for what outer does next.
func around(outer, fn *ssa.Function) bool {
	for fn = fn.Parent(); fn != nil; fn = fn.Parent() {
		if fn == outer {
			return true
		}
	}
	return false
}

// lockedBySome reports whether fn is called, through at most depth calls, by a function that holds a lock.
func (p *pass) lockedBySome(fn *ssa.Function, depth int) bool {
	p.findCallers()
	return depth > 0 && slices.ContainsFunc(p.callers[fn], func(site ssa.CallInstruction) bool {
		_, isGo := site.(*ssa.Go)
		return !isGo && p.user(site.Parent()) && (len(p.classesAt(site, 0)) > 0 || p.lockedBySome(site.Parent(), depth-1))
	})
}

// handed reports whether v is an argument of fn, or of the function around it, other than the first one. Such
// an object, a message or a request, often goes from one goroutine to the next.
func handed(v ssa.Value, fn *ssa.Function) bool {
	if fv, ok := v.(*ssa.FreeVar); ok && fn.Parent() != nil {
		for _, prm := range fn.Parent().Params {
			if prm.Name() == fv.Name() {
				return handed(prm, fn.Parent())
			}
		}
	}
	prm, ok := v.(*ssa.Parameter)
	return ok && len(fn.Params) > 0 && fn.Params[0] != prm
}

// anyWrite reports whether one of the calls of sync/atomic in list writes.
func anyWrite(list []ssa.Instruction) bool {
	return slices.ContainsFunc(list, func(x ssa.Instruction) bool {
		_, name := atomicCall(x.(ssa.CallInstruction))
		return !strings.HasPrefix(name, "Load")
	})
}

// printed reports whether instr reads a value for the message of a panic.
func printed(instr ssa.Instruction) bool {
	load, ok := instr.(*ssa.UnOp)
	b := instr.Block()
	if _, panics := b.Instrs[len(b.Instrs)-1].(*ssa.Panic); !ok || !panics {
		return false
	}
	return !slices.ContainsFunc(*load.Referrers(), func(u ssa.Instruction) bool {
		_, isMake := u.(*ssa.MakeInterface)
		_, isDebug := u.(*ssa.DebugRef)
		return !isMake && !isDebug
	})
}

// onlyWriter reports whether all atomic writes in list are in the function of instr, which only runs as a
// goroutine of its own: it reads what it has written itself.
func (p *pass) onlyWriter(instr ssa.Instruction, list []ssa.Instruction) bool {
	fn := instr.Parent()
	p.findCallers()
	for _, x := range list {
		//mutant: findings: a goroutine reads what others write [test ./static/findings TestWant]: "x.Parent() != fn" -> "true"
		if _, name := atomicCall(x.(ssa.CallInstruction)); !strings.HasPrefix(name, "Load") && x.Parent() != fn {
			return false
		}
	}
	return len(p.callers[fn]) > 0 && p.sawAll(fn) && !slices.ContainsFunc(p.callers[fn], func(site ssa.CallInstruction) bool {
		_, isGo := site.(*ssa.Go)
		return !isGo || inLoop(site.Block())
	})
}

// configures reports whether instr is in a method that assigns a parameter to a field and that only users
// call. Most of them do so before they use the object.
//
//	func (c *Client) SetID(id uint32) { c.id = id }
func (p *pass) configures(instr ssa.Instruction) bool {
	st, ok := instr.(*ssa.Store)
	fn := instr.Parent()
	p.findCallers()
	//mutant: findings: setters are called at any time [test ./static/findings TestWant]: "len(fn.Blocks) != 1" -> "len(fn.Blocks) != 0"
	if !ok || fn.Signature.Recv() == nil || len(fn.Blocks) != 1 || len(p.callers[fn]) > 0 || p.sawAll(fn) {
		return false
	}
	return slices.ContainsFunc(fn.Params[1:], func(prm *ssa.Parameter) bool { return dependsOn(st.Val, prm, 8) })
}

// isOption reports whether instr is in a function that is only called as a value, and whose only parameter
// has the object of path. Most such functions are options: a constructor applies them before it returns an
// object.
//
//	func WithTimeout(d time.Duration) Option { return func(c *Client) { c.timeout = int64(d) } }
func (p *pass) isOption(path static.Path, instr ssa.Instruction) bool {
	fn := instr.Parent()
	prm, ok := p.Base.Paths.Root(path).(*ssa.Parameter)
	//mutant: findings: options are applied at any time [test ./static/findings TestWant]: "!ok || " -> "!ok || true || "
	if !ok || prm.Parent() != fn || fn.Signature.Recv() != nil || len(fn.Params) != 1 {
		return false
	}
	p.findCallers()
	return !slices.ContainsFunc(p.callers[fn], func(site ssa.CallInstruction) bool { return site.Common().StaticCallee() == fn })
}

// lockedWrites reports whether one lock is held at instr and at all atomic writes in list. Then only
// readers access the variable without the lock, and the value that instr reads does not change.
func (p *pass) lockedWrites(instr ssa.Instruction, list []ssa.Instruction) bool {
	n := 0
	for _, x := range list {
		if _, name := atomicCall(x.(ssa.CallInstruction)); !strings.HasPrefix(name, "Load") {
			if n++; !p.sameLock(instr, x) {
				return false
			}
		}
	}
	return n > 0
}

// startedBefore reports whether fn may have started a goroutine before instr.
func (p *pass) startedBefore(fn *ssa.Function, instr ssa.Instruction) bool {
	code := p.Base.Code(fn)
	for _, b := range fn.Blocks {
		for _, step := range code.Steps(b.Index) {
			if step.Kind() == static.Starts && reaches(step.Instr(), instr) {
				return true
			}
		}
	}
	return false
}

// checkLostUpdates finds atomic variables that are set to a value computed from a Load (HBA403).
func checkLostUpdates(p *pass) {
	for _, fn := range p.list {
		if !p.parallel(fn, fn) {
			continue
		}
		var loads []*ssa.Call
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				call, ok := instr.(*ssa.Call)
				if !ok {
					continue
				}
				addr, name := atomicCall(call)
				if addr == nil {
					continue
				}
				path := p.Base.Paths.Of(addr)
				if strings.HasPrefix(name, "Load") {
					loads = append(loads, call)
				}
				if !strings.HasPrefix(name, "Store") || len(call.Call.Args) < 2 {
					continue
				}
				for _, l := range loads {
					//mutant: findings: the lock of a lost update is the function's own [test ./static/findings TestWant]: "p.classesAt(call, 3)" -> "p.heldAt(call)"
					if q, _ := atomicCall(l); p.Base.Paths.Of(q) != path || path == static.Unknown || len(p.classesAt(call, 3)) > 0 {
						continue
					}
					if a, ok := p.Base.Paths.Root(path).(*ssa.Alloc); ok && a.Parent() == fn {
						continue
					}
					switch {
					case dependsOn(call.Call.Args[1], l, 8):
						p.report("HBA403", Medium, call, fmt.Sprintf("%s is set to a value computed from an earlier Load: an update by another goroutine in between is lost; use Add or CompareAndSwap", p.name(path)), p.place(l, "it is loaded here"))
					case p.decides(l, call):
						c := Medium
						if swaps(fn) || alone(call) || otherwise(l, call) {
							c = Low // the compare-and-swap may exclude other goroutines; or both goroutines store the same value
						}
						//mutant: findings: callers lock nothing for a function that checks and sets [test ./static/findings TestWant]: "p.lockedBySome(fn, 3)" -> "false"
						if p.lockedBySome(fn, 3) {
							c = Low
						}
						p.report("HBA403", c, call, fmt.Sprintf("%s is checked and then set: two goroutines may both see the old value, and both go on; CompareAndSwap does both at once", p.name(path)), p.place(l, "it is checked here"))
					}
				}
			}
		}
	}
}

// otherwise reports whether store stores a constant, depending on a condition after the comparison of l. Then
// the variable records an event between the two.
//
//	if s.closed.Load() { return io.EOF }
//	if err := s.recv(); err != nil {
//		s.closed.Store(true)
//		return err
//	}
func otherwise(l, store *ssa.Call) bool {
	if _, ok := store.Call.Args[1].(*ssa.Const); !ok {
		return false
	}
	for b := store.Block().Idom(); b != nil; b = b.Idom() {
		if br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && splits(b, store) {
			//mutant: findings: a mark is a decision [test ./static/findings TestWant]: "!comparesTo" -> "false && !comparesTo"
			return !comparesTo(br.Cond, l, 4)
		}
	}
	return false
}

// alone reports whether a block only stores a constant, or a value that was compared with the variable. Then
// it makes no difference whether one goroutine executes the block or two do.
func alone(store *ssa.Call) bool {
	switch store.Call.Args[1].(type) {
	case *ssa.Const, *ssa.BinOp, *ssa.Convert:
	default:
		return false
	}
	for _, instr := range store.Block().Instrs {
		switch instr.(type) {
		case *ssa.Call:
			//mutant: findings: what is done once only does not matter [test ./static/findings TestWant]: "instr != store" -> "false"
			if instr != store {
				return false
			}
		case *ssa.Jump, *ssa.DebugRef, *ssa.FieldAddr, *ssa.UnOp, *ssa.Convert, *ssa.BinOp:
		default:
			return false
		}
	}
	return true
}

// swaps reports whether fn calls CompareAndSwap.
func swaps(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if site, ok := instr.(ssa.CallInstruction); ok {
				if _, name := atomicCall(site); strings.HasPrefix(name, "CompareAndSwap") {
					return true
				}
			}
		}
	}
	return false
}

// dependsOn reports whether v is computed from w.
func dependsOn(v, w ssa.Value, depth int) bool {
	if v == w {
		return true
	}
	if depth == 0 {
		return false
	}
	switch x := v.(type) {
	case *ssa.BinOp:
		return dependsOn(x.X, w, depth-1) || dependsOn(x.Y, w, depth-1)
	case *ssa.UnOp:
		return x.Op != token.MUL && dependsOn(x.X, w, depth-1)
	case *ssa.Convert:
		return dependsOn(x.X, w, depth-1)
	case *ssa.ChangeType:
		return dependsOn(x.X, w, depth-1)
	}
	return false
}

// decides reports whether the block of instr is executed for only one outcome of a comparison of l.
func (p *pass) decides(l *ssa.Call, instr ssa.Instruction) bool {
	for b := instr.Block().Idom(); b != nil; b = b.Idom() {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !comparesTo(br.Cond, l, 4) {
			continue
		}
		return splits(b, instr)
	}
	return false
}

// byFlag reports whether x and y are executed for different values of a bool that is a field.
func byFlag(x, y ssa.Instruction) bool {
	if x.Parent() != y.Parent() {
		return false
	}
	return slices.ContainsFunc(x.Parent().Blocks, func(b *ssa.BasicBlock) bool {
		test, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			return false
		}
		cond := test.Cond
		if not, ok := cond.(*ssa.UnOp); ok && not.Op == token.NOT {
			cond = not.X
		}
		load, ok := cond.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return false
		}
		if _, ok := load.X.(*ssa.FieldAddr); !ok {
			return false
		}
		on := func(s *ssa.BasicBlock, instr ssa.Instruction) bool {
			return len(s.Preds) == 1 && (s == instr.Block() || s.Dominates(instr.Block()))
		}
		yes, no := b.Succs[0], b.Succs[1]
		return on(yes, x) && on(no, y) || on(yes, y) && on(no, x)
	})
}

// splits reports whether instr is executed for only one outcome of the branch at the end of b.
func splits(b *ssa.BasicBlock, instr ssa.Instruction) bool {
	return slices.ContainsFunc(b.Succs, func(s *ssa.BasicBlock) bool {
		return (s == instr.Block() || s.Dominates(instr.Block())) && len(s.Preds) == 1
	})
}

func comparesTo(v, w ssa.Value, depth int) bool {
	if v == w {
		return true
	}
	if depth == 0 {
		return false
	}
	switch x := v.(type) {
	case *ssa.BinOp:
		return comparesTo(x.X, w, depth-1) || comparesTo(x.Y, w, depth-1)
	case *ssa.UnOp:
		return x.Op == token.NOT && comparesTo(x.X, w, depth-1)
	}
	return false
}
