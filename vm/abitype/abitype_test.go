package abitype

import (
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"go/version"
	"reflect"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/tools/go/types/typeutil"

	"hbcheck.dev/hbcheck/vm/layout"
)

// checker type-checks packages from source.
type checker struct {
	fset *token.FileSet
	imp  types.Importer
}

func newChecker() *checker {
	fset := token.NewFileSet()
	return &checker{fset, importer.ForCompiler(fset, "source", nil)}
}

// running returns the release of Go that the test runs with, 27 for go1.27.1.
func running() int {
	var minor int
	if _, err := fmt.Sscanf(version.Lang(runtime.Version()), "go1.%d", &minor); err != nil {
		return 27 // one of development
	}
	return minor
}

// TestABI compares our offsets with the declarations of internal/abi.
func TestABI(t *testing.T) {
	pkg, err := newChecker().imp.Import("internal/abi")
	if err != nil {
		t.Fatal(err)
	}
	ours := &Builder{Minor: running()}
	tail := ours.mapTail()
	sizes := map[string]int64{
		"Type": sizeType, "ArrayType": sizeArray, "ChanType": sizeChan, "FuncType": sizeFunc, "InterfaceType": sizeInterface, "MapType": int64(tail.size),
		"PtrType": sizePointer, "SliceType": sizeSlice, "StructType": sizeStruct, "UncommonType": sizeUncommon, "Method": sizeMethod,
		"Imethod": sizeImethod, "StructField": sizeField,
	}
	offsets := map[string]map[string]int64{
		"Type": {"Size_": offSize, "PtrBytes": offPtrBytes, "Hash": offHash, "TFlag": offTFlag, "Align_": offAlign, "FieldAlign_": offFieldAlign,
			"Kind_": offKind, "Equal": offEqual, "GCData": offGCData, "Str": offStr, "PtrToThis": offPtrToThis},
		"ArrayType":     {"Type": 0, "Elem": offArrayElem, "Slice": offArraySlice, "Len": offArrayLen},
		"ChanType":      {"Type": 0, "Elem": offChanElem, "Dir": offChanDir},
		"FuncType":      {"Type": 0, "InCount": offInCount, "OutCount": offOutCount},
		"InterfaceType": {"Type": 0, "PkgPath": offIfacePkg, "Methods": offIfaceMethods},
		"MapType": {"Type": 0, "Key": offMapKey, "Elem": offMapElem, "Group": offMapElem + 8, "Hasher": offMapHasher, "GroupSize": offMapGroupSize,
			"ElemOff": int64(tail.elemOff), "Flags": int64(tail.flags)},
		"PtrType":      {"Type": 0, "Elem": offElem},
		"SliceType":    {"Type": 0, "Elem": offElem},
		"StructType":   {"Type": 0, "PkgPath": offStructPkg, "Fields": offStructFields},
		"UncommonType": {"PkgPath": offPkgPath, "Mcount": offMcount, "Xcount": offXcount, "Moff": offMoff, "_": 12},
		"Method":       {"Name": 0, "Mtyp": 4, "Ifn": 8, "Tfn": 12},
		"Imethod":      {"Name": 0, "Typ": 4},
		"StructField":  {"Name": 0, "Typ": 8, "Offset": 16},
	}
	for name, off := range map[string]uint32{"SlotSize": tail.slotSize, "KeysOff": tail.keysOff, "KeyStride": tail.keyStride,
		"ElemsOff": tail.elemsOff, "ElemStride": tail.elemStride} {
		if off > 0 {
			offsets["MapType"][name] = int64(off)
		}
	}
	for name, size := range sizes {
		s := pkg.Scope().Lookup(name).Type().Underlying().(*types.Struct)
		if got := layout.Sizes.Sizeof(s); got != size {
			t.Errorf("abi.%s has %d bytes, not %d", name, got, size)
		}
		var fields []*types.Var
		for f := range s.Fields() {
			fields = append(fields, f)
		}
		if len(fields) != len(offsets[name]) {
			t.Errorf("abi.%s has %d fields, not %d", name, len(fields), len(offsets[name]))
		}
		for i, off := range layout.Sizes.Offsetsof(fields) {
			want, ok := offsets[name][fields[i].Name()]
			if !ok || off != want {
				t.Errorf("abi.%s.%s is at %d, not %d", name, fields[i].Name(), off, want)
			}
		}
	}
	consts := map[string]int64{
		"Invalid": int64(Invalid), "Bool": int64(Bool), "Uintptr": int64(Uintptr), "Complex128": int64(Complex128), "Array": int64(Array),
		"Pointer": int64(Pointer), "UnsafePointer": int64(UnsafePointer), "TFlagUncommon": flagUncommon, "TFlagExtraStar": flagExtraStar,
		"TFlagNamed": flagNamed, "TFlagRegularMemory": flagRegularMemory, "TFlagGCMaskOnDemand": flagMaskOnDemand,
		"TFlagDirectIface": flagDirectIface, "MapNeedKeyUpdate": mapNeedKeyUpdate, "MapHashMightPanic": mapHashMightPanic,
		"MapIndirectKey": mapIndirectKey, "MapIndirectElem": mapIndirectElem, "MapMaxKeyBytes": maxMapInline, "MapMaxElemBytes": maxMapInline,
		"MapGroupSlots": mapGroupSlots, "MaxPtrmaskBytes": int64(ours.maxPtrmaskWords()) / 8,
	}
	for name, want := range consts {
		if got := pkg.Scope().Lookup(name).(*types.Const).Val().String(); got != fmt.Sprint(want) {
			t.Errorf("abi.%s = %s, not %d", name, got, want)
		}
	}
}

