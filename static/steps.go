package static

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Steps: skeletons for forward analyses of other packages (static/findings), which go through a
// function in the order of execution.

// StepKind is the action of a step after its events.
type StepKind uint8

const (
	Plain    StepKind = StepKind(plainNode)
	Calls    StepKind = StepKind(callNode)
	Starts   StepKind = StepKind(goNode)
	MayCall  StepKind = StepKind(maybeNode)
	Defers   StepKind = StepKind(deferNode)
	RunsThem StepKind = StepKind(runNode) // deferred calls run
	Returns  StepKind = StepKind(returnNode)
	Panics   StepKind = StepKind(panicNode)
)

// A Step is an instruction that does something.
type Step struct{ n *node }

// A Callee is a function that a step may call. Without a body (Fn nil) it is the Events only.
type Callee struct {
	Fn     *ssa.Function
	Names  *Renaming // renames Fn's paths to the caller's
	Events []Event
	Then   []Event // after Fn has returned
	// Recv is the type of the receiver if the step calls a method of an interface and the type is known.
	Recv types.Type
}

// Kind returns the action of s after its events.
func (s Step) Kind() StepKind { return StepKind(s.n.kind) }

// Instr returns the instruction.
func (s Step) Instr() ssa.Instruction { return s.n.instr }

// Events returns the events of s itself.
func (s Step) Events() []Event { return s.n.events }

// MayPanic reports whether s may panic by itself.
func (s Step) MayPanic() bool { return s.n.panics }

// Defines returns the value that s defines if paths are in terms of it, or nil.
func (s Step) Defines() ssa.Value { return s.n.kill }

// Callees returns the functions that s may call, defer or start.
func (s Step) Callees() []Callee {
	list := make([]Callee, len(s.n.calls))
	for i, c := range s.n.calls {
		list[i] = Callee{c.fn, c.ren, c.events, c.then, c.recv}
	}
	return list
}

// Code is a function as a list of steps for each of its blocks.
type Code struct{ c *skeleton }

// Code returns the steps of fn, which has a body.
func (b *Base) Code(fn *ssa.Function) Code { return Code{b.skeletonOf(fn)} }

// Steps returns those of a block.
func (c Code) Steps(block int) []Step {
	list := make([]Step, len(c.c.blocks[block]))
	for i := range list {
		list[i] = Step{&c.c.blocks[block][i]}
	}
	return list
}

// Edge returns the events on the edge from block to its succ-th successor; ok is false if control never
// takes it.
func (c Code) Edge(block, succ int) (events []Event, ok bool) {
	e := edge{block, succ}
	return c.c.edges[e], !c.c.dead[e]
}

// Deferred returns the step of a defer statement, whose callees run when the function returns.
func (c Code) Deferred(d *ssa.Defer) (s Step, ok bool) {
	n := c.c.defers[d]
	return Step{n}, n != nil
}

// LoopBodiesDefer reports whether bodies of loops over functions defer calls on behalf of c's function.
func (c Code) LoopBodiesDefer() bool { return c.c.loops }

// Forget returns the renaming to before v was defined.
func (b *Base) Forget(v ssa.Value) *Renaming { return b.forget(v) }

// Into returns the renaming from the paths of a closure that site hands to another function to those of
// site's function.
func (b *Base) Into(site ssa.CallInstruction, closure *ssa.MakeClosure) *Renaming {
	return b.into(site, nil, closure.Fn.(*ssa.Function), closure)
}

// Base returns the longest prefix of p that names a separate object: p without the fields at its end.
func (t *Paths) Base(p Path) Path {
	for p != Unknown && t.nodes[p].kind == stepField {
		p = t.nodes[p].parent
	}
	return p
}

// Root returns the value that p begins with; nil if there is none.
func (t *Paths) Root(p Path) ssa.Value {
	if p == Unknown {
		return nil
	}
	for t.nodes[p].parent != Unknown {
		p = t.nodes[p].parent
	}
	return t.nodes[p].root
}

// Class names the common part of all objects with paths like p: the field of a struct type, or the
// variable. It is "" if it is unknown.
func (t *Paths) Class(p Path) string {
	if p == Unknown {
		return ""
	}
	c, ok := t.classes[p]
	if !ok {
		c = t.class(p)
		t.classes[p] = c
	}
	return c
}

func (t *Paths) class(p Path) string {
	fields := ""
	for t.nodes[p].kind == stepField {
		n := &t.nodes[p]
		fields = "." + n.typ.Underlying().(*types.Struct).Field(int(n.n)).Name() + fields
		if named, ok := types.Unalias(n.typ).(*types.Named); ok {
			return types.TypeString(named.Origin(), nil) + fields
		}
		p = n.parent
	}
	for t.nodes[p].kind == stepCell || t.nodes[p].kind == stepConst || t.nodes[p].kind == stepElem {
		p = t.nodes[p].parent
	}
	n := &t.nodes[p]
	switch r := n.root.(type) {
	case *ssa.Global:
		return r.String() + fields
	case *ssa.Alloc:
		if n.kind == stepRoot {
			return "variable " + r.Comment + " of " + r.Parent().String() + fields
		}
	case *ssa.FreeVar:
		if a, ok := t.captured(r).(*ssa.Alloc); ok && n.kind == stepRoot {
			return "variable " + a.Comment + " of " + a.Parent().String() + fields
		}
	}
	return ""
}

// captured returns the variable that fv is, through all closures; nil if that is not known.
func (t *Paths) captured(fv *ssa.FreeVar) ssa.Value {
	var v ssa.Value = fv
	for range 16 {
		f, ok := v.(*ssa.FreeVar)
		if !ok {
			return v
		}
		if v = t.bind(f); v == nil {
			return nil
		}
	}
	return nil
}

// Same reports whether p means the same in all activations: it is a package variable, or lies in one.
func (t *Paths) Same(p Path) bool { return t.global(p) }

// Function follows v to the function or closure it is, through variables that do not change.
func (t *Paths) Function(v ssa.Value) ssa.Value { return t.function(v) }

// Values returns the values that p is in terms of.
func (t *Paths) Values(p Path) (list []ssa.Value) {
	t.roots(p, func(v ssa.Value) { list = append(list, v) })
	return list
}

// Siblings reports whether p and q are fields of one struct.
func (t *Paths) Siblings(p, q Path) bool {
	return p != Unknown && q != Unknown && t.nodes[p].kind == stepField && t.nodes[q].kind == stepField && t.nodes[p].parent == t.nodes[q].parent
}

// Loads returns the paths of the memory that p leads through.
func (t *Paths) Loads(p Path) (list []Path) {
	for ; p != Unknown; p = t.nodes[p].parent {
		if k := t.nodes[p].kind; k == stepLoad || k == stepIface {
			list = append(list, t.nodes[p].parent)
		}
	}
	return list
}

// Within reports whether p is q or a part of the variable there.
func (t *Paths) Within(p, q Path) bool {
	for p != q {
		if p == Unknown || t.nodes[p].kind != stepField && t.nodes[p].kind != stepConst {
			return false
		}
		p = t.nodes[p].parent
	}
	return p != Unknown
}

// Begins reports whether p leads through q.
func (t *Paths) Begins(p, q Path) bool {
	for ; p != Unknown; p = t.nodes[p].parent {
		if p == q {
			return true
		}
	}
	return false
}
