package saved

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// A Header identifies the search of a file. The reader must have an equal one.
type Header []Part

// A Part of a header is a value with its name.
type Part struct{ Name, Value string }

// magic is the beginning of a file, with the version of the format.
const magic = "hbcheck: a search to go on with, 1\n"

var table = crc32.MakeTable(crc32.Castagnoli)

// Write writes a file with the variables to which data point. It replaces an old file atomically. If over
// becomes true, Write stops soon, with ErrStopped, and leaves the old file.
func Write(name string, over func() bool, h Header, data ...any) (size int64, err error) {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	sum := crc32.New(table)
	w := bufio.NewWriterSize(io.MultiWriter(f, sum), mostUnasked)
	e := newEncoder(w)
	e.over = over
	e.raw([]byte(magic))
	e.uint(uint64(len(h)))
	for _, p := range h {
		e.string(p.Name)
		e.string(p.Value)
	}
	e.data(data)
	if err := errors.Join(e.err, w.Flush()); err != nil {
		return 0, err
	}
	if err := binary.Write(f, binary.LittleEndian, sum.Sum32()); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if err := f.Close(); err != nil {
		return 0, err
	}
	return info.Size(), os.Rename(f.Name(), name)
}

// mostUnasked is the amount of work between two calls of over, in bytes written or read, or elements
// sorted.
const mostUnasked = 1 << 16

// ErrStopped is the error of writing and reading if over has become true.
var ErrStopped = errors.New("stopped while the search was being saved or read")

// An asker calls over now and then, to find out whether to stop.
type asker struct {
	over func() bool // nil: never
	work int         // since over was called
}

// stops counts n units of work and reports whether to stop.
func (a *asker) stops(n int) bool {
	//mutant: saving and reading a search do not stop [test ./internal/saved TestStopped]: true
	if a.work += n; a.work < mostUnasked || a.over == nil {
		return false
	}
	a.work = 0
	return a.over()
}

// A File is an open saved file.
type File struct {
	f *os.File
	d *decoder
}

// A Mismatch is the error of opening a file whose header differs.
type Mismatch struct{ Part string }

func (e *Mismatch) Error() string { return "it was saved with another " + e.Part }

// errDamaged is the error of a file that differs from the written one.
var errDamaged = errors.New("it is damaged")

// Open opens a file that has the header h. The error is fs.ErrNotExist, a *Mismatch,
// or an error for a file that Write has not written. If over becomes true, it and Read stop soon, with
// ErrStopped.
func Open(name string, over func() bool, h Header) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	x := &File{f: f}
	if err := x.open(over, h); err != nil {
		f.Close()
		return nil, err
	}
	return x, nil
}

func (x *File) open(over func() bool, h Header) error {
	if err := checkSum(x.f, over); err != nil {
		return err
	}
	if _, err := x.f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	x.d = &decoder{r: bufio.NewReaderSize(x.f, mostUnasked), asker: asker{over: over}}
	return x.d.protect(func() {
		begin := make([]byte, len(magic))
		if x.d.raw(begin); string(begin) != magic {
			x.d.fail("it is of another version")
		}
		n := x.d.uint()
		if n != uint64(len(h)) {
			x.d.fail("it is of another version")
		}
		for _, p := range h {
			if name, value := x.d.string(), x.d.string(); name != p.Name || value != p.Value {
				panic(failure{&Mismatch{p.Name}})
			}
		}
	})
}

