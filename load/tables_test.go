package load

import (
	"encoding/binary"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"
	"unsafe"
)

// TestTables compares the tables of a file with the memory that gc initialises for it.
func TestTables(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "tables_values_test.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p := &Package{Files: []*ast.File{file}}
	p.cutTables()
	p.Info = &types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	cfg := types.Config{Sizes: sizes}
	if p.Types, err = cfg.Check("load", fset, p.Files, p.Info); err != nil {
		t.Fatal(err)
	}
	p.layTables()

	want := map[string][]byte{
		"tableBytes":   bytesOf(tableBytes[:]),
		"tableKeys":    bytesOf(tableKeys[:]),
		"tableKeyed":   bytesOf(tableKeyed[:]),
		"tableSums":    bytesOf(tableSums),
		"tableRows":    bytesOf(tableRows),
		"tableFlags":   bytesOf(tableFlags[:]),
		"tableFloats":  bytesOf(tableFloats),
		"tableComplex": bytesOf(tableComplex[:]),
		"tableInner":   bytesOf(tableInner[0]),
		"tablePointer": bytesOf(tablePointer.r),
	}
	text := map[string]func(off int) string{
		"tableRows":  func(off int) string { return tableRows[off/int(unsafe.Sizeof(tableRow{}))].s },
		"tableInner": func(off int) string { return tableInner[0][off/16] },
	}
	// These are no tables: a map element without its type, elements with pointers, and composite literals
	// inside functions.
	_, _, _ = tableOfMap, noTable, noTableFuncs
	if len(p.tables) != len(want) {
		t.Errorf("%d tables, want %d", len(p.tables), len(want))
	}
	for pos, table := range p.tables {
		name := varAt(file, pos)
		b, ok := want[name]
		if !ok {
			t.Errorf("%s is a table", name)
			continue
		}
		for _, s := range table.Strings { // the program's strings have other addresses
			if want := text[name](s.Offset); s.Text != want || binary.LittleEndian.Uint64(b[s.Offset+8:]) != uint64(len(want)) {
				t.Errorf("%s: string %q at %d, want %q", name, s.Text, s.Offset, want)
			}
			clear(b[s.Offset : s.Offset+16])
		}
		if !slices.Equal(table.Bytes, b) {
			t.Errorf("%s: %x, want %x", name, table.Bytes, b)
		}
	}
}

// bytesOf returns a copy of the memory of s.
func bytesOf[T any](s []T) []byte {
	return slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0]))))
}

// varAt returns the name of the variable whose initial value contains pos.
func varAt(file *ast.File, pos token.Pos) (name string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.ValueSpec); ok && s.Pos() <= pos && pos < s.End() {
			name = s.Names[0].Name
		}
		return true
	})
	return name
}
