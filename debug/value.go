package debug

import (
	"encoding/binary"
	"fmt"
	"go/constant"
	"go/types"
	"math"
	"strconv"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore/describe"
)

// A Value is the value of a variable, or of a part of one, in the state of the query.
type Value struct {
	Type types.Type
	Addr uint64 // address in memory; 0: the value is not in memory
	Lost string // why the value is not known; empty: it is known
	// The value itself: one of these.
	bytes []byte         // memory image of the value
	known constant.Value // a constant of the code
	text  string
}

// maxImage bounds the size of a value that is read as a whole.
const maxImage = 1 << 20

// At returns the value of type t at an address of the program's memory.
func (s *Session) At(t types.Type, p uint64) Value {
	n := s.vm.Report().SizeOf(t)
	v := Value{Type: t, Addr: p}
	switch {
	case p == 0:
		v.Lost = "no memory: the pointer is nil"
	case n > maxImage:
		v.text = fmt.Sprintf("(%d bytes)", n)
	case n == 0:
		v.bytes = []byte{}
	default:
		if v.bytes = s.vm.Debugger().Read(p, n); v.bytes == nil {
			v.Lost = "no memory at this address"
		}
	}
	return v
}

// ofWords returns the value of type t that is in registers.
func (s *Session) ofWords(t types.Type, w []uint64) Value {
	b := make([]byte, 0, 8*len(w))
	for _, x := range w {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return Value{Type: t, bytes: b[:min(int64(len(b)), s.vm.Report().SizeOf(t))]}
}

// word returns a value of a word.
func word(t types.Type, w uint64) Value {
	return Value{Type: t, bytes: binary.LittleEndian.AppendUint64(nil, w)}
}

// constValue returns a constant; x is nil for the zero value.
func constValue(t types.Type, x constant.Value, s *Session) Value {
	if x == nil {
		return Value{Type: t, bytes: make([]byte, s.vm.Report().SizeOf(t))}
	}
	return Value{Type: t, known: x}
}

// word returns word i of a value's image.
func (v *Value) word(i int) uint64 {
	if len(v.bytes) < 8*i+8 {
		return 0
	}
	return binary.LittleEndian.Uint64(v.bytes[8*i:])
}

// part returns the part of v at an offset.
func (s *Session) part(v Value, t types.Type, off int64) Value {
	p := Value{Type: t}
	if v.Addr != 0 {
		p.Addr = v.Addr + uint64(off)
	}
	if n := s.vm.Report().SizeOf(t); off+n <= int64(len(v.bytes)) {
		p.bytes = v.bytes[off : off+n]
	} else if p.Addr != 0 {
		return s.At(t, p.Addr)
	} else {
		p.Lost = notKept
	}
	return p
}

// scalar returns v as a constant, if it is a number, a bool or a string.
func (s *Session) scalar(v Value) (constant.Value, bool) {
	if v.known != nil {
		return v.known, true
	}
	b, ok := v.Type.Underlying().(*types.Basic)
	if !ok || v.Lost != "" {
		return nil, false
	}
	var x uint64
	switch len(v.bytes) {
	case 1:
		x = uint64(v.bytes[0])
	case 2:
		x = uint64(binary.LittleEndian.Uint16(v.bytes))
	case 4:
		x = uint64(binary.LittleEndian.Uint32(v.bytes))
	case 8:
		x = binary.LittleEndian.Uint64(v.bytes)
	}
	switch info := b.Info(); {
	case info&types.IsBoolean != 0:
		return constant.MakeBool(x&0xff != 0), true
	case info&types.IsUnsigned != 0, b.Kind() == types.UnsafePointer:
		return constant.MakeUint64(x), true
	case info&types.IsInteger != 0:
		shift := 64 - 8*len(v.bytes)
		return constant.MakeInt64(int64(x<<shift) >> shift), true
	case b.Kind() == types.Float64:
		return floatConst(math.Float64frombits(x))
	case b.Kind() == types.Float32:
		return floatConst(float64(math.Float32frombits(uint32(x))))
	case info&types.IsString != 0 && len(v.bytes) == 16:
		text, ok := s.vm.Report().Text(v.word(0), v.word(1), maxImage)
		return constant.MakeString(text), ok
	}
	return nil, false
}

// floatConst returns x as a constant; false if x is infinite or no number.
func floatConst(x float64) (constant.Value, bool) {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil, false
	}
	return constant.MakeFloat64(x), true
}

// How much of a value is shown in a line.
const (
	mostText  = 64 // bytes of a string
	mostParts = 8  // elements, fields
	mostDeep  = 3  // values in values
)

// Text returns a value in one line.
func (s *Session) Text(v Value) string { return s.show(v, mostDeep) }

