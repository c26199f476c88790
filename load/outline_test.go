package load

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// memory is a Store.
type memory struct {
	mu   sync.Mutex
	data map[string][]byte
}

func (m *memory) Bytes(key string) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.data[key]
	return data, ok
}

func (m *memory) PutBytes(key string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.data[key] = data
}

// TestOutlines: a program is the same with outlines of the library as without, even if some outlines are
// missing, damaged, or from another build.
func TestOutlines(t *testing.T) {
	dir := extract(t, library)
	store := &memory{data: make(map[string][]byte)}
	outlined := func(prog *Program) (n int) {
		for _, p := range prog.All {
			if p.outline != nil {
				n++
			}
		}
		return n
	}
	load := func(store Store, build string) *Program {
		return overlaid(t, Config{Dir: dir, Tests: true, Implicit: []string{"runtime"}, Outlines: store, Build: build})
	}
	plain := load(nil, "")
	signatures := textsOf(plain, false)
	want := textsOf(plain, true)
	load(store, "1")
	all := len(store.data)
	if all < 30 {
		t.Fatalf("%d outlines", all)
	}
	prog := load(store, "1")
	if n := outlined(prog); n != all {
		t.Errorf("%d packages have outlines, and %d are kept", n, all)
	}
	compare(t, "outlines", textsOf(prog, true), want)
	damaged := 0
	for key, data := range store.data { // in any order: which ones does not matter
		switch damaged++; damaged % 3 {
		case 0:
			store.data[key] = data[:len(data)/2]
		case 1:
			delete(store.data, key)
		}
	}
	prog = load(store, "1")
	if n := outlined(prog); n == 0 || n > all/3+1 {
		t.Errorf("%d of %d packages have outlines, though two thirds are damaged", n, all)
	}
	compare(t, "some outlines", textsOf(prog, false), signatures)
	if n := outlined(load(store, "2")); n != 0 {
		t.Errorf("another build takes %d outlines", n)
	}
}

// TestOutlineTruncated: a part of an outline is not taken for one.
func TestOutlineTruncated(t *testing.T) {
	x := &outline{name: "p", imports: []string{"q"}, files: []outlineFile{{name: "f.go", size: 9, lines: []int{0, 5}, pieces: []piece{{kind: 1, off: 2, end: 7}}}},
		decls: []outlineDecl{{names: []string{"F"}, mentions: []outlineMention{{-1, "G"}, {0, "F"}}}}}
	data := encodeOutline(x)
	if y, ok := decodeOutline(data); !ok || string(encodeOutline(y)) != string(data) {
		t.Error("an outline changes when it is written and read")
	}
	for n := range data {
		if _, ok := decodeOutline(data[:n]); ok {
			t.Errorf("%d of %d bytes are an outline", n, len(data))
		}
	}
	if _, ok := decodeOutline(append(data, 0)); ok {
		t.Error("more than an outline is one")
	}
}

// TestOutlineKey: a package whose files differ has another outline, and a package whose files have
// just been written has no outline.
func TestOutlineKey(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f.go")
	o := &outlines{base: "base"}
	keys := make(map[string]bool)
	for i, text := range []string{"package p\n", "package p // longer\n", "package p // edited\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if o.key("p", dir) != "" {
			t.Error("a file that has just been written has an outline")
		}
		when := time.Now().Add(-time.Hour * time.Duration(i+1))
		if err := os.Chtimes(name, when, when); err != nil {
			t.Fatal(err)
		}
		keys[o.key("p", dir)] = true
	}
	if len(keys) != 3 || keys[""] {
		t.Errorf("%d keys of three versions", len(keys))
	}
}
