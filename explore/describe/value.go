package describe

import (
	"encoding/binary"
	"fmt"
	"go/types"
	"math"
	"strconv"
	"time"

	"hbcheck.dev/hbcheck/vm"
)

// generic reports whether the size of t depends on a type parameter. Types come
// from the source, where the body of a generic function is written only once.
func generic(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		return generic(t.Underlying())
	case *types.Array:
		return generic(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if generic(f.Type()) {
				return true
			}
		}
	}
	return false
}

// valueText returns the memory image b of a value of type t as text; if t is nil, it reads b as an
// integer. It returns "" for composite values.
func valueText(m *vm.Machine, b []byte, t types.Type) string {
	switch t {
	case nil:
		return integer(b, true)
	case moved:
		return ""
	}
	if p, ok := atomicElem(t); ok {
		t = p
	}
	if generic(t) || m.Report().SizeOf(t) != int64(len(b)) {
		return "" // the accessed memory is not that of the expression
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsBoolean != 0:
			return strconv.FormatBool(len(b) > 0 && b[0] != 0)
		case len(b) == 8 && types.Unalias(t).String() == "time.Duration":
			return time.Duration(binary.LittleEndian.Uint64(b)).String()
		case info&types.IsInteger != 0:
			return integer(b, info&types.IsUnsigned == 0)
		case u.Kind() == types.Float64:
			return fmt.Sprint(math.Float64frombits(binary.LittleEndian.Uint64(b)))
		case u.Kind() == types.Float32:
			return fmt.Sprint(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		case u.Kind() == types.String:
			n := binary.LittleEndian.Uint64(b[8:])
			s, ok := m.Report().Text(binary.LittleEndian.Uint64(b), n, 30)
			if !ok {
				return ""
			}
			if n > 30 {
				return strconv.Quote(s) + "..."
			}
			return strconv.Quote(s)
		}
	case *types.Signature:
		switch name := m.Report().FuncValue(binary.LittleEndian.Uint64(b)); {
		case name != "":
			return ShortFunc(name)
		case binary.LittleEndian.Uint64(b) == 0:
			return "nil"
		}
		return "not nil"
	case *types.Pointer, *types.Chan, *types.Map:
		if binary.LittleEndian.Uint64(b) == 0 {
			return "nil"
		}
		return "not nil"
	case *types.Interface:
		if binary.LittleEndian.Uint64(b) == 0 {
			return "nil"
		}
		return "not nil"
	case *types.Slice:
		return fmt.Sprintf("slice of length %d", binary.LittleEndian.Uint64(b[8:]))
	}
	return ""
}

// atomicElem returns the type of the value in one of sync/atomic's types.
func atomicElem(t types.Type) (types.Type, bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != "sync/atomic" {
		return nil, false
	}
	switch n.Obj().Name() {
	case "Int32":
		return types.Typ[types.Int32], true
	case "Int64":
		return types.Typ[types.Int64], true
	case "Uint32":
		return types.Typ[types.Uint32], true
	case "Uint64", "Uintptr":
		return types.Typ[types.Uint64], true
	case "Pointer":
		return types.Typ[types.UnsafePointer], true
	case "Bool":
		// Four bytes, the lowest of which has the value.
		return types.Typ[types.Uint32], true
	}
	return nil, false
}

// integer returns a little-endian integer as text.
func integer(b []byte, signed bool) string {
	var x uint64
	switch len(b) {
	case 1:
		x = uint64(b[0])
		if signed {
			x = uint64(int8(b[0]))
		}
	case 2:
		x = uint64(binary.LittleEndian.Uint16(b))
		if signed {
			x = uint64(int16(x))
		}
	case 4:
		x = uint64(binary.LittleEndian.Uint32(b))
		if signed {
			x = uint64(int32(x))
		}
	case 8:
		x = binary.LittleEndian.Uint64(b)
	default:
		return ""
	}
	if signed {
		return strconv.FormatInt(int64(x), 10)
	}
	return strconv.FormatUint(x, 10)
}