// TestOracle compares our descriptors with the compiler's for the same types: the samples, and all types
// that can be reached from them.
func TestOracle(t *testing.T) {
	c := newChecker()
	file, err := parser.ParseFile(c.fset, "oracle_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	cfg := types.Config{Importer: c.imp, Sizes: layout.Sizes}
	_, err = cfg.Check("hbcheck.dev/hbcheck/vm/abitype", c.fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	var sets typeutil.MethodSetCache
	locals := make(map[token.Pos]int)
	NumberLocals([]*ast.File{file}, locals)
	o := &oracle{T: t, c: c, b: &Builder{Layouts: layout.NewTable(), Minor: running(), MethodSet: sets.MethodSet, Local: func(obj *types.TypeName) int {
		return locals[obj.Pos()]
	}}}
	o.lists(file, info, "samples", samples)
	o.lists(file, info, "localTypes", localTypes())
	for len(o.work) > 0 {
		w := o.work[len(o.work)-1]
		o.work = o.work[:len(o.work)-1]
		o.compare(w.ours, w.real)
	}
	t.Logf("%d types compared", o.seen.Len())
	if o.seen.Len() < 500 {
		t.Errorf("only %d types compared", o.seen.Len())
	}
}

type oracle struct {
	*testing.T
	c    *checker
	b    *Builder
	seen typeutil.Map
	work []struct {
		ours types.Type
		real reflect.Type
	}
}

// lists queues the element types of the pointers in the composite literal
// inside the declaration called name, whose value is real.
func (o *oracle) lists(file *ast.File, info *types.Info, name string, real []any) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name != name {
				continue
			}
		case *ast.GenDecl:
			if s, ok := d.Specs[0].(*ast.ValueSpec); !ok || s.Names[0].Name != name {
				continue
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || len(lit.Elts) != len(real) {
				return true
			}
			for i, e := range lit.Elts {
				o.push(info.Types[e].Type.(*types.Pointer).Elem(), reflect.TypeOf(real[i]).Elem())
			}
			return false
		})
	}
}

func (o *oracle) push(ours types.Type, real reflect.Type) {
	if o.seen.At(ours) == nil {
		o.seen.Set(ours, true)
		o.work = append(o.work, struct {
			ours types.Type
			real reflect.Type
		}{ours, real})
	}
}

// image is a descriptor read as package reflect does.
type image struct {
	*Descriptor
	relocs map[uint32]Reloc
}

func (m image) u16(off uint32) int    { return int(binary.LittleEndian.Uint16(m.Bytes[off:])) }
func (m image) u32(off uint32) uint32 { return binary.LittleEndian.Uint32(m.Bytes[off:]) }
func (m image) u64(off uint32) uint64 { return binary.LittleEndian.Uint64(m.Bytes[off:]) }

