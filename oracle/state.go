package oracle

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/fieldaccess"
	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/mhb"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/static/pointer"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A State shows the present state of a machine to static analyses. It implements those methods of
// fieldaccess.State and mhb.State that the machine lacks. It caches facts about goroutines and objects as
// long as they hold.
type State struct {
	*vm.Machine
	vm.StaticView
	Graph *static.CallGraph
	// Accesses answers which accesses goroutines may still make.
	Accesses *fieldaccess.Oracle

	sizes types.Sizes
	objs  map[objectClass]static.Set
	sets  map[identity]static.Set
	reach *reach
	cases []por.Case // buffer

	stacks []*stack // by goroutine: its stack
}

var _ mhb.State = (*State)(nil)

// NewState returns the view of m, which executes prog. acc are the accesses of a
// program with the call graph g.
func NewState(m *vm.Machine, prog *load.Program, g *static.CallGraph, acc *fieldaccess.Oracle) *State {
	s := &State{Machine: m, StaticView: m.StaticView(), Graph: g, Accesses: acc, sizes: prog.Sizes,
		objs: make(map[objectClass]static.Set), sets: make(map[identity]static.Set)}
	s.reach = newReach(s)
	return s
}

// Futures returns the futures of goroutines, on which Accesses is based.
func (s *State) Futures() *hybrid.Futures { return s.Accesses.Futures() }

// Locations implements fieldaccess.State.
func (s *State) Locations(g trace.GID, buf []fieldaccess.Location) ([]fieldaccess.Location, bool) {
	op := s.Machine.Next(g)
	for _, a := range op.Access[:op.N] {
		l, isMap := s.location(a.Obj, a.Off, a.Size)
		l.Write = a.Write
		if isMap {
			if l.Map = s.mapType(g); l.Map == nil {
				return buf, false
			}
		}
		buf = append(buf, l)
	}
	return buf, op.N > 0
}

func (s *State) location(id, off, size uint32) (l fieldaccess.Location, isMap bool) {
	obj := s.Machine.StaticView().Object(id)
	l = fieldaccess.Location{Type: obj.Type, Off: int64(off), Size: int64(size)}
	l.Objs = s.abstract(&obj)
	return l, obj.Map
}

// objectClass has the data on which the abstract objects of an object of the machine depend.
type objectClass struct {
	site   any
	typ    types.Type
	header bool
}

// abstract returns the objects of the points-to analysis that may stand for
// obj; Empty stands for all.
func (s *State) abstract(obj *vm.ObjectInfo) static.Set {
	k := objectClass{site: obj.Site, typ: obj.Type, header: obj.Map}
	if obj.Global != nil {
		k.site = obj.Global
	}
	set, ok := s.objs[k]
	if !ok {
		switch site := k.site.(type) {
		case *ssa.Global:
			set = s.Graph.Objects([]*pointer.Object{s.Graph.Pointers.Global(site)})
		case ssa.Instruction:
			t := obj.Type
			if obj.Map {
				t = nil
			}
			set = s.Graph.Objects(s.Graph.Pointers.Allocated(site, pointer.Unknown, t))
		}
		s.objs[k] = set
	}
	return set
}

// LocationAt implements mhb.State.
func (s *State) LocationAt(p uint64, size int64) (fieldaccess.Location, bool) {
	if _, ok := s.Machine.StaticView().Word(p); !ok {
		return fieldaccess.Location{}, false
	}
	l, isMap := s.location(uint32(p>>32), uint32(p), uint32(size))
	return l, !isMap
}

// Live implements mhb.State. It omits the collector, which cannot act as long as the goroutine of the query
// is enabled. That goroutine stays enabled until another one has executed a conflicting operation.
func (s *State) Live(buf []trace.GID) []trace.GID {
	s.Machine.Live(func(g trace.GID) {
		if !s.Collector(g) {
			buf = append(buf, g)
		}
	})
	return buf
}

// stack has the facts about a goroutine's stack.
type stack struct {
	stamp       uint64 // when the fingerprint was taken: see vm.StaticView.Stamp
	fingerprint [2]uint64

	// acts and frames were computed from the stack with the fingerprint that the field of has.
	acts   []vm.Activation
	frames []hybrid.Frame
	of     [2]uint64

	deferred [][]mhb.Deferred // by frame: the known deferred calls; nil: not known
}

func (s *State) stackOf(g trace.GID) *stack {
	for int(g) >= len(s.stacks) {
		s.stacks = append(s.stacks, new(stack))
	}
	k := s.stacks[g]
	if now := s.Stamp(g); k.stamp != now {
		k.stamp, k.fingerprint = now, s.Machine.StaticView().StackFingerprint(g)
		k.deferred = k.deferred[:0]
	}
	return k
}

// StackFingerprint implements mhb.State.
func (s *State) StackFingerprint(g trace.GID) [2]uint64 { return s.stackOf(g).fingerprint }