func (s *Session) show(v Value, deep int) string {
	switch {
	case v.Lost != "":
		return "(" + v.Lost + ")"
	case v.text != "":
		return v.text
	}
	if t, ok := s.special(v); ok {
		return t
	}
	v = s.simple(v)
	if x, ok := s.scalar(v); ok {
		if n, exact := constant.Int64Val(constant.ToInt(x)); exact && v.Type.String() == "time.Duration" {
			return time.Duration(n).String()
		}
		return constText(x)
	}
	switch t := v.Type.Underlying().(type) {
	case *types.Basic:
		return s.basic(v, t)
	case *types.Pointer:
		return s.pointer(v, t, deep)
	case *types.Signature:
		switch name := s.vm.Report().FuncValue(v.word(0)); {
		case v.word(0) == 0:
			return "nil"
		case name != "":
			return "func " + describe.ShortFunc(name)
		}
		return "func"
	case *types.Chan:
		c, ok := s.vm.Debugger().ChanAt(v.word(0))
		switch {
		case v.word(0) == 0:
			return "nil"
		case !ok:
			return "(no channel)"
		}
		return s.channel(c, v.word(0))
	case *types.Interface:
		x, ok := s.dynamic(v)
		switch {
		case !ok && v.word(0) == 0:
			return "nil"
		case !ok:
			return "(unknown)"
		}
		return s.typeName(x.Type) + "(" + s.show(x, deep-1) + ")"
	case *types.Map:
		if v.word(0) == 0 {
			return "nil"
		}
	case *types.Slice:
		if v.word(0) == 0 && v.word(1) == 0 {
			return "nil"
		}
	}
	if deep <= 0 || deep < mostDeep && s.ofLibrary(v.Type) {
		return s.typeName(v.Type) + "{...}"
	}
	n := s.Len(v)
	var b strings.Builder
	b.WriteString(s.typeName(v.Type))
	b.WriteByte('{')
	for i, c := range s.Children(v, 0, mostParts) {
		if i > 0 {
			b.WriteString(", ")
		}
		if c.Name != "" && c.Name[0] != '[' {
			b.WriteString(c.Name + ": ")
		} else if _, isMap := v.Type.Underlying().(*types.Map); isMap {
			b.WriteString(strings.TrimSuffix(c.Name[1:], "]") + ": ")
		}
		b.WriteString(s.show(c.Value, deep-1))
	}
	if n > mostParts {
		fmt.Fprintf(&b, ", ... %d in all", n)
	}
	b.WriteByte('}')
	return b.String()
}

func constText(x constant.Value) string {
	switch x.Kind() {
	case constant.String:
		text := constant.StringVal(x)
		if len(text) > mostText {
			return fmt.Sprintf("%s... (%d bytes)", strconv.Quote(text[:mostText]), len(text))
		}
		return strconv.Quote(text)
	case constant.Float:
		f, _ := constant.Float64Val(x)
		return strconv.FormatFloat(f, 'g', -1, 64)
	case constant.Complex:
		re, _ := constant.Float64Val(constant.Real(x))
		im, _ := constant.Float64Val(constant.Imag(x))
		return fmt.Sprint(complex(re, im))
	}
	return x.ExactString()
}

// basic shows values without a constant.
func (s *Session) basic(v Value, t *types.Basic) string {
	switch t.Kind() {
	case types.Float64:
		return fmt.Sprint(math.Float64frombits(v.word(0)))
	case types.Float32:
		return fmt.Sprint(math.Float32frombits(binary.LittleEndian.Uint32(v.bytes)))
	case types.Complex128:
		return fmt.Sprint(complex(math.Float64frombits(v.word(0)), math.Float64frombits(v.word(1))))
	case types.Complex64:
		return fmt.Sprint(complex(math.Float32frombits(binary.LittleEndian.Uint32(v.bytes)), math.Float32frombits(binary.LittleEndian.Uint32(v.bytes[4:]))))
	case types.UntypedNil:
		return "nil"
	}
	return "(unknown)"
}

func (s *Session) pointer(v Value, t *types.Pointer, deep int) string {
	if v.word(0) == 0 {
		return "nil"
	}
	if deep <= 0 {
		return "&" + s.typeName(t.Elem()) + "{...}"
	}
	to := s.At(t.Elem(), v.word(0))
	if text, ok := s.special(to); ok {
		return text
	}
	return "&" + s.show(to, deep-1)
}

// dynamic returns the value that an interface holds.
func (s *Session) dynamic(v Value) (Value, bool) {
	t, direct := s.vm.Debugger().Unboxed([2]uint64{v.word(0), v.word(1)})
	switch {
	case t == nil:
		return Value{}, false
	case direct:
		return word(t, v.word(1)), true
	case s.vm.Report().SizeOf(t) == 0:
		return Value{Type: t, bytes: []byte{}}, true
	}
	x := s.At(t, v.word(1))
	return x, true
}

