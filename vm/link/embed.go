package link

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/types"
	"os"
	"path"
	"slices"
	"strings"
	"unsafe"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Embed fills the variables with //go:embed directives, as the compiler does (WriteEmbed in
// cmd/compile/internal/staticdata): they have their values before any code runs.
func (k *Linker) Embed() error {
	for _, p := range k.prog.All {
		for i := range p.Embeds {
			e := &p.Embeds[i]
			if err := k.embedOne(p, e); err != nil {
				return fmt.Errorf("%s: go:embed: %w", k.prog.Within(k.prog.Fset.Position(e.Pos)), err)
			}
		}
	}
	return nil
}

func (k *Linker) embedOne(p *load.Package, e *load.Embed) error {
	g := p.SSA.Var(e.Var.Name())
	if g == nil { // the blank identifier
		return nil
	}
	var data []string
	for _, f := range e.Files {
		b, err := os.ReadFile(f.Path)
		if err != nil {
			return err
		}
		if int64(len(b)) > 1<<31 {
			return fmt.Errorf("%s is larger than 2 GB", f.Path)
		}
		data = append(data, string(b))
	}
	h := k.heap
	dst := k.Global(g)
	size := k.prog.Sizes.Sizeof(e.Var.Type())
	words := unsafe.Slice((*uint64)(h.Load(dst, uint64(size), 0)), size/8)
	switch t := e.Var.Type().Underlying().(type) {
	case *types.Struct: // embed.FS
		pfiles, ok := t.Field(0).Type().Underlying().(*types.Pointer)
		if !ok {
			return fmt.Errorf("%v is no embed.FS", e.Var.Type())
		}
		words[0] = k.embedFS(pfiles.Elem(), e.Files, data)
		return nil
	case *types.Slice: // the program may change the slice
		if len(data) != 1 {
			return fmt.Errorf("%d files for one variable", len(data))
		}
		p := k.newStatic(static{size: uint32(len(data[0])), layout: k.byteID, flags: heap.Var | heap.Shared})
		h.Objs[p>>32].Epoch = 0
		copy(h.Bytes(p, uint32(len(data[0]))), data[0])
		words[0], words[1], words[2] = p, uint64(len(data[0])), uint64(len(data[0]))
		return nil
	}
	if len(data) != 1 {
		return fmt.Errorf("%d files for one variable", len(data))
	}
	words[0], words[1] = k.Literal(data[0]), uint64(len(data[0]))
	return nil
}

// embedFS returns the address of a slice of embed.file, in the order that package embed requires:
// by directory, then by name; directories end in a slash.
func (k *Linker) embedFS(slice types.Type, files []load.EmbedFile, data []string) uint64 {
	const fileWords = 6 // name, data, hash
	type file struct{ name, data string }
	var all []file
	known := map[string]bool{".": true}
	for i, f := range files {
		all = append(all, file{f.Name, data[i]})
		for dir := path.Dir(f.Name); !known[dir]; dir = path.Dir(dir) {
			known[dir] = true
			all = append(all, file{name: dir + "/"})
		}
	}
	slices.SortFunc(all, func(a, b file) int {
		x, y := strings.TrimSuffix(a.name, "/"), strings.TrimSuffix(b.name, "/")
		return cmp.Or(cmp.Compare(path.Dir(x), path.Dir(y)), cmp.Compare(path.Base(x), path.Base(y)))
	})
	h := k.heap
	elem := k.layouts.Of(slice.Underlying().(*types.Slice).Elem())
	array := k.newStatic(static{size: uint32(len(all) * fileWords * 8), layout: elem.ID, flags: heap.Frozen})
	w := unsafe.Slice((*uint64)(h.Objs[array>>32].Mem), len(all)*fileWords)
	for i, f := range all {
		w := w[i*fileWords:]
		w[0], w[1] = k.Literal(f.name), uint64(len(f.name))
		if strings.HasSuffix(f.name, "/") {
			continue
		}
		w[2], w[3] = k.Literal(f.data), uint64(len(f.data))
		sum := sha256.Sum256([]byte(f.data))
		w[4], w[5] = binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])
	}
	header := k.newStatic(static{size: 24, layout: k.layouts.Of(slice).ID, flags: heap.Frozen})
	s := unsafe.Slice((*uint64)(h.Objs[header>>32].Mem), 3)
	s[0], s[1], s[2] = array, uint64(len(all)), uint64(len(all))
	return header
}
