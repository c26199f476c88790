package saved

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

type node struct {
	Name string
	next *node
	up   *tree
	f    func() int `saved:"-"`
}

type shape interface{ area() float64 }

type square struct{ side float64 }

func (s square) area() float64 { return s.side * s.side }

type circle struct{ r float64 }

func (c *circle) area() float64 { return 3 * c.r * c.r }

type tree struct {
	first  *node
	byName map[string]*node
	marks  map[*node]int8
	words  []uint32
	empty  []uint32
	none   []uint32
	pairs  [][2]uint64
	lists  [][]string
	shapes []shape
	n      int64
	b      bool
	host   *os.File `saved:"-"`
	inner  struct{ x, y uint16 }
}

func init() {
	Register(square{})
	Register(&circle{})
}

func example() *tree {
	t := &tree{words: []uint32{1, 1 << 31}, empty: []uint32{}, pairs: [][2]uint64{{1, 2}, {3, ^uint64(0)}}, n: -5, b: true,
		lists: [][]string{nil, {}, {"a", ""}}, shapes: []shape{square{2}, nil, &circle{1}}}
	t.inner.x, t.inner.y = 1, 65535
	a := &node{Name: "a", up: t}
	b := &node{Name: "b", up: t, next: a}
	a.next = b
	t.first, t.byName, t.marks = a, map[string]*node{"a": a, "b": b, "": nil}, map[*node]int8{b: -1}
	return t
}

var header = Header{{"program", "p"}, {"build", "1"}}

func write(t *testing.T, data ...any) string {
	name := filepath.Join(t.TempDir(), "x.hbs")
	if _, err := Write(name, never, header, data...); err != nil {
		t.Fatal(err)
	}
	return name
}

func open(t *testing.T, name string) *File {
	f, err := Open(name, never, header)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestRead: data are restored, with their cycles; fields that are not saved remain.
func TestRead(t *testing.T) {
	x, n := example(), 7
	name := write(t, x, &n)
	host := os.Stdout
	spare := &node{f: func() int { return 3 }}
	y, m := &tree{host: host, first: spare, words: []uint32{9, 9, 9}}, 0
	f := open(t, name)
	if err := errors.Join(f.Read(y), f.Read(&m)); err != nil {
		t.Fatal(err)
	}
	if y.host != host || y.first != spare || y.first.f() != 3 {
		t.Error("what is not saved has changed")
	}
	if y.first.next.next != y.first || y.first.up != y || y.byName["b"] != y.first.next || y.marks[y.first.next] != -1 {
		t.Error("pointers are others")
	}
	if y.none != nil || y.empty == nil || y.lists[0] != nil || y.lists[1] == nil {
		t.Error("nil is not empty")
	}
	if y.shapes[0] != (square{2}) || y.shapes[1] != nil || y.shapes[2].area() != 3 {
		t.Errorf("%v", y.shapes)
	}
	spare.f, y.host, x.marks, y.marks = nil, nil, nil, nil // keys that are pointers are compared above
	if !reflect.DeepEqual(x, y) || m != n {
		t.Errorf("%+v\n%+v", x, y)
	}
}

// TestSame: equal data give equal files, whatever the order of maps.
func TestSame(t *testing.T) {
	m := make(map[uint64]string)
	for i := range uint64(100) {
		m[i*i] = strings.Repeat("x", int(i))
	}
	a, _ := os.ReadFile(write(t, &m))
	b, _ := os.ReadFile(write(t, &m))
	if !bytes.Equal(a, b) {
		t.Error("two files differ")
	}
}

// TestRefused: a file of another kind, and a file with damage anywhere, are refused.
func TestRefused(t *testing.T) {
	name := write(t, example())
	var mismatch *Mismatch
	for _, h := range []Header{{{"program", "q"}, header[1]}, {header[0], {"build", "2"}}} {
		if _, err := Open(name, never, h); !errors.As(err, &mismatch) {
			t.Errorf("%v: %v", h, err)
		}
	}
	if _, err := Open(name, never, header[:1]); err == nil {
		t.Error("a shorter header is accepted")
	}
	if _, err := Open(name+"x", never, header); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 0x10
		if err := os.WriteFile(name, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(name, never, header); err == nil {
			t.Fatalf("byte %d is another, and that is accepted", i)
		}
		if err := os.WriteFile(name, data[:i], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(name, never, header); err == nil {
			t.Fatalf("only %d bytes, and that is accepted", i)
		}
	}
}

// TestOtherData: reading something else than was written is an error, or another value, but no panic.
func TestOtherData(t *testing.T) {
	n := 1 << 40
	f := open(t, write(t, &n))
	if err := f.Read(&tree{}); err == nil {
		t.Error("a tree was read where there is a number")
	}
	if err := f.Read(&n); err == nil {
		t.Error("there is no more data")
	}
}

// TestNotSaved: a type that cannot be saved is noticed at its first use.
func TestNotSaved(t *testing.T) {
	for _, x := range []any{&struct{ f func() }{}, &struct{ list []struct{ c chan int } }{}, &struct{ shape }{&struct{ square }{}}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%T: no panic", x)
				}
			}()
			Write(filepath.Join(t.TempDir(), "x"), never, nil, x)
		}()
	}
}

