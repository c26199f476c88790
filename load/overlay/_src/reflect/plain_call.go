package reflect

import (
	"internal/abi"
	"unsafe"
)

// Calls of functions whose types are only known at run time. Arguments and
// results pass through tuples: blocks of memory in which each value begins at a
// word. The machine moves them between tuples and registers.

// hbNewTuple returns a new tuple for the parameters or results of t, nil if
// there are none.
func hbNewTuple(t *funcType, results bool) unsafe.Pointer

// hbCall calls function fn of type t. If method is set, fn is a method that
// takes the data word of an interface, rcvr, before its parameters.
func hbCall(fn unsafe.Pointer, t *funcType, method bool, rcvr, args, results unsafe.Pointer)

// hbMakeFunc returns a func value of type t whose calls are calls of
// callReflect with impl.
func hbMakeFunc(t *funcType, impl *makeFuncImpl) unsafe.Pointer

// hbMethodValue returns a func value of type t that calls method fn with
// receiver word rcvr.
func hbMethodValue(t *funcType, fn, rcvr unsafe.Pointer) unsafe.Pointer

// hbMethod returns the func value of the i-th method of interface type iface
// for dynamic type t.
func hbMethod(iface, t *abi.Type, i int) unsafe.Pointer

// hbSlot returns the place of a value of type t in a tuple in which *off bytes
// are taken, and takes it.
func hbSlot(tuple unsafe.Pointer, t *abi.Type, off *uintptr) unsafe.Pointer {
	p := unsafe.Pointer(uintptr(tuple) + *off)
	*off += align(t.Size(), 8)
	return p
}

// hbStore stores v, a value of type t, at p.
func hbStore(v Value, t *abi.Type, p unsafe.Pointer) {
	switch {
	case t.Size() == 0:
	case v.flag&flagIndir != 0:
		typedmemmove(t, p, v.ptr)
	default:
		*(*unsafe.Pointer)(p) = v.ptr
	}
}

// hbLoad returns the value of type t at p, which is not written again.
func hbLoad(t *abi.Type, p unsafe.Pointer) Value {
	switch {
	case t.Size() == 0:
		return Zero(toRType(t))
	case t.IsDirectIface():
		return Value{t, *(*unsafe.Pointer)(p), flag(t.Kind())}
	}
	return Value{t, p, flagIndir | flag(t.Kind())}
}

func (v Value) call(op string, in []Value) []Value {
	t := (*funcType)(unsafe.Pointer(v.typ()))
	var fn, rcvr unsafe.Pointer
	method := v.flag&flagMethod != 0
	switch {
	case method:
		rcvr, t, fn = methodReceiver(op, v, int(v.flag)>>flagMethodShift)
	case v.flag&flagIndir != 0:
		fn = *(*unsafe.Pointer)(v.ptr)
	default:
		fn = v.ptr
	}
	if fn == nil {
		panic("reflect.Value.Call: call of nil function")
	}

	n := t.NumIn()
	spread := t.IsVariadic() && op != "CallSlice"
	switch {
	case op == "CallSlice":
		switch {
		case !t.IsVariadic():
			panic("reflect: CallSlice of non-variadic function")
		case len(in) < n:
			panic("reflect: CallSlice with too few input arguments")
		case len(in) > n:
			panic("reflect: CallSlice with too many input arguments")
		}
	case spread:
		if n--; len(in) < n {
			panic("reflect: Call with too few input arguments")
		}
	case len(in) < n:
		panic("reflect: Call with too few input arguments")
	case len(in) > n:
		panic("reflect: Call with too many input arguments")
	}
	for _, x := range in {
		if x.Kind() == Invalid {
			panic("reflect: " + op + " using zero Value argument")
		}
	}
	for i := range n {
		if xt, want := in[i].Type(), t.In(i); !xt.AssignableTo(toRType(want)) {
			panic("reflect: " + op + " using " + xt.String() + " as type " + stringFor(want))
		}
	}
	if spread {
		in = append(in[:n:n], hbSpread(op, toRType(t.In(n)), in[n:]))
	}

	args, off := hbNewTuple(t, false), uintptr(0)
	for i, x := range in {
		x.mustBeExported()
		targ := t.In(i)
		hbStore(x.assignTo("reflect.Value.Call", targ, nil), targ, hbSlot(args, targ, &off))
	}
	results, off := hbNewTuple(t, true), uintptr(0)
	hbCall(fn, t, method, rcvr, args, results)
	var out []Value
	if n := t.NumOut(); n > 0 {
		out = make([]Value, n)
		for i := range out {
			tout := t.Out(i)
			out[i] = hbLoad(tout, hbSlot(results, tout, &off))
		}
	}
	return out
}