// name reads an abi.Name at off; pkg is "" if the name has no package.
func (m image) name(off uint32) (name, tag, pkg string, bits byte) {
	if off == 0 {
		return
	}
	b := m.Bytes[off:]
	bits, b = b[0], b[1:]
	str := func() string {
		n, k := binary.Uvarint(b)
		s := string(b[k : k+int(n)])
		b = b[k+int(n):]
		return s
	}
	name = str()
	if bits&2 != 0 {
		tag = str()
	}
	if bits&4 != 0 {
		pkg, _, _, _ = m.name(binary.LittleEndian.Uint32(b))
	}
	return
}

func (m image) str() string {
	s, _, _, _ := m.name(m.u32(offStr))
	if m.Bytes[offTFlag]&flagExtraStar != 0 {
		s = s[1:]
	}
	return s
}

// realType is the memory of a descriptor of this process.
type realType struct {
	size, ptrBytes              uintptr
	hash                        uint32
	tflag, align, fieldAlign, k uint8
	equal, gcdata               unsafe.Pointer
	str, ptrToThis              int32
	rest                        [64]byte
}

func (o *oracle) compare(ours types.Type, real reflect.Type) {
	ms := o.b.Methods(ours)
	d := o.b.Describe(ours, ms)
	m := image{d, make(map[uint32]Reloc)}
	last := -1
	for _, r := range d.Relocs {
		if int(r.Off) <= last || r.Off%8 != 0 || m.u64(r.Off) != 0 {
			o.Errorf("%v: bad relocation at %d", real, r.Off)
		}
		last = int(r.Off)
		m.relocs[r.Off] = r
	}
	r := (*realType)((*[2]unsafe.Pointer)(unsafe.Pointer(&real))[1])
	check := func(what string, got, want any) {
		if got != want {
			o.Errorf("%v: %s is %v, gc has %v", real, what, got, want)
		}
	}
	check("String", m.str(), real.String())
	check("Size", m.u64(offSize), uint64(r.size))
	check("PtrBytes", m.u64(offPtrBytes), uint64(r.ptrBytes))
	check("TFlag", d.Bytes[offTFlag], r.tflag)
	check("Align", d.Bytes[offAlign], r.align)
	check("FieldAlign", d.Bytes[offFieldAlign], r.fieldAlign)
	check("Kind", d.Bytes[offKind], r.k)
	_, eq := m.relocs[offEqual]
	check("Equal", eq, r.equal != nil)
	if eq {
		clo := m.relocs[offEqual].Add
		check("Equal closure", m.relocs[clo].Kind, RelocEqual)
		check("Equal type", types.Identical(m.relocs[clo+8].Type, ours), true)
	}
	if n := (r.ptrBytes/8 + 7) / 8; n > 0 && r.tflag&flagMaskOnDemand == 0 {
		at := m.relocs[offGCData].Add
		check("GCData", string(d.Bytes[at:at+uint32(n)]), string(unsafe.Slice((*byte)(r.gcdata), n)))
	}
	at := o.b.fixedSize(KindOf(ours))
	var pkgPath string
	if r.tflag&flagUncommon != 0 {
		pkgPath, _, _, _ = m.name(m.u32(at + offPkgPath))
	}
	if r.tflag&flagNamed != 0 {
		check("PkgPath", pkgPath, real.PkgPath())
	}
	if real.Kind() != reflect.Pointer {
		o.push(types.NewPointer(ours), reflect.PointerTo(real))
	}
	elem := func(off uint32, want reflect.Type) { o.push(m.relocs[off].Type, want) }
	switch real.Kind() {
	case reflect.Array:
		elem(offArrayElem, real.Elem())
		elem(offArraySlice, reflect.SliceOf(real.Elem()))
		check("Len", int(m.u64(offArrayLen)), real.Len())
	case reflect.Chan:
		elem(offChanElem, real.Elem())
		check("ChanDir", reflect.ChanDir(m.u64(offChanDir)), real.ChanDir())
	case reflect.Pointer, reflect.Slice:
		elem(offElem, real.Elem())
	case reflect.Map:
		elem(offMapKey, real.Key())
		elem(offMapElem, real.Elem())
		size := o.b.mapTail().size
		check("map", string(d.Bytes[offMapGroupSize:size]), string(unsafe.Slice((*byte)(unsafe.Pointer(r)), size)[offMapGroupSize:]))
		clo := m.relocs[offMapHasher].Add
		check("Hasher", m.relocs[clo].Kind, RelocHash)
	case reflect.Func:
		check("NumIn", m.u16(offInCount), real.NumIn())
		check("NumOut", m.u16(offOutCount)&^(1<<15), real.NumOut())
		check("IsVariadic", m.u16(offOutCount)>>15 != 0, real.IsVariadic())
		p := at
		if r.tflag&flagUncommon != 0 {
			p += sizeUncommon
		}
		for i := range real.NumIn() {
			elem(p, real.In(i))
			p += 8
		}
		for i := range real.NumOut() {
			elem(p, real.Out(i))
			p += 8
		}
	case reflect.Struct:
		check("NumField", int(m.u64(offStructFields+8)), real.NumField())
		pkg, _, _, _ := m.name(m.relocs[offStructPkg].Add)
		for i := range real.NumField() {
			p, f := m.relocs[offStructFields].Add+uint32(i)*sizeField, real.Field(i)
			name, tag, _, bits := m.name(m.relocs[p].Add)
			fpkg := ""
			if bits&1 == 0 {
				fpkg = pkg
			}
			check(fmt.Sprint("field ", i), fmt.Sprint(name, tag, fpkg, bits&8 != 0, m.u64(p+16)), fmt.Sprint(f.Name, f.Tag, f.PkgPath, f.Anonymous, f.Offset))
			elem(p+8, f.Type)
		}
	case reflect.Interface:
		check("NumMethod", int(m.u64(offIfaceMethods+8)), real.NumMethod())
		pkg, _, _, _ := m.name(m.relocs[offIfacePkg].Add)
		for i := range real.NumMethod() {
			p, f := m.relocs[offIfaceMethods].Add+uint32(i)*sizeImethod, real.Method(i)
			o.method(real, f, m, p, pkg)
			o.push(TypeAt(ours, ms, int32(m.u32(p+4))), f.Type)
		}
	}
	if real.Kind() == reflect.Interface || r.tflag&flagUncommon == 0 {
		return
	}
	raw := (*[16]byte)(unsafe.Add(unsafe.Pointer(r), at))
	check("Mcount", m.u16(at+offMcount), int(binary.LittleEndian.Uint16(raw[offMcount:])))
	check("Xcount", m.u16(at+offXcount), int(binary.LittleEndian.Uint16(raw[offXcount:])))
	check("Xcount", m.u16(at+offXcount), real.NumMethod())
	for i := range min(real.NumMethod(), m.u16(at+offMcount)) {
		p, f := at+m.u32(at+offMoff)+uint32(i)*sizeMethod, real.Method(i)
		o.method(real, f, m, p, pkgPath)
		n, ifn, ok := MethodOf(int32(m.u32(p + 8)))
		check("Ifn", fmt.Sprint(n, ifn, ok), fmt.Sprint(i, true, true))
		n, ifn, ok = MethodOf(int32(m.u32(p + 12)))
		check("Tfn", fmt.Sprint(n, ifn, ok), fmt.Sprint(i, false, true))
		sig := TypeAt(ours, ms, int32(m.u32(p+4)))
		if got, want := o.b.NameString(sig), f.Type.String(); len(got) < len("func()") || len(want) < len(got) {
			o.Errorf("%v: method %s is %s, gc has %s", real, f.Name, got, want)
		}
		o.push(sig, reflect.Zero(real).Method(i).Type())
	}
}

func (o *oracle) method(real reflect.Type, f reflect.Method, m image, p uint32, pkg string) {
	name, _, own, bits := m.name(m.u32(p))
	if own != "" {
		pkg = own
	}
	if bits&1 != 0 {
		pkg = ""
	}
	if name != f.Name || pkg != f.PkgPath {
		o.Errorf("%v: method %q.%s, gc has %q.%s", real, pkg, name, f.PkgPath, f.Name)
	}
}

func BenchmarkDescribe(b *testing.B) {
	c := newChecker()
	pkg, err := c.imp.Import("net/netip")
	if err != nil {
		b.Fatal(err)
	}
	var sets typeutil.MethodSetCache
	build := &Builder{Layouts: layout.NewTable(), Minor: running(), MethodSet: sets.MethodSet}
	t := types.NewPointer(pkg.Scope().Lookup("Prefix").Type())
	ms := build.Methods(t)
	for b.Loop() {
		build.Describe(t, ms)
	}
}
