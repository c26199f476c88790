package explore

import (
	"fmt"
	"time"

	"go/types"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/fieldaccess"
	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/mhb"
	"hbcheck.dev/hbcheck/mhb/patterns"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/static/pointer"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// Hybrid is how much of the static analyses an exploration uses.
type Hybrid string

const (
	NoHybrid    Hybrid = "none"
	FieldAccess Hybrid = "fa"       // the field access analysis
	MHB         Hybrid = "mhb"      // and may-happen-before reasoning on top of it
	FullHybrid  Hybrid = "full"     // and everything else that is known
	Patterns    Hybrid = "patterns" // the paper's four patterns instead of MHB's closure
)

// Hybrids lists the values of --hybrid; each knows what the one before it knows.
func Hybrids() []Hybrid { return []Hybrid{NoHybrid, FieldAccess, MHB, FullHybrid} }

// ParseHybrid reads the value of --hybrid.
func ParseHybrid(s string) (Hybrid, error) {
	switch h := Hybrid(s); h {
	case NoHybrid, FieldAccess, MHB, FullHybrid, Patterns:
		return h, nil
	}
	return "", fmt.Errorf("--hybrid %s: there are none, fa, mhb, full", s)
}

// hybridMachine is a machine that can be asked by static analyses.
type hybridMachine interface {
	oracle(h Hybrid) (por.Oracle, time.Duration)
	// patience is how many choices cost about as much as the analysis.
	patience() int
}

// oracle implements hybridMachine.
func (m *machine) oracle(h Hybrid) (por.Oracle, time.Duration) {
	begin := time.Now()
	return NewOracle(m.Machine, m.prog, m.entry, h), time.Since(begin)
}

// patience implements hybridMachine. The analysis of a test with package testing
// (2200 declared functions) takes 40 ms, that of a program with net/http (7700) half a
// minute; a choice, some microseconds. Most tests have less than a hundred.
func (m *machine) patience() int {
	n := m.prog.Size()
	large := max(0, n-2500)
	return n/4 + large*large/10
}

// lateOracle is an oracle that is made when it is first asked: a program whose
// goroutines never meet is not analysed.
type lateOracle struct {
	h      hybridMachine
	hybrid Hybrid
	wait   int // how many questions it does without
	made   por.Oracle
	watch  por.Watcher // made, if it is one
	took   time.Duration
}

// Skip implements por.Oracle.
func (o *lateOracle) Skip(g trace.GID, op *trace.Op) string {
	if o.wait > 0 {
		o.wait--
		return ""
	}
	if o.made == nil {
		o.made, o.took = o.h.oracle(o.hybrid)
		o.watch, _ = o.made.(por.Watcher)
	}
	return o.made.Skip(g, op)
}

// Stepping implements por.Watcher.
func (o *lateOracle) Stepping(g trace.GID, op *trace.Op) {
	if o.watch != nil {
		o.watch.Stepping(g, op)
	}
}

// Rewound implements por.Watcher.
func (o *lateOracle) Rewound() {
	if o.watch != nil {
		o.watch.Rewound()
	}
}

// NewOracle analyses the program of m, which explores e, and returns an oracle
// that looks at m's present states.
func NewOracle(m *vm.Machine, prog *load.Program, e *load.Entry, h Hybrid) por.Oracle {
	return NewAnalysis(m, prog, e).Oracle(h, 0)
}

// Analysis is what oracles on one machine can share.
type Analysis struct {
	m       *vm.Machine
	prog    *load.Program
	entry   *load.Entry
	graph   *static.CallGraph
	base    *static.Base
	futures *hybrid.Futures
	fa      *fieldaccess.Oracle
	copies  bool
}

// NewAnalysis analyses the program of m, which explores e.
func NewAnalysis(m *vm.Machine, prog *load.Program, e *load.Entry) *Analysis {
	graph := static.NewCallGraph(prog, e, natives{m})
	base := static.NewBase(graph)
	futures := hybrid.New(static.NewFieldAccess(base))
	return &Analysis{base: base, m: m, prog: prog, entry: e, graph: graph, futures: futures, fa: fieldaccess.New(futures, prog.Sizes), copies: graph.CopiesLocks() || overwritesLocks(graph, natives{m})}
}

// Oracle returns an oracle that does without the stages in off.
func (a *Analysis) Oracle(h Hybrid, off mhb.Stages) por.Oracle {
	o := &oracle{m: a.m, graph: a.graph, objs: make(map[objsKey]static.Set), sets: make(map[identity]static.Set), sizes: a.prog.Sizes, fa: a.fa}
	closure := func(level mhb.Level) {
		c := mhb.New(level, a.fa, a.futures, program{a.graph, a.m})
		c.CopiesLocks, c.Off = a.copies, off
		o.mhb = c
	}
	switch h {
	case MHB:
		closure(mhb.Plain)
	case FullHybrid:
		closure(mhb.Full)
	case Patterns:
		if !a.copies { // whoever overwrites a mutex unlocks it, which the patterns do not look for
			o.mhb = patterns.New(a.fa, a.base, program{a.graph, a.m}, a.entry.Func)
		}
	}
	o.reach = newReach(o, a.futures)
	a.futures.F.Whole(a.entry.Func)
	if h == FullHybrid {
		// Looking costs less than the walk: it executes what the walk imagines.
		quick := *o
		quick.mhb = nil
		return por.NewLookAhead(a.m, &quick, o)
	}
	return o
}

// program adds what the machine knows of captured variables.
type program struct {
	*static.CallGraph
	m *vm.Machine
}

func (p program) ByValue(fn *ssa.Function, i int) bool { return p.m.ByValue(fn, i) }

// natives tells static analyses of the machine's natives.
type natives struct{ m *vm.Machine }

func (n natives) Native(fn *ssa.Function) bool  { return n.m.IsNative(fn) }
func (n natives) Trusted(fn *ssa.Function) bool { return n.m.IsTrusted(fn) }

// oracle shows a machine's state to the static analyses.
type oracle struct {
	m     *vm.Machine
	graph *static.CallGraph
	objs  map[objsKey]static.Set
	sets  map[identity]static.Set
	sizes types.Sizes
	fa    *fieldaccess.Oracle
	mhb   interface { // nil: only field accesses
		Skip(s mhb.State, g trace.GID, op *trace.Op) string
	}
	reach *reach

	stacks []*stack // by goroutine
}

// Skip implements por.Oracle.
func (f *oracle) Skip(g trace.GID, op *trace.Op) string {
	switch {
	case f.mhb != nil:
		return f.mhb.Skip(f, g, op)
	case op.Kind.Plain() && f.fa.Skip(f, g):
		return fieldaccess.Reason
	}
	return ""
}

// Locations implements fieldaccess.State.
func (f *oracle) Locations(g trace.GID, buf []fieldaccess.Location) ([]fieldaccess.Location, bool) {
	op := f.m.Next(g)
	for _, a := range op.Access[:op.N] {
		l, isMap := f.location(a.Obj, a.Off, a.Size)
		l.Write = a.Write
		if isMap {
			if l.Map = f.mapType(g); l.Map == nil {
				return buf, false
			}
		}
		buf = append(buf, l)
	}
	return buf, op.N > 0
}

func (f *oracle) location(id, off, size uint32) (l fieldaccess.Location, isMap bool) {
	obj := f.m.Object(id)
	l = fieldaccess.Location{Type: obj.Type, Off: int64(off), Size: int64(size)}
	l.Objs = f.abstract(&obj)
	return l, obj.Map
}

// objsKey is what the abstract objects of an object of the machine depend on.
type objsKey struct {
	site   any
	typ    types.Type
	header bool
}

// abstract returns the objects of the points-to analysis that may stand for
// obj; Empty stands for all.
func (f *oracle) abstract(obj *vm.ObjectInfo) static.Set {
	k := objsKey{site: obj.Site, typ: obj.Type, header: obj.Map}
	if obj.Global != nil {
		k.site = obj.Global
	}
	s, ok := f.objs[k]
	if !ok {
		switch site := k.site.(type) {
		case *ssa.Global:
			s = f.graph.Objects([]*pointer.Object{f.graph.Pointers.Global(site)})
		case ssa.Instruction:
			t := obj.Type
			if obj.Map {
				t = nil
			}
			s = f.graph.Objects(f.graph.Pointers.Allocated(site, pointer.Unknown, t))
		}
		f.objs[k] = s
	}
	return s
}

// LocationAt implements mhb.State.
func (f *oracle) LocationAt(p uint64, size int64) (fieldaccess.Location, bool) {
	if _, ok := f.m.Word(p); !ok {
		return fieldaccess.Location{}, false
	}
	l, isMap := f.location(uint32(p>>32), uint32(p), uint32(size))
	return l, !isMap
}

// Live implements mhb.State.
func (f *oracle) Live(buf []trace.GID) []trace.GID {
	f.m.Live(func(g trace.GID) { buf = append(buf, g) })
	return buf
}

// stack is what is known of a goroutine's stack.
type stack struct {
	moment uint64 // the state in which where was found
	where  [2]uint64
	acts   []vm.Activation // of where it stood at
	frames []hybrid.Frame
	at     [2]uint64
}

func (f *oracle) stackOf(g trace.GID) *stack {
	for int(g) >= len(f.stacks) {
		f.stacks = append(f.stacks, new(stack))
	}
	s := f.stacks[g]
	if now := f.m.Moment(); s.moment != now {
		s.moment, s.where = now, f.m.StackFingerprint(g)
	}
	return s
}

// Where implements mhb.State.
func (f *oracle) Where(g trace.GID) [2]uint64 { return f.stackOf(g).where }

// Stack implements mhb.State. Frames are made anew only if g stands elsewhere.
func (f *oracle) Stack(g trace.GID) []hybrid.Frame { return f.activations(g).frames }

func (f *oracle) activations(g trace.GID) *stack {
	s := f.stackOf(g)
	if s.at != s.where {
		s.at = s.where
		s.acts = f.m.Activations(g, s.acts[:0])
		s.frames = appendFrames(s.frames[:0], s.acts)
	}
	return s
}

// Register implements mhb.State.
func (f *oracle) Register(g trace.GID, i int, v ssa.Value, k int) (uint64, bool) {
	return f.m.Register(g, &f.activations(g).acts[i], v, k)
}

// Deferred implements mhb.State.
func (f *oracle) Deferred(g trace.GID, i int) (list []mhb.Deferred) {
	f.m.Deferred(g, &f.activations(g).acts[i], func(d vm.Deferred) {
		list = append(list, mhb.Deferred{Fn: d.Fn, Args: d.Args, Captured: d.Captured})
	})
	return list
}

// Objects implements mhb.State.
func (f *oracle) Objects(obj uint32) static.Set {
	site, layout := f.m.AllocationIdentity(obj)
	k := identity{site, layout, 0}
	if site == 0 {
		k.static = obj
	}
	s, ok := f.sets[k]
	if !ok {
		info := f.m.Object(obj)
		s = f.abstract(&info)
		f.sets[k] = s
	}
	return s
}

// identity is what an object's abstract objects depend on.
type identity struct {
	site   uint64
	layout uint32
	static uint32 // its number, if it is a static object
}

// Private implements mhb.State.
func (f *oracle) Private(obj uint32) bool { return f.m.Unescaped(obj) }

// IsMap implements mhb.State.
func (f *oracle) IsMap(obj uint32) bool { return f.m.IsMap(obj) }

// CanMove implements mhb.State.
func (f *oracle) CanMove(g trace.GID) bool { return f.m.CanStep(g) }

// Next implements mhb.State.
func (f *oracle) Next(g trace.GID) trace.Op { return f.m.Next(g) }

// Identity implements mhb.State.
func (f *oracle) Identity(obj uint32) mhb.Identity {
	site, layout := f.m.AllocationIdentity(obj)
	return mhb.Identity{Site: site, Layout: layout}
}

// Stuffed implements mhb.State.
func (f *oracle) Stuffed(p uint64) bool { return f.m.FullNoReceiver(p) }

// LockerAt implements mhb.State.
func (f *oracle) LockerAt(p uint64) (uint64, bool) { return f.m.LockerAt(p) }

// Reaches implements mhb.State.
func (f *oracle) Reaches(g trace.GID, targets []uint32, acc static.Set) bool {
	return f.reach.reaches(g, targets, acc)
}

// TypeOf implements mhb.State.
func (f *oracle) TypeOf(w uint64) types.Type { return f.m.DynamicType(w) }

// Word implements mhb.State.
func (f *oracle) Word(p uint64) (uint64, bool) { return f.m.Word(p) }

// Silent implements mhb.State.
func (f *oracle) Silent(p uint64) bool { return f.m.EmptyNoSender(p) }

// Address implements mhb.State.
func (f *oracle) Address(g *ssa.Global) uint64 { return f.m.Address(g) }

func appendFrames(list []hybrid.Frame, acts []vm.Activation) []hybrid.Frame {
	for _, a := range acts {
		list = append(list, hybrid.Frame{Fn: a.Fn, Instr: a.Instr, Again: a.Unexecuted, Recovered: a.Recovered, Main: a.Func == 0, ID: uint64(a.Func)<<32 | uint64(a.PC)})
	}
	return list
}

// mapType returns the type of the map g is about to access, from the
// instruction that does it; nil if that is none of the map instructions.
func (f *oracle) mapType(g trace.GID) types.Type {
	switch v := f.activations(g).acts[0].Instr.(type) {
	case *ssa.Lookup:
		return v.X.Type()
	case *ssa.MapUpdate:
		return v.Map.Type()
	case *ssa.Next:
		return v.Iter.(*ssa.Range).X.Type()
	case *ssa.Call:
		if _, ok := v.Call.Value.(*ssa.Builtin); ok {
			if t := v.Call.Args[0].Type(); isMap(t) {
				return t
			}
		}
	}
	return nil
}

func isMap(t types.Type) bool { _, ok := t.Underlying().(*types.Map); return ok }

// Others implements fieldaccess.State.
func (f *oracle) Others(g trace.GID, visit func(stack []hybrid.Frame) bool) {
	goOn := true
	f.m.Live(func(id trace.GID) {
		if id == g || !goOn {
			return
		}
		goOn = visit(f.activations(id).frames)
	})
}