// TestOverlaps: pointers into slices and structs are noticed.
func TestOverlaps(t *testing.T) {
	if err := Overlaps(example()); err != nil {
		t.Error(err)
	}
	nodes := make([]node, 3)
	nodes[0].next = &nodes[2]
	if Overlaps(&nodes) == nil {
		t.Error("a pointer into a slice is accepted")
	}
}

// TestUnwritable: a file that cannot be written leaves the one that was there.
func TestUnwritable(t *testing.T) {
	if _, err := Write(filepath.Join(t.TempDir(), "none", "x"), never, header); err == nil {
		t.Error("no error")
	}
}

func never() bool { return false }

// TestStopped: writing and reading check often whether they have to stop; a stopped write leaves the old
// file, and no other.
func TestStopped(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x")
	type data struct {
		Texts []string
		Map   map[uint64]uint64
		Bytes []byte
	}
	large := data{make([]string, 3000), make(map[uint64]uint64), make([]byte, 30*mostUnasked)}
	for i := range large.Texts {
		large.Texts[i] = strings.Repeat("x", 1000)
	}
	for i := range uint64(100_000) {
		large.Map[i*i*i] = i
	}
	asked, most := 0, math.MaxInt
	over := func() bool { asked++; return asked > most }
	size, err := Write(name, over, nil, &large)
	writes := asked
	// Keys are written twice, and sorting takes n log n comparisons, of which some may be saved.
	if least := int(size)/mostUnasked + len(large.Map)*16/mostUnasked/2; err != nil || writes < least {
		t.Fatalf("%d bytes, asked %d times, want %d: %v", size, writes, least, err)
	}
	before, _ := os.ReadFile(name)
	for most = 0; most < writes; most += 1 + most/4 {
		asked = 0
		if _, err := Write(name, over, nil, &large); !errors.Is(err, ErrStopped) || asked != most+1 {
			t.Errorf("at most %d, asked %d times: %v", most, asked, err)
		}
	}
	after, _ := os.ReadFile(name)
	files, _ := os.ReadDir(dir)
	if !bytes.Equal(before, after) || len(files) != 1 {
		t.Errorf("%d and %d bytes, %d files", len(before), len(after), len(files))
	}
	read := func() error {
		asked = 0
		f, err := Open(name, over, nil)
		if err == nil {
			err = f.Read(&data{})
			f.Close()
		}
		return err
	}
	most = math.MaxInt
	if err := read(); err != nil || asked < 2*int(size)/mostUnasked*9/10 {
		t.Fatalf("%d bytes, asked %d times: %v", size, asked, err)
	}
	reads := asked
	for most = 0; most < reads; most += 1 + most/4 {
		if err := read(); !errors.Is(err, ErrStopped) || asked != most+1 {
			t.Errorf("at most %d, asked %d times: %v", most, asked, err)
		}
	}
}