// checkSum compares the file with its sum.
func checkSum(f *os.File, over func() bool) error {
	begin := make([]byte, len(magic))
	if _, err := io.ReadFull(f, begin); err != nil || !strings.HasPrefix(string(begin), magic[:len("hbcheck: a search")]) {
		return errors.New("it is not a saved search")
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	sum := crc32.New(table)
	if info.Size() < 4 {
		return errDamaged
	}
	for left := info.Size() - 4; left > 0; left -= mostUnasked {
		if over() {
			return ErrStopped
		}
		if _, err := io.CopyN(sum, f, min(left, mostUnasked)); err != nil {
			return err
		}
	}
	var want uint32
	if err := binary.Read(f, binary.LittleEndian, &want); err != nil {
		return err
	}
	if want != sum.Sum32() {
		return errDamaged
	}
	return nil
}

// Read reads the next of the written data into the variable that p points to.
func (x *File) Read(p any) error {
	return x.d.protect(func() {
		v := reflect.ValueOf(p)
		codecOf(v.Type()).dec(x.d, addressOf(v))
	})
}

// Close closes the file.
func (x *File) Close() error { return x.f.Close() }

// addressOf returns the address of the pointer v.
func addressOf(v reflect.Value) unsafe.Pointer {
	x := reflect.New(v.Type())
	x.Elem().Set(v)
	return x.UnsafePointer()
}

// An encoder writes values. It keeps its first error.
type encoder struct {
	asker
	w       io.Writer
	err     error
	targets map[pointerKey]uint64
	holding *ranges // nil: no check
	buf     [binary.MaxVarintLen64]byte
}

func newEncoder(w io.Writer) *encoder {
	return &encoder{w: w, targets: make(map[pointerKey]uint64)}
}

// data writes the targets of pointers.
func (e *encoder) data(list []any) {
	for _, p := range list {
		v := reflect.ValueOf(p)
		codecOf(v.Type()).enc(e, addressOf(v))
	}
}

func (e *encoder) raw(b []byte) {
	for len(b) > 0 && e.err == nil {
		part := b[:min(len(b), mostUnasked)]
		if e.look(len(part)); e.err == nil {
			_, e.err = e.w.Write(part)
		}
		b = b[len(part):]
	}
}

// look counts n units of work, and reports whether the encoder has to stop.
func (e *encoder) look(n int) (over bool) {
	if e.err == nil && e.stops(n) {
		e.err = ErrStopped
	}
	return e.err != nil
}

func (e *encoder) uint(n uint64) { e.raw(e.buf[:binary.PutUvarint(e.buf[:], n)]) }

func (e *encoder) string(s string) {
	e.uint(uint64(len(s)))
	e.raw(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// holds records that the bytes at p are the target of a pointer (target) or the elements of a slice.
func (e *encoder) holds(p unsafe.Pointer, size uintptr, target bool) {
	if e.holding != nil {
		e.holding.add(uintptr(p), size, target)
	}
}

// A decoder reads values. Its methods panic with a failure.
type decoder struct {
	asker
	r       *bufio.Reader
	targets []reflect.Value
}

type failure struct{ err error }

func (d *decoder) fail(text string) { panic(failure{errors.New(text)}) }

// protect returns the failure of f.
func (d *decoder) protect(f func()) (err error) {
	defer func() {
		if x := recover(); x != nil {
			fail, ok := x.(failure)
			if !ok {
				panic(x)
			}
			err = fail.err
		}
	}()
	f()
	return nil
}

func (d *decoder) raw(b []byte) {
	for len(b) > 0 {
		part := b[:min(len(b), mostUnasked)]
		d.look(len(part))
		if _, err := io.ReadFull(d.r, part); err != nil {
			panic(failure{fmt.Errorf("%w: %v", errDamaged, err)})
		}
		b = b[len(part):]
	}
}

// look counts n units of work.
func (d *decoder) look(n int) {
	if d.stops(n) {
		panic(failure{ErrStopped})
	}
}

func (d *decoder) uint() uint64 {
	d.look(1)
	n, err := binary.ReadUvarint(d.r)
	if err != nil {
		panic(failure{fmt.Errorf("%w: %v", errDamaged, err)})
	}
	return n
}

func (d *decoder) string() string {
	n := d.uint()
	d.room(n, 1)
	b := make([]byte, n)
	d.raw(b)
	return string(b)
}

// room fails if n elements do not fit in memory.
func (d *decoder) room(n uint64, size uintptr) {
	if n > 1<<40/uint64(max(1, size)) {
		panic(failure{errDamaged})
	}
}

// ranges are the addresses of the written data.
type ranges struct{ list []span }

type span struct {
	from, to uintptr
	target   bool // of a pointer
}

func (r *ranges) add(p, size uintptr, target bool) {
	if size > 0 {
		r.list = append(r.list, span{p, p + size, target})
	}
}

// Overlaps returns an error if the variables to which data point have a pointer to a part of
// another target, or to an element of a slice: Read would make that pointer point to a copy. Slices
// may share elements that are not written to.
func Overlaps(data ...any) error {
	e := newEncoder(io.Discard)
	e.holding = new(ranges)
	e.data(data)
	list := e.holding.list
	slices.SortFunc(list, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	around := span{}
	for _, x := range list {
		if x.target && x.from < around.to && (x.from != around.from || x.to != around.to) {
			return fmt.Errorf("a pointer to %d bytes points into another target of %d bytes", x.to-x.from, around.to-around.from)
		}
		if x.to > around.to {
			around = x
		}
	}
	return nil
}