// ofLibrary reports whether t is a struct of the standard library: its fields are shown only if it is asked
// for.
func (s *Session) ofLibrary(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || !s.cfg.Prog.IsStd(named.Obj().Pkg()) {
		return false
	}
	_, ok = t.Underlying().(*types.Struct)
	return ok
}

// typeName returns a type as the program writes it: with names of packages.
func (s *Session) typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// TypeText returns a value's type.
func (s *Session) TypeText(v Value) string {
	if v.Type == nil {
		return ""
	}
	return s.typeName(v.Type)
}

// Len returns how many parts a value has that Children lists.
func (s *Session) Len(v Value) int {
	if v.Lost != "" || v.known != nil || v.text != "" || v.Type == nil {
		return 0
	}
	if _, ok := s.special(v); ok {
		return 0
	}
	v = s.simple(v)
	switch t := v.Type.Underlying().(type) {
	case *types.Struct:
		return t.NumFields()
	case *types.Array:
		return int(t.Len())
	case *types.Slice:
		return int(min(v.word(1), math.MaxInt32))
	case *types.Pointer:
		if v.word(0) != 0 {
			if to := s.At(t.Elem(), v.word(0)); s.isStruct(to) {
				return s.Len(to)
			}
			return 1
		}
	case *types.Interface:
		if _, ok := s.dynamic(v); ok {
			return 1
		}
	case *types.Map:
		_, n, _ := s.vm.Debugger().MapEntries(v.word(0), t, 0)
		return n
	case *types.Chan:
		if c, ok := s.vm.Debugger().ChanAt(v.word(0)); ok {
			return c.Len
		}
	}
	return 0
}

// isStruct reports whether a pointer to v has the parts of v: p.x is a field of the target of p.
func (s *Session) isStruct(v Value) bool {
	_, ok := s.simple(v).Type.Underlying().(*types.Struct)
	return ok && s.Len(v) > 0
}

// Children returns at most n parts of a value from number start on: fields, elements, entries, or the
// target of a pointer. Fields without a name are left out.
func (s *Session) Children(v Value, start, n int) (list []Variable) {
	n = min(n, s.Len(v)-start)
	if start < 0 || n <= 0 {
		return nil
	}
	v = s.simple(v)
	switch t := v.Type.Underlying().(type) {
	case *types.Struct:
		fields := make([]*types.Var, t.NumFields())
		for i := range fields {
			fields[i] = t.Field(i)
		}
		offsets := s.cfg.Prog.Sizes.Offsetsof(fields)
		for i := start; i < start+n; i++ {
			if fields[i].Name() != "_" {
				list = append(list, Variable{fields[i].Name(), s.part(v, fields[i].Type(), offsets[i])})
			}
		}
	case *types.Array:
		size := s.vm.Report().SizeOf(t.Elem())
		for i := start; i < start+n; i++ {
			list = append(list, Variable{index(i), s.part(v, t.Elem(), int64(i)*size)})
		}
	case *types.Slice:
		size := uint64(s.vm.Report().SizeOf(t.Elem()))
		for i := start; i < start+n; i++ {
			list = append(list, Variable{index(i), s.At(t.Elem(), v.word(0)+uint64(i)*size)})
		}
	case *types.Pointer:
		to := s.At(t.Elem(), v.word(0))
		if s.isStruct(to) {
			return s.Children(to, start, n)
		}
		list = append(list, Variable{"*", to})
	case *types.Interface:
		if x, ok := s.dynamic(v); ok {
			list = append(list, Variable{s.typeName(x.Type), x})
		}
	case *types.Map:
		entries, _, _ := s.vm.Debugger().MapEntries(v.word(0), t, start+n)
		for _, e := range entries[min(start, len(entries)):] {
			key := s.show(s.At(t.Key(), e.Key), 1)
			list = append(list, Variable{"[" + key + "]", s.At(t.Elem(), e.Elem)})
		}
	case *types.Chan:
		if c, ok := s.vm.Debugger().ChanAt(v.word(0)); ok {
			for i, p := range c.Elems[start : start+n] {
				list = append(list, Variable{index(start + i), s.At(t.Elem(), p)})
			}
		}
	}
	return list
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// truth is the value of a condition.
func (v *Value) truth() (bool, error) {
	switch {
	case v.Lost != "":
		return false, fmt.Errorf("the condition is not known: %s", v.Lost)
	case v.known != nil && v.known.Kind() == constant.Bool:
		return constant.BoolVal(v.known), nil
	}
	return false, fmt.Errorf("the condition is not a bool")
}
