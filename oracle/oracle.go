package oracle

import (
	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/fieldaccess"
	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/mhb"
	"hbcheck.dev/hbcheck/mhb/patterns"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/lookahead"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/static/pointer"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A Kind says which static analyses an oracle uses.
type Kind string

// The kinds. Each of None, FieldAccess, MHB and Full includes the facts of the one before it. With Parts an
// explorer is given a Partition, too, for choices that MHB does not make unnecessary.
const (
	None        Kind = "none"
	FieldAccess Kind = "fa"       // the field access analysis
	MHB         Kind = "mhb"      // may-happen-before reasoning on top of FieldAccess
	Parts       Kind = "parts"    // MHB, and parts of the goroutines that come first (Partition)
	Full        Kind = "full"     // all other facts besides, and looking ahead
	Patterns    Kind = "patterns" // the four patterns of the paper instead of the closure of MHB
)

// ParseKind returns the kind called s, and whether there is one.
func ParseKind(s string) (Kind, bool) {
	switch k := Kind(s); k {
	case None, FieldAccess, MHB, Parts, Full, Patterns:
		return k, true
	}
	return "", false
}

// New analyses the program of m, which explores e, and returns an oracle on m's
// present states.
func New(m *vm.Machine, prog *load.Program, e *load.Entry, k Kind) por.Oracle {
	return Analyze(m, prog, e).Oracle(k, 0)
}

// An Analysis has the data that oracles on one machine can share.
type Analysis struct {
	over      func() bool
	m         *vm.Machine
	prog      *load.Program
	entry     *load.Entry
	graph     *static.CallGraph
	base      *static.Base
	futures   *hybrid.Futures
	fa        *fieldaccess.Oracle
	copied    static.Set // the objects whose locks may be copied or overwritten,
	anyCopied bool       // all objects are in copied
}

// Analyze analyses the program of m, which explores e.
func Analyze(m *vm.Machine, prog *load.Program, e *load.Entry) *Analysis {
	return AnalyzeUntil(func() bool { return false }, m, prog, e)
}

// AnalyzeUntil is Analyze, but gives up, and returns nil, when over returns true. From then on, answers of
// oracles made from the analysis must not be used.
func AnalyzeUntil(over func() bool, m *vm.Machine, prog *load.Program, e *load.Entry) *Analysis {
	result := pointer.AnalyzeUntil(over, prog, e)
	if result == nil {
		return nil
	}
	graph := static.NewCallGraphOf(prog, result, Natives{m})
	if over() {
		return nil
	}
	base := static.NewBase(graph)
	base.Interrupt = over
	if over() {
		return nil
	}
	futures := hybrid.New(static.NewFieldAccess(base))
	copied, anyCopied := graph.CopiedLocks()
	return &Analysis{over: over, m: m, prog: prog, entry: e, graph: graph, base: base, futures: futures,
		fa: fieldaccess.New(futures, prog.Sizes), copied: copied, anyCopied: anyCopied}
}

// Until sets over, which reports when to give up. An analysis may serve several searches, each with its own
// time limit.
func (a *Analysis) Until(over func() bool) { a.over, a.base.Interrupt = over, over }

// Oracle returns an oracle that does without the stages in off.
func (a *Analysis) Oracle(k Kind, off mhb.Stages) por.Oracle {
	o := &oracle{State: NewState(a.m, a.prog, a.graph, a.fa)}
	closure := func(level mhb.Level) {
		c := mhb.New(level, a.fa, a.futures, program{a.graph, a.m})
		//mutant: locks are not copied [micro structCopy]: "Copied, c.AnyCopied, c.Off = a.copied, a.anyCopied," -> "Off ="
		c.Copied, c.AnyCopied, c.Off = a.copied, a.anyCopied, off
		c.Over = a.over
		o.mhb = c
	}
	switch k {
	case MHB, Parts:
		closure(mhb.Plain)
	case Full:
		closure(mhb.Full)
	case Patterns:
		// They hold for one entry only; and they ignore that overwriting a mutex unlocks it.
		//mutant: patterns: locks are not copied [micro structCopy]: "a.copied == static.Empty && !a.anyCopied && " -> ""
		if a.copied == static.Empty && !a.anyCopied && a.entry.Beside == nil {
			o.mhb = patterns.New(a.fa, a.base, program{a.graph, a.m}, a.entry.Func)
		}
	}
	a.futures.F.Whole(a.entry.Func)
	if k == Full {
		// Looking ahead costs less than the walk: it executes code instead of interpreting it abstractly.
		quick := &oracle{State: o.State}
		return lookahead.New(a.m, quick, o)
	}
	return o
}

// oracle decides from the state of a machine.
type oracle struct {
	por.Passive
	*State
	mhb interface { // nil: only field accesses
		Skip(s mhb.State, g trace.GID, op *trace.Op) string
	}
}

// Skip implements por.Oracle.
func (o *oracle) Skip(g trace.GID, op *trace.Op) string {
	switch {
	case o.mhb != nil:
		return o.mhb.Skip(o.State, g, op)
	case op.Kind.Plain() && o.Accesses.Skip(o.State, g):
		return fieldaccess.Reason
	}
	return ""
}

// Looked implements por.Oracle.
func (o *oracle) Looked() uint64 {
	if walks, ok := o.mhb.(*mhb.Oracle); ok {
		return walks.Looked
	}
	return 0
}

// A Wrapper is an oracle that adds something to another one.
type Wrapper interface {
	por.Oracle
	Unwrap() por.Oracle
}

// unwrap returns the oracle below all wrappers, and below looking ahead.
func unwrap(o por.Oracle) por.Oracle {
	for {
		switch x := o.(type) {
		case Wrapper:
			o = x.Unwrap()
		case *lookahead.Oracle:
			o = x.Fallback()
		default:
			return o
		}
	}
}

// StateOf returns the state that an oracle of this package decides from; nil if o is
// another one.
func StateOf(o por.Oracle) *State {
	if x, ok := unwrap(o).(interface{ placedSet() *State }); ok {
		return x.placedSet()
	}
	return nil
}

func (s *State) placedSet() *State { return s }

// program adds the machine's facts about captured variables.
type program struct {
	*static.CallGraph
	m *vm.Machine
}

func (p program) ByValue(fn *ssa.Function, i int) bool { return p.m.StaticView().ByValue(fn, i) }

// Natives describes the natives of a machine to static analyses.
type Natives struct{ Machine *vm.Machine }

// Native reports whether the machine executes fn itself.
func (n Natives) Native(fn *ssa.Function) bool { return n.Machine.StaticView().IsNative(fn) }

// Trusted reports whether fn is part of a model.
func (n Natives) Trusted(fn *ssa.Function) bool { return n.Machine.StaticView().IsTrusted(fn) }