// hbSpread returns the slice of type t that a variadic parameter gets.
func hbSpread(op string, t *rtype, in []Value) Value {
	slice := MakeSlice(t, len(in), len(in))
	elem := t.Elem()
	for i, x := range in {
		if xt := x.Type(); !xt.AssignableTo(elem) {
			panic("reflect: cannot use " + xt.String() + " as type " + elem.String() + " in " + op)
		}
		slice.Index(i).Set(x)
	}
	return slice
}

// methodReceiver returns, for the i-th method of v (whose flags may already
// name that method), the receiver word, the method's type without
// receiver, and the function.
func methodReceiver(op string, v Value, i int) (rcvr unsafe.Pointer, t *funcType, fn unsafe.Pointer) {
	typ := v.typ()
	if typ.Kind() == abi.Interface {
		tt := (*interfaceType)(unsafe.Pointer(typ))
		if uint(i) >= uint(len(tt.Methods)) {
			panic("reflect: internal error: invalid method index")
		}
		m := &tt.Methods[i]
		if !tt.nameOff(m.Name).IsExported() {
			panic("reflect: " + op + " of unexported method")
		}
		iface := (*abi.EmptyInterface)(v.ptr)
		if iface.Type == nil {
			panic("reflect: " + op + " of method on nil interface value")
		}
		return iface.Data, (*funcType)(unsafe.Pointer(tt.typeOff(m.Typ))), hbMethod(typ, iface.Type, i)
	}
	ms := typ.ExportedMethods()
	if uint(i) >= uint(len(ms)) {
		panic("reflect: internal error: invalid method index")
	}
	rcvr = v.ptr
	if v.flag&flagIndir != 0 && typ.IsDirectIface() {
		rcvr = *(*unsafe.Pointer)(v.ptr)
	}
	return rcvr, (*funcType)(unsafe.Pointer(typeOffFor(typ, ms[i].Mtyp))), textOffFor(typ, ms[i].Ifn)
}

// makeMethodValue turns v, a receiver with the number of a method, into a
// value that holds a func.
func makeMethodValue(op string, v Value) Value {
	if v.flag&flagMethod == 0 {
		panic("reflect: internal error: invalid use of makeMethodValue")
	}
	rcvr, t, fn := methodReceiver(op, v, int(v.flag)>>flagMethodShift)
	return Value{t.Common(), hbMethodValue(t, fn, rcvr), v.flag&flagRO | flag(Func)}
}

// makeFuncImpl has the data of a function made by MakeFunc.
type makeFuncImpl struct {
	ftyp *funcType
	fn   func([]Value) []Value
}

// MakeFunc returns a new function of the given Type that wraps the function fn.
func MakeFunc(typ Type, fn func(args []Value) (results []Value)) Value {
	if hbOwn(typ).Kind() != Func {
		panic("reflect: call of MakeFunc with non-Func type")
	}
	t := (*funcType)(unsafe.Pointer(typ.common()))
	return Value{t.Common(), hbMakeFunc(t, &makeFuncImpl{t, fn}), flag(Func)}
}

// callReflect is a call of a function made by MakeFunc. The machine, like the
// compiler, takes it for a wrapper: impl.fn may recover a panic on behalf of
// the function made.
func callReflect(impl *makeFuncImpl, args, results unsafe.Pointer) {
	in := make([]Value, 0, impl.ftyp.InCount)
	off := uintptr(0)
	for _, t := range impl.ftyp.InSlice() {
		in = append(in, hbLoad(t, hbSlot(args, t, &off)))
	}
	out := impl.fn(in)
	if len(out) != impl.ftyp.NumOut() {
		panic("reflect: wrong return count from function created by MakeFunc")
	}
	off = 0
	for i, t := range impl.ftyp.OutSlice() {
		x := out[i]
		if x.typ() == nil {
			panic("reflect: function created by MakeFunc using closure returned zero Value")
		}
		if x.flag&flagRO != 0 {
			panic("reflect: function created by MakeFunc using closure returned value obtained from unexported field")
		}
		hbStore(x.assignTo("reflect.MakeFunc", t, nil), t, hbSlot(results, t, &off))
	}
}
