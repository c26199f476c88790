package link

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/vm/abitype"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/hash"
)

// Hashes of functions, types and static objects that do not depend on their numbers. They determine
// the order of interchangeable goroutines (state_symmetry.go), and so the number of matching
// states. That number must depend only on the program: not on the path that reached a function
// first, nor on other functions and types of the program.
//
// Two objects may have the same hash, such as method values of one method, or types of one name in
// two instances of a function. Goroutines that differ only in such objects stay in spawn-path order.
type names struct {
	funcs   []uint64 // by number; 0: not known yet
	types   []uint64
	statics []uint64
	abi     *abitype.Builder
}

// Kinds of hashes.
const (
	namedFunc = iota + 1
	namedStub
	namedAdapter
	namedGlobal
	namedLiteral
	namedType
	named256
	namedData
)

// known returns a pointer to hash i of list.
func known(list *[]uint64, i uint32) *uint64 {
	if n := int(i) + 1; n > len(*list) {
		*list = append(*list, make([]uint64, n-len(*list))...)
	}
	return &(*list)[i]
}

func hashText(kind uint64, s string) uint64 { return max(hash.Bytes(kind, []byte(s)), 1) }

// NameOfFunc returns the hash of function id.
func (k *Linker) NameOfFunc(id uint32) uint64 {
	if p := known(&k.names.funcs, id); *p != 0 {
		return *p
	}
	f := k.funcs[id]
	var h uint64
	//mutant: functions are in the order of their numbers [numbering]: "\tswitch " -> "\tif id > 0 {\n\t\treturn uint64(id)\n\t}\n\tswitch "
	switch {
	case f.fn != nil:
		h = k.hashFunc(f.fn)
	case f.stub.name != "": // not distinguished by its place
		h = hashText(namedStub, f.stub.name)
	default:
		h = k.hashAdapter(f.call)
	}
	h = max(h, 1)
	*known(&k.names.funcs, id) = h
	return h
}

// hashFunc hashes a function of the program; a closure by its index in the enclosing function.
func (k *Linker) hashFunc(fn *ssa.Function) uint64 {
	if p := fn.Parent(); p != nil {
		return hash.Mix(k.hashFunc(p), uint64(slices.Index(p.AnonFuncs, fn)))
	}
	if o := fn.Origin(); o != nil && o != fn {
		h := k.hashFunc(o)
		for _, t := range fn.TypeArgs() {
			h = hash.Mix(h, k.hashType(t))
		}
		return h
	}
	return hashText(namedFunc, fn.String())
}

func (k *Linker) hashAdapter(c adapterKey) uint64 {
	h := hash.Mix(namedAdapter, uint64(c.kind))
	if c.kind != adaptSelect {
		return hash.Mix(h, k.NameOfType(c.sig))
	}
	for _, x := range casesOf(c.cases) {
		h = hash.Mix(hash.Mix(h, uint64(x.dir)), k.NameOfType(x.elem))
	}
	return h
}

// NameOfType returns the hash of the type with layout number id.
func (k *Linker) NameOfType(id uint32) uint64 {
	p := known(&k.names.types, id)
	//mutant: types are in the order of their numbers [numbering]: "*p == 0" -> "*p = uint64(id); *p == 0"
	if *p == 0 {
		*p = max(k.hashType(k.layouts.At(id).Type), 1)
	}
	return *p
}

func (k *Linker) hashType(t types.Type) uint64 {
	if tuple, ok := t.(*types.Tuple); ok {
		h := uint64(namedType)
		for v := range tuple.Variables() {
			h = hash.Mix(h, k.hashType(v.Type()))
		}
		return h
	}
	if k.names.abi == nil {
		b := *k.abi
		b.Local = k.localTypes(numberTypes)
		k.names.abi = &b
	}
	return hashText(namedType, k.names.abi.LinkString(t))
}

// localTypes returns a function that numbers the types declared in functions, and only these, as number
// does for the files of a package.
func (k *Linker) localTypes(number func(files []*ast.File, numbers map[token.Pos]int)) func(*types.TypeName) int {
	numbered := make(map[*types.Package]map[token.Pos]int)
	return func(obj *types.TypeName) int {
		pkg := obj.Pkg()
		if pkg == nil || obj.Parent() == pkg.Scope() {
			return 0
		}
		numbers := numbered[pkg]
		if numbers == nil {
			numbers = make(map[token.Pos]int)
			numbered[pkg] = numbers
			for _, p := range k.prog.All {
				if p.Types == pkg {
					number(p.Files, numbers)
				}
			}
		}
		return numbers[obj.Pos()]
	}
}

// numberTypes numbers types by the function in which they are declared, and their places in it.
func numberTypes(files []*ast.File, numbers map[token.Pos]int) {
	for _, f := range files {
		for _, d := range f.Decls {
			outer := hashText(namedType, declaredName(d))
			ast.Inspect(d, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					outer = hash.Mix(outer, 1)
					numbers[spec.Name.Pos()] = int(outer&math.MaxInt64 | 1)
				}
				return true
			})
		}
	}
}

// declaredName returns the name that d declares, the first one if there are several.
func declaredName(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil && len(d.Recv.List) > 0 {
			return types.ExprString(d.Recv.List[0].Type) + "." + d.Name.Name
		}
		return d.Name.Name
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				return v.Names[0].Name
			}
		}
	}
	return ""
}

// nameOfStatic returns the hash of static object id.
func (k *Linker) nameOfStatic(id uint32) uint64 {
	if p := known(&k.names.statics, id); *p != 0 {
		return *p
	}
	var h uint64
	switch s := &k.statics[id-1]; s.kind {
	case staticGlobal:
		h = hashText(namedGlobal, GlobalName(s.global))
	case staticLiteral:
		h = hashText(namedLiteral, s.text)
	case staticType:
		h = hash.Mix(namedType, k.NameOfType(s.typ))
	case static256:
		h = named256
	default:
		h = hash.Mix(namedData, uint64(id))
	}
	h = max(h, 1)
	*known(&k.names.statics, id) = h
	return h
}

// NameOf returns w, which may be a pointer, without the number of its target if the target is
// static or a function.
func (k *Linker) NameOf(w uint64) uint64 {
	id := w >> 32
	switch {
	case id == 0:
	case w&bytecode.FuncBit != 0:
		if n := w &^ bytecode.FuncBit; n < uint64(len(k.funcs)) {
			return k.NameOfFunc(uint32(n))
		}
	case id < uint64(k.heap.NumStatic):
		//mutant: static objects are in the order of their numbers [numbering]: "hash.Mix(k.nameOfStatic(uint32(id)), w&math.MaxUint32)" -> "w"
		return hash.Mix(k.nameOfStatic(uint32(id)), w&math.MaxUint32)
	}
	return w
}

// GlobalName names a package variable.
func GlobalName(g *ssa.Global) string { return g.Pkg.Pkg.Path() + "." + g.Name() }

// GlobalNamed returns the package variable of that name; nil if there is none or more than one.
func (k *Linker) GlobalNamed(name string) (found *ssa.Global) {
	for _, p := range k.prog.SSA.AllPackages() {
		for _, x := range p.Members {
			if g, ok := x.(*ssa.Global); ok && GlobalName(g) == name {
				if found != nil {
					return nil
				}
				found = g
			}
		}
	}
	return found
}

// PkgPath returns the path with which the program knows p.
func (k *Linker) PkgPath(p *types.Package) string { return k.abi.PkgPath(p) }

// TypeName returns the name of t as the program sees it.
func (k *Linker) TypeName(t types.Type) string { return k.abi.NameString(t) }
