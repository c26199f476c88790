package abitype

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// NameString returns t as reflect.Type.String prints it: packages by name.
func (b *Builder) NameString(t types.Type) string {
	w := writer{b: b}
	w.typ(t)
	return w.buf.String()
}

// LinkString returns a text that two types share exactly if they are
// identical: packages by path, types declared in functions by number.
func (b *Builder) LinkString(t types.Type) string {
	w := writer{b: b, link: true}
	w.typ(t)
	return w.buf.String()
}

// writer prints types as the compiler does (cmd/compile/internal/types, fmt.go).
type writer struct {
	b    *Builder
	link bool
	buf  strings.Builder
}

func (w *writer) str(s string) { w.buf.WriteString(s) }

func (w *writer) typ(t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		switch t.Kind() {
		case types.UnsafePointer:
			w.str("unsafe.Pointer")
		default:
			w.str(types.Typ[t.Kind()].Name()) // byte is uint8, rune is int32
		}
	case *types.Named:
		w.named(t)
	case *types.Pointer:
		w.str("*")
		w.typ(t.Elem())
	case *types.Array:
		fmt.Fprintf(&w.buf, "[%d]", t.Len())
		w.typ(t.Elem())
	case *types.Slice:
		w.str("[]")
		w.typ(t.Elem())
	case *types.Map:
		w.str("map[")
		w.typ(t.Key())
		w.str("]")
		w.typ(t.Elem())
	case *types.Chan:
		w.channel(t)
	case *types.Signature:
		w.str("func")
		w.signature(t)
	case *types.Interface:
		w.iface(t)
	case *types.Struct:
		w.strukt(t)
	case *types.TypeParam:
		w.str(t.Obj().Name())
	default:
		w.str(t.String())
	}
}

func (w *writer) named(t *types.Named) {
	obj := t.Obj()
	if obj.Pkg() != nil {
		w.qualifier(obj.Pkg())
		w.str(".")
	}
	w.str(obj.Name())
	var args []types.Type
	if w.b.Implicit != nil {
		args = w.b.Implicit(t.Origin().Obj())
	}
	implicit := len(args)
	for arg := range t.TypeArgs().Types() {
		args = append(args[:len(args):len(args)], arg)
	}
	for i, arg := range args {
		switch i {
		case 0:
			w.str("[")
		case implicit:
			w.str(";")
		default:
			w.str(",")
		}
		w.str(w.b.LinkString(arg)) // even in names
	}
	if len(args) > 0 {
		w.str("]")
	}
	if w.link && w.b.Local != nil {
		if n := w.b.Local(t.Origin().Obj()); n > 0 {
			fmt.Fprintf(&w.buf, "·%d", n)
		}
	}
}

func (w *writer) qualifier(pkg *types.Package) {
	if w.link {
		w.str(pathPrefix(w.b.path(pkg)))
	} else {
		w.str(pkg.Name())
	}
}

// pathPrefix escapes a package path as symbol names do: dots after the last slash, and characters other
// than printable ASCII.
func pathPrefix(path string) string {
	slash := strings.LastIndexByte(path, '/')
	var buf strings.Builder
	for i := range len(path) {
		c := path[i]
		if c <= ' ' || c == '.' && i > slash || c == '%' || c == '"' || c >= 0x7F {
			fmt.Fprintf(&buf, "%%%02x", c)
		} else {
			buf.WriteByte(c)
		}
	}
	return buf.String()
}

func (w *writer) channel(t *types.Chan) {
	switch t.Dir() {
	case types.RecvOnly:
		w.str("<-chan ")
	case types.SendOnly:
		w.str("chan<- ")
	default:
		w.str("chan ")
		if e, ok := types.Unalias(t.Elem()).(*types.Chan); ok && e.Dir() == types.RecvOnly {
			w.str("(")
			w.typ(e)
			w.str(")")
			return
		}
	}
	w.typ(t.Elem())
}

func (w *writer) signature(t *types.Signature) {
	w.tuple(t.Params(), t.Variadic())
	switch res := t.Results(); res.Len() {
	case 0:
	case 1:
		w.str(" ")
		w.typ(res.At(0).Type())
	default:
		w.str(" ")
		w.tuple(res, false)
	}
}

func (w *writer) tuple(t *types.Tuple, variadic bool) {
	w.str("(")
	for i := range t.Len() {
		if i > 0 {
			w.str(", ")
		}
		typ := t.At(i).Type()
		if s, ok := typ.Underlying().(*types.Slice); ok && variadic && i == t.Len()-1 {
			w.str("...")
			typ = s.Elem()
		}
		w.typ(typ)
	}
	w.str(")")
}

func (w *writer) iface(t *types.Interface) {
	if t.NumMethods() == 0 {
		w.str("interface {}")
		return
	}
	w.str("interface {")
	for i, m := range w.b.Methods(t) {
		if i > 0 {
			w.str(";")
		}
		w.str(" ")
		if !m.Exported() {
			w.qualifier(m.Pkg)
			w.str(".")
		}
		w.str(m.Name)
		w.signature(m.Sig)
	}
	w.str(" }")
}

func (w *writer) strukt(t *types.Struct) {
	w.str("struct {")
	for i := range t.NumFields() {
		if i > 0 {
			w.str(";")
		}
		w.str(" ")
		w.field(t.Field(i))
		if tag := t.Tag(i); tag != "" {
			w.str(" ")
			w.str(strconv.Quote(tag))
		}
	}
	if t.NumFields() > 0 {
		w.str(" ")
	}
	w.str("}")
}

func (w *writer) field(f *types.Var) {
	name, sep := f.Name(), " "
	if f.Embedded() {
		// Only a renaming alias makes an embedded field's name worth saying.
		if w.link && name != embeddedName(f.Type()) {
			sep = " = "
		} else {
			name = ""
		}
	}
	if name != "" {
		if w.link && !token.IsExported(name) {
			w.qualifier(f.Pkg())
			w.str(".")
		}
		w.str(name)
		w.str(sep)
	}
	w.typ(f.Type())
}

// embeddedName is the name an embedded field of type t has without aliases.
func embeddedName(t types.Type) string {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	switch t := t.(type) {
	case *types.Named:
		return t.Obj().Name()
	case *types.Basic:
		return types.Typ[t.Kind()].Name()
	}
	return ""
}