// Stack implements mhb.State. Frames are made anew only if the stack has changed.
func (s *State) Stack(g trace.GID) []hybrid.Frame { return s.activations(g).frames }

func (s *State) activations(g trace.GID) *stack {
	k := s.stackOf(g)
	if k.of != k.fingerprint {
		k.of = k.fingerprint
		k.acts = s.Machine.StaticView().Activations(g, k.acts[:0])
		k.frames = AppendFrames(k.frames[:0], k.acts)
	}
	return k
}

// Register implements mhb.State.
func (s *State) Register(g trace.GID, i int, v ssa.Value, k int) (uint64, bool) {
	return s.Machine.StaticView().Register(g, &s.activations(g).acts[i], v, k)
}

// Deferred implements mhb.State.
func (s *State) Deferred(g trace.GID, i int) []mhb.Deferred {
	k := s.activations(g)
	for i >= len(k.deferred) {
		k.deferred = append(k.deferred, nil)
	}
	if k.deferred[i] == nil {
		list := none
		s.Machine.StaticView().Deferred(g, &k.acts[i], func(d vm.Deferred) {
			list = append(list, mhb.Deferred{Fn: d.Fn, Builtin: d.Builtin, Args: d.Args, Captured: d.Captured})
		})
		k.deferred[i] = list
	}
	return k.deferred[i]
}

var none = []mhb.Deferred{}

// Cases implements mhb.State.
func (s *State) Cases(g trace.GID, buf []mhb.Case) (cases []mhb.Case, ok bool) {
	ok = s.Machine.StaticView().ByChannels()
	s.cases, _ = s.Machine.Cases(g, s.cases[:0])
	op := s.Machine.Next(g)
	closes := op.Kind == trace.Close
	if closes && op.N > 0 {
		s.cases = append(s.cases, por.Case{Chan: op.Access[0].Obj})
	}
	for _, c := range s.cases {
		if c.Chan == 0 {
			continue
		}
		h, ofTimer := s.Machine.StaticView().Channel(c.Chan)
		//mutant: channels: timers are other goroutines [channels timerMeanwhile]
		ok = ok && !ofTimer
		buf = append(buf, mhb.Case{Chan: c.Chan, Send: c.Send, Closes: closes, Len: h.Len, Room: h.Room, Closed: h.Closed})
	}
	return buf, ok
}

// Objects implements mhb.State.
func (s *State) Objects(obj uint32) static.Set {
	site, layout := s.Machine.StaticView().AllocationIdentity(obj)
	k := identity{site, layout, 0}
	if site == 0 {
		k.static = obj
	}
	set, ok := s.sets[k]
	if !ok {
		info := s.Machine.StaticView().Object(obj)
		set = s.abstract(&info)
		s.sets[k] = set
	}
	return set
}

// identity has the data on which an object's abstract objects depend.
type identity struct {
	site   uint64
	layout uint32
	static uint32 // number of a static object; otherwise 0
}

// Private implements mhb.State.
func (s *State) Private(obj uint32) bool { return s.Machine.StaticView().Unescaped(obj) }

// CanMove implements mhb.State.
func (s *State) CanMove(g trace.GID) bool { return s.Machine.StaticView().CanStep(g) }

// Identity implements mhb.State.
func (s *State) Identity(obj uint32) mhb.Identity {
	site, layout := s.Machine.StaticView().AllocationIdentity(obj)
	return mhb.Identity{Site: site, Layout: layout}
}

// Reaches implements mhb.State.
func (s *State) Reaches(g trace.GID, targets []uint32, acc static.Set) bool {
	return s.reach.reaches(g, targets, acc)
}

// TypeOf implements mhb.State.
func (s *State) TypeOf(w uint64) types.Type { return s.Machine.StaticView().DynamicType(w) }

// AppendFrames appends the frames of a stack as static analyses see them.
func AppendFrames(list []hybrid.Frame, acts []vm.Activation) []hybrid.Frame {
	for _, a := range acts {
		list = append(list, hybrid.Frame{
			Fn: a.Fn, Builtin: a.Builtin, Instr: a.Instr, Unwinding: a.Unexecuted, Recovered: a.Recovered,
			//mutant: runtime.main has nothing left to do [models TestInitialisers]: " && !a.Initialising" -> ""
			Main: a.Func == 0 && !a.Initialising, ID: uint64(a.Func)<<32 | uint64(a.PC),
		})
	}
	return list
}

// mapType returns the type of the map that g is about to access, according to g's next instruction; nil if
// that is not a map instruction.
func (s *State) mapType(g trace.GID) types.Type {
	switch v := s.activations(g).acts[0].Instr.(type) {
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
func (s *State) Others(g trace.GID, visit func(stack []hybrid.Frame) bool) {
	proceed := true
	s.Machine.Live(func(id trace.GID) {
		if id == g || !proceed || s.Collector(id) {
			return
		}
		proceed = visit(s.activations(id).frames)
	})
}
