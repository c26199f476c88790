package progen

import (
	"fmt"
	"slices"
	"strings"
)

// Result has all behaviours of a program.
type Result struct {
	// Outcomes are the pairs of the output and the end of an execution:
	// "exit", "deadlock <lines>", "leak <lines>" (main has returned, others
	// wait forever), "panic: <value>" or "fatal: <text>". Lines are those of
	// the goroutines that wait.
	Outcomes map[string]bool
	// Races are the pairs of lines of conflicting accesses that can be next in
	// two goroutines at the same time.
	Races    map[string]bool
	States   int
	Complete bool // there were no more states than allowed
	Endless  bool // some execution never ends
}

// Outcome is the one text for an execution that Result.Outcomes holds.
func Outcome(printed []string, ending string) string {
	return strings.Join(printed, ";") + "|" + ending
}

// RaceName is the text for a race that Result.Races holds.
func RaceName(line1, line2 int) string {
	return fmt.Sprintf("%d-%d", min(line1, line2), max(line1, line2))
}

// Explore enumerates the states of p. Source must have been called before.
func Explore(p *Prog, maxStates int) Result {
	r := &refMachine{p: p, code: flatten(p)}
	res := Result{Outcomes: map[string]bool{}, Races: map[string]bool{}, Complete: true}
	index := map[string]int{}
	var work []*refState
	var next [][]int // successors by state
	var buf []byte
	add := func(s *refState) int {
		buf = s.key(buf[:0])
		i, known := index[string(buf)]
		if !known {
			i = len(index)
			index[string(buf)] = i
			work = append(work, s)
			next = append(next, nil)
		}
		return i
	}
	add(r.start())
	for i := 0; i < len(work); i++ {
		if len(work) > maxStates {
			res.Complete = false
			break
		}
		s := work[i]
		work[i] = nil
		if s.ending != "" {
			res.Outcomes[s.out+"|"+s.ending] = true
			continue
		}
		r.races(s, res.Races)
		for g := range s.gs {
			for _, t := range r.successors(s, g) {
				k := add(t)
				next[i] = append(next[i], k)
			}
		}
		if len(next[i]) == 0 {
			res.Outcomes[s.out+"|"+r.rest(s)] = true
		}
	}
	res.States = len(work)
	res.Endless = cyclic(next)
	return res
}

// cyclic reports whether a graph has a cycle: not all nodes can be removed
// one after the other, each when no edge leads to it any more.
func cyclic(next [][]int) bool {
	in := make([]int, len(next))
	for _, l := range next {
		for _, k := range l {
			in[k]++
		}
	}
	var free []int
	for i, n := range in {
		if n == 0 {
			free = append(free, i)
		}
	}
	left := len(next)
	for len(free) > 0 {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		left--
		for _, k := range next[i] {
			if in[k]--; in[k] == 0 {
				free = append(free, k)
			}
		}
	}
	return left > 0
}

// refMachine is the reference interpreter.
type refMachine struct {
	p    *Prog
	code [][]instr
}

// start returns the first state: the entry before its first visible operation.
func (r *refMachine) start() *refState {
	p := r.p
	s := &refState{
		cells: make([]int, len(p.cells)), atoms: make([]int, p.Atoms), maps: make([]refMap, p.Maps),
		mus: make([]bool, p.Mus), rws: make([]refRW, p.RWs), conds: make([][]int8, len(p.Conds)),
		wgs: make([]int, p.WGs), onces: make([]onceState, p.Onces), chans: make([]refChan, len(p.Chans)),
	}
	s.gs = []refG{{frames: []refFrame{{fn: 0}}}}
	r.run(s, 0)
	return s
}

// rest returns the end of an execution in which no goroutine can continue.
func (r *refMachine) rest(s *refState) string {
	var lines []int
	for g := range s.gs {
		if len(s.gs[g].frames) > 0 {
			lines = append(lines, r.next(s, g).line)
		}
	}
	slices.Sort(lines)
	switch {
	case len(lines) == 0:
		return "exit"
	case len(s.gs[0].frames) > 0:
		return fmt.Sprintf("deadlock %v", lines)
	}
	return fmt.Sprintf("leak %v", lines)
}

// next returns the next instruction of g, which may be a pseudo one.
func (r *refMachine) next(s *refState, g int) *instr {
	me := &s.gs[g]
	if me.crashing {
		return &instr{op: crash}
	}
	f := &me.frames[len(me.frames)-1]
	if f.leaving {
		return &instr{op: onceLeave, a: f.arg}
	}
	return &r.code[f.fn][f.pc]
}

// races notes the conflicting plain accesses that are next in s.
func (r *refMachine) races(s *refState, found map[string]bool) {
	type access struct {
		loc, line int
		write     bool
	}
	var all []access
	for g := range s.gs {
		if len(s.gs[g].frames) == 0 || s.gs[g].waiting {
			continue
		}
		in := r.next(s, g)
		loc, write := r.plain(s, g, in)
		if loc < 0 {
			continue
		}
		for _, a := range all {
			if a.loc == loc && (a.write || write) {
				found[RaceName(a.line, in.line)] = true
			}
		}
		all = append(all, access{loc, in.line, write})
	}
}

