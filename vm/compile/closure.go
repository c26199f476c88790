package compile

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// makeClosure emits the creation of a closure object: the function's number, and the captured variables. A
// variable that no closure can see changing is captured by value (Captures).
//
//	word  0          1 ...
//	      │ function │ pointer to variable, or its value in as many words as it needs │ ...
//
// The captured words have the order and the form of the callee's registers from NParam on, so that
// a call copies them in one piece.
func (c *compiler) makeClosure(v *ssa.MakeClosure) {
	fn := v.Fn.(*ssa.Function)
	// The object's layout says which of its words are pointers.
	fields := []*types.Var{field(types.Typ[types.Uint64])}
	n := 0
	for i, b := range v.Bindings {
		t := b.Type()
		if c.l.Captures().ByValue(fn, i) {
			t = b.Type().Underlying().(*types.Pointer).Elem()
		}
		n += c.l.Layout(t).Words()
		fields = append(fields, registerFields(t)...)
	}
	lay := c.l.Layout(types.NewStruct(fields, nil)).ID
	// MkClos copies them from consecutive registers.
	base := c.temp(max(n, 1))
	k := base
	for i, b := range v.Bindings {
		if !c.l.Captures().ByValue(fn, i) {
			c.into(b, k)
			k++
			continue
		}
		// By value: b is the address of the variable that is copied.
		t := b.Type().Underlying().(*types.Pointer).Elem()
		if fv, ok := b.(*ssa.FreeVar); ok { // itself captured by value: the value is at hand
			c.move(k, c.reg[fv], c.words(fv))
		} else {
			c.load(k, c.use(b), 0, t)
		}
		k += c.l.Layout(t).Words()
	}
	c.emit(bytecode.MkClos, c.dst(v), base, n)
	c.word(uint64(c.l.Func(fn)) | uint64(lay)<<32)
}
