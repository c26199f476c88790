package oracle

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/fieldaccess"
	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/mhb"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/static/pointer"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A State shows the present state of a machine to static analyses: it implements
// fieldaccess.State and mhb.State. What it finds out about goroutines and objects
// it keeps as long as it is true.
type State struct {
	Machine *vm.Machine
	Graph   *static.CallGraph
	// Accesses answers which accesses goroutines may still make.
	Accesses *fieldaccess.Oracle

	sizes types.Sizes
	objs  map[objectClass]static.Set
	sets  map[identity]static.Set
	reach *reach

	stacks []*stack // by goroutine
}

var _ mhb.State = (*State)(nil)

// NewState returns the view of m, which executes prog. acc are the accesses of a
// program with the call graph g.
func NewState(m *vm.Machine, prog *load.Program, g *static.CallGraph, acc *fieldaccess.Oracle) *State {
	s := &State{Machine: m, Graph: g, Accesses: acc, sizes: prog.Sizes, objs: make(map[objectClass]static.Set), sets: make(map[identity]static.Set)}
	s.reach = newReach(s)
	return s
}

// Futures returns what goroutines may still do, on which Accesses is based.
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
	obj := s.Machine.Object(id)
	l = fieldaccess.Location{Type: obj.Type, Off: int64(off), Size: int64(size)}
	l.Objs = s.abstract(&obj)
	return l, obj.Map
}

// objectClass is what the abstract objects of an object of the machine depend on.
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
	if _, ok := s.Machine.Word(p); !ok {
		return fieldaccess.Location{}, false
	}
	l, isMap := s.location(uint32(p>>32), uint32(p), uint32(size))
	return l, !isMap
}

// Live implements mhb.State.
func (s *State) Live(buf []trace.GID) []trace.GID {
	s.Machine.Live(func(g trace.GID) { buf = append(buf, g) })
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

func (s *State) stackOf(g trace.GID) *stack {
	for int(g) >= len(s.stacks) {
		s.stacks = append(s.stacks, new(stack))
	}
	k := s.stacks[g]
	if now := s.Machine.Moment(); k.moment != now {
		k.moment, k.where = now, s.Machine.StackFingerprint(g)
	}
	return k
}

// StackFingerprint implements mhb.State.
func (s *State) StackFingerprint(g trace.GID) [2]uint64 { return s.stackOf(g).where }

// Stack implements mhb.State. Frames are made anew only if g stands elsewhere.
func (s *State) Stack(g trace.GID) []hybrid.Frame { return s.activations(g).frames }

func (s *State) activations(g trace.GID) *stack {
	k := s.stackOf(g)
	if k.at != k.where {
		k.at = k.where
		k.acts = s.Machine.Activations(g, k.acts[:0])
		k.frames = AppendFrames(k.frames[:0], k.acts)
	}
	return k
}

// Register implements mhb.State.
func (s *State) Register(g trace.GID, i int, v ssa.Value, k int) (uint64, bool) {
	return s.Machine.Register(g, &s.activations(g).acts[i], v, k)
}

// Deferred implements mhb.State.
func (s *State) Deferred(g trace.GID, i int) (list []mhb.Deferred) {
	s.Machine.Deferred(g, &s.activations(g).acts[i], func(d vm.Deferred) {
		list = append(list, mhb.Deferred{Fn: d.Fn, Args: d.Args, Captured: d.Captured})
	})
	return list
}

// Objects implements mhb.State.
func (s *State) Objects(obj uint32) static.Set {
	site, layout := s.Machine.AllocationIdentity(obj)
	k := identity{site, layout, 0}
	if site == 0 {
		k.static = obj
	}
	set, ok := s.sets[k]
	if !ok {
		info := s.Machine.Object(obj)
		set = s.abstract(&info)
		s.sets[k] = set
	}
	return set
}

// identity is what an object's abstract objects depend on.
type identity struct {
	site   uint64
	layout uint32
	static uint32 // its number, if it is a static object
}

// Private implements mhb.State.
func (s *State) Private(obj uint32) bool { return s.Machine.Unescaped(obj) }

// IsMap implements mhb.State.
func (s *State) IsMap(obj uint32) bool { return s.Machine.IsMap(obj) }

// CanMove implements mhb.State.
func (s *State) CanMove(g trace.GID) bool { return s.Machine.CanStep(g) }

// Next implements mhb.State.
func (s *State) Next(g trace.GID) trace.Op { return s.Machine.Next(g) }

// Identity implements mhb.State.
func (s *State) Identity(obj uint32) mhb.Identity {
	site, layout := s.Machine.AllocationIdentity(obj)
	return mhb.Identity{Site: site, Layout: layout}
}

// FullNoReceiver implements mhb.State.
func (s *State) FullNoReceiver(p uint64) bool { return s.Machine.FullNoReceiver(p) }

// LockerAt implements mhb.State.
func (s *State) LockerAt(p uint64) (uint64, bool) { return s.Machine.LockerAt(p) }

// Reaches implements mhb.State.
func (s *State) Reaches(g trace.GID, targets []uint32, acc static.Set) bool {
	return s.reach.reaches(g, targets, acc)
}

// TypeOf implements mhb.State.
func (s *State) TypeOf(w uint64) types.Type { return s.Machine.DynamicType(w) }

// Word implements mhb.State.
func (s *State) Word(p uint64) (uint64, bool) { return s.Machine.Word(p) }

// EmptyNoSender implements mhb.State.
func (s *State) EmptyNoSender(p uint64) bool { return s.Machine.EmptyNoSender(p) }

// Address implements mhb.State.
func (s *State) Address(g *ssa.Global) uint64 { return s.Machine.Address(g) }

// AppendFrames appends the frames of a stack as static analyses see them.
func AppendFrames(list []hybrid.Frame, acts []vm.Activation) []hybrid.Frame {
	for _, a := range acts {
		list = append(list, hybrid.Frame{Fn: a.Fn, Instr: a.Instr, Unwinding: a.Unexecuted, Recovered: a.Recovered, Main: a.Func == 0, ID: uint64(a.Func)<<32 | uint64(a.PC)})
	}
	return list
}

// mapType returns the type of the map g is about to access, from the
// instruction that does it; nil if that is none of the map instructions.
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
	goOn := true
	s.Machine.Live(func(id trace.GID) {
		if id == g || !goOn {
			return
		}
		goOn = visit(s.activations(id).frames)
	})
}
