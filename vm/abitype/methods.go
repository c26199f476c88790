package abitype

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Method is a method as a descriptor lists it.
type Method struct {
	Name string
	Pkg  *types.Package // the package that declares it
	Sig  *types.Signature
	Func *types.Func
	// Sel is the method in the method set of the type; nil for methods of interfaces.
	Sel *types.Selection
}

// Exported reports whether the name is visible in other packages.
func (m *Method) Exported() bool { return token.IsExported(m.Name) }

// Methods returns the methods of t in the order of descriptors: the exported ones first, then by name, then
// by path of the package. For an interface type it returns the methods of the interface.
func (b *Builder) Methods(t types.Type) []Method {
	var ms []Method
	if iface, ok := t.Underlying().(*types.Interface); ok {
		for f := range iface.Methods() {
			ms = append(ms, Method{f.Name(), f.Pkg(), plain(f.Signature()), f, nil})
		}
	} else {
		set := b.MethodSet(t)
		for sel := range set.Methods() {
			f := sel.Obj().(*types.Func)
			if f.Signature().TypeParams().Len() > 0 {
				continue // nothing dynamic leads to a method with type parameters
			}
			ms = append(ms, Method{f.Name(), f.Pkg(), plain(f.Signature()), f, sel})
		}
	}
	slices.SortFunc(ms, func(x, y Method) int {
		ex, ey := x.Exported(), y.Exported()
		switch {
		case ex && !ey:
			return -1
		case !ex && ey:
			return 1
		case ex:
			return strings.Compare(x.Name, y.Name)
		}
		return cmp.Or(strings.Compare(x.Name, y.Name), strings.Compare(b.path(x.Pkg), b.path(y.Pkg)))
	})
	return ms
}

// plain returns the type of a method without its receiver.
func plain(s *types.Signature) *types.Signature {
	if s.Recv() == nil {
		return s
	}
	return types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
}

// path returns the path under which pkg is linked; it is empty for the universe.
func (b *Builder) path(pkg *types.Package) string {
	switch {
	case pkg == nil:
		return ""
	case b.PkgPath != nil:
		return b.PkgPath(pkg)
	case pkg.Name() == "main":
		return "main"
	}
	return pkg.Path()
}

// typePkg returns the package whose path a descriptor of t carries, nil for none.
func typePkg(t types.Type) *types.Package {
	if obj := nameOf(t); obj != nil {
		return obj.Pkg()
	}
	if t == types.Typ[types.UnsafePointer] {
		return types.Unsafe
	}
	var elem types.Type
	switch t := t.(type) {
	case *types.Array:
		elem = t.Elem()
	case *types.Slice:
		elem = t.Elem()
	case *types.Pointer:
		elem = t.Elem()
	case *types.Chan:
		elem = t.Elem()
	default:
		return nil
	}
	if obj := nameOf(types.Unalias(elem)); obj != nil {
		return obj.Pkg()
	}
	return nil
}

// nameOf returns the declaration of a named type, nil for basic and unnamed
// types.
func nameOf(t types.Type) *types.TypeName {
	if n, ok := t.(*types.Named); ok {
		return n.Obj()
	}
	return nil
}

// hasName reports whether the descriptor of t counts as named: declared types
// and the basic ones.
func hasName(t types.Type) bool {
	switch t.(type) {
	case *types.Named, *types.Basic:
		return true
	}
	return false
}
