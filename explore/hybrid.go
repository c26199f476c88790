package explore

import (
	"fmt"
	"time"

	"go/types"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/fieldaccess"
	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// Hybrid is how much of the static analyses an exploration uses.
type Hybrid string

const (
	NoHybrid    Hybrid = "none"
	FieldAccess Hybrid = "fa" // the field access analysis
)

// ParseHybrid reads the value of --hybrid.
func ParseHybrid(s string) (Hybrid, error) {
	switch h := Hybrid(s); h {
	case NoHybrid, FieldAccess:
		return h, nil
	}
	return "", fmt.Errorf("--hybrid %s: there are none, fa", s)
}

// hybridMachine is a machine that can be asked by static analyses.
type hybridMachine interface {
	oracle() (por.Oracle, time.Duration)
}

// oracle analyses m's program. It implements hybridMachine.
func (m *machine) oracle() (por.Oracle, time.Duration) {
	begin := time.Now()
	graph := static.NewCallGraph(m.prog, m.entry, natives{m.Machine})
	fut := static.NewFuture(graph)
	o := &faOracle{m: m.Machine, o: fieldaccess.New(hybrid.New(fut), m.prog.Sizes)}
	fut.Whole(m.entry.Func)
	return o, time.Since(begin)
}

// natives tells static analyses of the machine's natives.
type natives struct{ m *vm.Machine }

func (n natives) Native(fn *ssa.Function) bool  { return n.m.IsNative(fn) }
func (n natives) Trusted(fn *ssa.Function) bool { return n.m.IsTrusted(fn) }
func (n natives) Roots() []*ssa.Function        { return n.m.Roots() }

// faOracle shows a machine's state to the field access analysis.
type faOracle struct {
	m     *vm.Machine
	o     *fieldaccess.Oracle
	acts  []vm.Activation
	stack []hybrid.Frame
}

// Skip implements por.Oracle.
func (f *faOracle) Skip(g trace.GID, op *trace.Op) string {
	if op.Kind.Plain() && f.o.Skip(f, g) {
		return fieldaccess.Reason
	}
	return ""
}

// Locations implements fieldaccess.State.
func (f *faOracle) Locations(g trace.GID, buf []fieldaccess.Location) ([]fieldaccess.Location, bool) {
	op := f.m.Next(g)
	for _, a := range op.Access[:op.N] {
		obj := f.m.Object(a.Obj)
		l := fieldaccess.Location{Type: obj.Type, Off: int64(a.Off), Size: int64(a.Size), Write: a.Write}
		switch site := obj.Site.(type) {
		case *ssa.Alloc:
			l.Root = site
		}
		if obj.Global != nil {
			l.Root = obj.Global
		}
		if obj.Map {
			if l.Map = f.mapType(g); l.Map == nil {
				return buf, false
			}
		}
		buf = append(buf, l)
	}
	return buf, op.N > 0
}

// mapType returns the type of the map g is about to access, from the
// instruction that does it; nil if that is none of the map instructions.
func (f *faOracle) mapType(g trace.GID) types.Type {
	f.acts = f.m.Activations(g, f.acts[:0])
	switch v := f.acts[0].Instr.(type) {
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
func (f *faOracle) Others(g trace.GID, visit func(stack []hybrid.Frame) bool) {
	goOn := true
	f.m.Live(func(id trace.GID) {
		if id == g || !goOn {
			return
		}
		f.acts = f.m.Activations(id, f.acts[:0])
		f.stack = f.stack[:0]
		for _, a := range f.acts {
			f.stack = append(f.stack, hybrid.Frame{Fn: a.Fn, Instr: a.Instr, Again: a.Again, Main: a.Func == 0, ID: uint64(a.Func)<<32 | uint64(a.PC)})
		}
		goOn = visit(f.stack)
	})
}
