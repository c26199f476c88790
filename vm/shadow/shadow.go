// Package shadow keeps values beside the concrete ones of a program: terms, which depend on inputs
// (hbtest.Nondet), and labels, which mark random values and numbers computed from clock reads, for which
// the machine tries one value. Both are shadows: a register or a part of memory refers to its shadow,
// beside its bits. Package vm calls [Symbols.Before] or [Symbols.BeforeDrawn] before each instruction of a
// program with shadows, and a method of Symbols where its own code moves values.
//
//	shadow.go   the interface to the machine           goroutine.go what instructions read and write
//	decide.go   terms: decisions, the path condition   inputs.go    variables, and their least values
//	exec.go     instructions on terms                  slow.go      those that are less frequent
//	arith.go    their results                          moving.go    shadows that other code moves
//	memory.go   shadows of bytes                       deferred.go  work after an instruction
//	concrete.go where terms end: values, enumerated    solver.go    which values are possible
//	lookup.go   elements with symbolic indices         equal.go     comparisons of structs and interfaces
//	runes.go    runes and their bytes                  search.go    searches in bytes
//	native.go   calls of natives                       atomic.go    package sync/atomic
//	log.go      the log of a test                      unwind.go    loops that inputs bound
//	hash.go     shadows in fingerprints
//	names.go    numbers used as names                  elements.go  elements whose indices are names
//	labels.go   labels until something depends on them
//	    _exec   instructions on labels                 _skip        code without labels
//	    _native natives on labels; atomic operations   _copy        labels in copies of machines
//	    _rates  how fast numbers of the clock grow     make.go      values of types
package shadow

import (
	"go/token"
	"go/types"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// Machine has the methods of the machine that Symbols calls.
type Machine interface {
	// Choose reports whether g's decision among n outcomes may be executed now, for the outcome g.Choice;
	// otherwise it becomes pending.
	Choose(g *Goroutine, n int) bool
	// WaitForever lets g wait, because an assumption of the program does not hold.
	WaitForever(g *Goroutine)
	// PanicShift raises the panic of a shift by a negative number.
	PanicShift(g *Goroutine)

	// These end the execution: no input leads here; g's loop has been unwound as often as is allowed; there
	// are no terms for g's operation.
	Infeasible(g *Goroutine)
	Unwound(g *Goroutine)
	Refuse(g *Goroutine, what string)

	// These name an assumption: one of several values of a term is tried; the behaviour depends on a draw.
	// Looked reports whether the draw is random. Then its labels have served their purpose (claim 6 of
	// labels.go).
	Concretised(g *Goroutine)
	Looked(d Draw) (random bool)

	// NotesAlike reports whether the operation Clock of g records the same for all values of its operands.
	NotesAlike(g *Goroutine, in *bytecode.Instr, word int64) bool
	// Compared records that a comparison has another result if d more nanoseconds pass.
	Compared(g *Goroutine, d int64)

	// Native returns the native function of that number.
	Native(i uint32) Native
	// Makes returns the types of the symbolic values that the call of that native makes.
	Makes(g *Goroutine, i uint32) []types.Type
	// SavedFrom returns the first stack word of g such that it and those above may change until a rewind.
	SavedFrom(g *Goroutine) uint32
	// EachFunction calls f for the functions that g executes, the innermost first, until f returns false.
	EachFunction(g *Goroutine, f func(fn *bytecode.Func) bool)

	// Layout returns the layout of a type of the program.
	Layout(t types.Type) *layout.Layout
	// MapType returns the layouts of keys and elements of the map type of that layout number.
	MapType(id uint32) (key, elem *layout.Layout)
	// Keys returns the keys, which are integers, of a map of that type, in the order of insertion.
	Keys(id uint32, p heap.Ptr) []uint64
	// EachName calls f for the names that goroutines have been given in the present state.
	EachName(f func(name uint32))
	// KeysAt returns the addresses of the keys of a map of that type, and the size of a key.
	KeysAt(id uint32, p heap.Ptr) (keys []heap.Ptr, size uint32)
	// Dynamic returns the layout of a type word's type, and whether its values are stored in the
	// interface's data word; nil if word is not a type word.
	Dynamic(word uint64) (l *layout.Layout, direct bool)
	// EqualInterfaces compares two interface values; ok is false if that panics.
	EqualInterfaces(a, b *[2]uint64) (eq, ok bool)
	// Alloc allocates an object of n bytes for g: elements of that layout number.
	Alloc(g *Goroutine, n, layout uint32) heap.Ptr
	// EachPtr calls f for the references in an object.
	EachPtr(o *heap.Object, f func(w uint64))
}

// A Native is a native function of the machine, as far as shadows are concerned.
type Native struct {
	Name     string
	Symbolic bool // it handles terms and labels
	Labels   bool // it handles labels
	Makes    bool // it makes symbolic values: see Machine.Makes
}

// A Draw is a place where the machine has tried one of many values.
type Draw struct {
	What int // the kind of value, as the machine numbers them
	Pos  token.Position
}

// A Host is the machine with the parts of it that Symbols uses directly.
type Host struct {
	Machine  Machine
	Heap     *heap.Heap
	Layouts  *layout.Table
	Prog     *load.Program
	Tracking *bool  // values may have shadows; a part of the state
	Multi    *bool  // a second goroutine has existed on this path
	Unwind   int    // the bound on decisions of a goroutine at one place; < 0: no bound
	ByteID   uint32 // the layout number of bytes
	InputLen int    // the greatest length of strings and slices in inputs
	Solver   string
}

// New returns symbols without any shadow.
func New(h Host) *Symbols {
	s := &Symbols{ctx: symbolic.NewContext(), memory: map[uint32][]cell{}, packed: map[*symbolic.Term][]Part{}, texts: map[uint32]bool{}}
	s.attach(h)
	return s
}

// attach makes s the symbols of a machine.
func (s *Symbols) attach(h Host) {
	s.Configure(h)
	s.global.init(s, h.Solver)
	s.own.init(s, h.Solver)
}

// Configure takes the bounds of another configuration of the same machine.
func (s *Symbols) Configure(h Host) {
	s.m, s.heap, s.layouts, s.prog, s.tracking, s.multi = h.Machine, h.Heap, h.Layouts, h.Prog, h.Tracking, h.Multi
	s.unwind, s.inputLen, s.byteID = h.Unwind, h.InputLen, h.ByteID
}
