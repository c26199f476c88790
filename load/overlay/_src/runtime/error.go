package runtime

import "internal/abi"

// An Error is a run-time error, as opposed to an ordinary one.
type Error interface {
	error
	RuntimeError()
}

// A TypeAssertionError explains a failed type assertion.
type TypeAssertionError struct {
	_interface    *abi.Type
	concrete      *abi.Type // nil: the interface was nil
	asserted      *abi.Type
	missingMethod string // a method of asserted, if that is an interface
}

func (*TypeAssertionError) RuntimeError() {}

func (e *TypeAssertionError) Error() string {
	inter := "interface"
	if e._interface != nil {
		inter = typeString(e._interface)
	}
	as := typeString(e.asserted)
	if e.concrete == nil {
		return "interface conversion: " + inter + " is nil, not " + as
	}
	cs := typeString(e.concrete)
	switch {
	case e.missingMethod != "":
		return "interface conversion: " + cs + " is not " + as + ": missing method " + e.missingMethod
	case cs != as:
		return "interface conversion: " + inter + " is " + cs + ", not " + as
	case typePkgPath(e.concrete) != typePkgPath(e.asserted):
		return "interface conversion: " + inter + " is " + cs + ", not " + as + " (types from different packages)"
	}
	return "interface conversion: " + inter + " is " + cs + ", not " + as + " (types from different scopes)"
}

// typeString returns the type's name as %T prints it.
func typeString(t *abi.Type) string

// typePkgPath returns the import path of a defined type's package.
func typePkgPath(t *abi.Type) string

// missingMethod returns the first method, by name, of interface type inter
// that t lacks; empty if inter is no interface.
func missingMethod(t, inter *abi.Type) string

// An errorString is a run-time error with a fixed text.
type errorString string

func (e errorString) RuntimeError() {}

func (e errorString) Error() string { return "runtime error: " + string(e) }

// A plainError is a run-time error whose text has no prefix.
type plainError string

func (e plainError) RuntimeError() {}

func (e plainError) Error() string { return string(e) }

// A PanicNilError is what recover returns after panic(nil).
type PanicNilError struct {
	_ [0]*PanicNilError // no other struct type converts to this one
}

func (*PanicNilError) Error() string { return hbPanicNilText }

func (*PanicNilError) RuntimeError() {}

// A boundsError is a failed index, slice or slice-to-array operation.
type boundsError struct {
	x      int64 // the offending value
	y      int   // the bound with which x was compared
	signed bool  // x is negative if it looks negative
	code   abi.BoundsErrorCode
}

func (e boundsError) RuntimeError() {}

func (e boundsError) Error() string {
	x, y := utoa(uint64(e.x)), itoa(int64(e.y))
	// A negative value is out of range whatever the length.
	negative := e.signed && e.x < 0
	if negative {
		x = itoa(e.x)
	}
	length, capacity := " with length "+y, " with capacity "+y
	if negative {
		length, capacity = "", ""
	}
	upto := ":" + y
	if negative {
		upto = ":"
	}
	const slice = "slice bounds out of range ["
	msg := ""
	switch e.code {
	case abi.BoundsIndex:
		msg = "index out of range [" + x + "]" + length
	case abi.BoundsSliceAlen:
		msg = slice + ":" + x + "]" + length
	case abi.BoundsSliceAcap:
		msg = slice + ":" + x + "]" + capacity
	case abi.BoundsSliceB:
		msg = slice + x + upto + "]"
	case abi.BoundsSlice3Alen:
		msg = slice + "::" + x + "]" + length
	case abi.BoundsSlice3Acap:
		msg = slice + "::" + x + "]" + capacity
	case abi.BoundsSlice3B:
		msg = slice + ":" + x + upto + "]"
	case abi.BoundsSlice3C:
		msg = slice + x + upto + ":]"
	case abi.BoundsConvert:
		msg = "cannot convert slice with length " + y + " to array or pointer to array with length " + x
	}
	return "runtime error: " + msg
}

func itoa(v int64) string {
	if v < 0 {
		return "-" + utoa(-uint64(v))
	}
	return utoa(uint64(v))
}

func utoa(v uint64) string {
	var buf [20]byte
	i := len(buf)
	for {
		i--
		buf[i] = byte('0' + v%10)
		if v /= 10; v == 0 {
			return string(buf[i:])
		}
	}
}