// plain returns the location of a plain access, or -1. Maps come after the cells.
func (r *refMachine) plain(s *refState, g int, in *instr) (loc int, write bool) {
	switch in.op {
	case Load, loadTmp, printCell:
		return in.b, false
	case Store, addTmp:
		return in.b, true
	case LoadAt, LoadAtRaw:
		return r.element(s, g, in), false
	case StoreAt:
		return r.element(s, g, in), true
	case MapGet, MapLen, mapNext, printMap:
		return len(s.cells) + in.a, false
	case MapSet, MapDel:
		return len(s.cells) + in.a, true
	}
	return -1, false
}

// element returns the cell of an indexed access.
func (r *refMachine) element(s *refState, g int, in *instr) int {
	v := r.p.Vars[in.b]
	switch in.op {
	case LoadAt:
		return v.first + int(uint(r.eval(s, g, in.e))%uint(v.N))
	case StoreAt:
		return v.first + int(uint(s.gs[g].l[in.a])%uint(v.N))
	}
	return v.first + r.eval(s, g, in.e)
}

func (r *refMachine) eval(s *refState, g int, e Expr) int {
	if e.L < 0 {
		return e.K
	}
	return s.gs[g].l[e.L] + e.K
}

// run executes g's local instructions until a visible one is pending or it has ended.
func (r *refMachine) run(s *refState, g int) {
	for {
		me := &s.gs[g]
		if len(me.frames) == 0 || me.crashing {
			return
		}
		f := &me.frames[len(me.frames)-1]
		switch {
		case f.leaving:
			return
		case f.ending || f.pc == len(r.code[f.fn]):
			r.finish(s, g)
			continue
		}
		in := &r.code[f.fn][f.pc]
		switch in.op {
		case Set:
			me.l[in.a] = r.eval(s, g, in.e)
		case jump:
			f.pc = in.to
			continue
		case jumpIfNot:
			if me.l[in.a] != in.b {
				f.pc = in.to
				continue
			}
		case jumpTmpNot:
			if me.tmp != in.c {
				f.pc = in.to
				continue
			}
		case Divide:
			if me.l[in.b] == 0 {
				r.panic(f, "runtime error: integer divide by zero")
				continue
			}
			me.l[in.a] = 7 / me.l[in.b]
		case LoadAtRaw:
			i, n := r.eval(s, g, in.e), r.p.Vars[in.b].N
			if i >= 0 && i < n {
				return
			}
			if i < 0 {
				r.panic(f, fmt.Sprintf("runtime error: index out of range [%d]", i))
			} else {
				r.panic(f, fmt.Sprintf("runtime error: index out of range [%d] with length %d", i, n))
			}
			continue
		case mapIter:
			me.iter, me.iterEnd = 0, 0
		case Go:
			f.pc++
			n := refG{frames: []refFrame{{fn: in.fn}}}
			n.l[0] = r.eval(s, g, in.e)
			s.gs = append(s.gs, n)
			r.run(s, len(s.gs)-1)
			continue
		case Call:
			f.pc++
			me.frames = append(me.frames, refFrame{fn: in.fn, kind: callFrame})
			continue
		case Defer:
			f.defers = append(f.defers, in.fn)
		case Recover:
			if n := len(me.frames) - 2; n >= 0 && f.kind == deferFrame && me.frames[n].panicking {
				me.frames[n].panicking, me.frames[n].val = false, ""
				me.l[in.a] = in.b
			}
		case Panic:
			r.panic(f, panicVal(fmt.Sprint(r.eval(s, g, in.e))))
			continue
		case Return:
			f.ending = true
			continue
		default:
			return
		}
		f.pc++
	}
}

// panic raises a panic in frame f.
func (r *refMachine) panic(f *refFrame, val any) {
	f.ending, f.panicking, f.val = true, true, panicVal(fmt.Sprint(val))
}

// finish runs the next deferred call of g's top frame, or leaves the frame.
func (r *refMachine) finish(s *refState, g int) {
	me := &s.gs[g]
	f := &me.frames[len(me.frames)-1]
	f.ending = true
	if n := len(f.defers); n > 0 {
		fn := f.defers[n-1]
		f.defers = f.defers[:n-1]
		me.frames = append(me.frames, refFrame{fn: fn, kind: deferFrame})
		return
	}
	if f.kind == onceFrame && s.onces[f.arg] == onceRunning {
		f.leaving = true
		return
	}
	r.leave(s, g)
}

// leave pops g's top frame, whose deferred calls are done.
func (r *refMachine) leave(s *refState, g int) {
	me := &s.gs[g]
	f := me.frames[len(me.frames)-1]
	if f.kind == bottomFrame {
		if f.panicking {
			me.crashing, me.val = true, f.val
			return
		}
		me.frames = nil
		// The data of an ended goroutine make no difference.
		*me = refG{}
		return
	}
	me.frames = me.frames[:len(me.frames)-1]
	if f.panicking {
		// A deferred call's panic takes the place of its caller's.
		p := &me.frames[len(me.frames)-1]
		p.ending, p.panicking, p.val = true, true, f.val
	}
}
