// Package saved writes the data of a search to a file, and reads it back in another process.
//
// Data are values of Go: numbers, strings, arrays, slices, maps, structs with all their fields, exported
// or not, and pointers between these, cycles included. So a search is saved by naming its roots, and a
// field that is added to it later is saved, too. Other fields (functions, channels, the explored
// system) have the tag `saved:"-"`: they are not written, and reading leaves them unchanged. A type
// that has such a field without the tag panics at its first use.
//
//	process 1    s := newSearch(sys)    ...explores...    Write(&s)
//	process 2    s := newSearch(sys)                      Read(&s)     s.sys is that of process 2
//
// Reading fills existing targets: a pointer that is not nil in the reader keeps its target. Other
// pointers get new targets. Two pointers to one target stay equal; but a pointer to an element of a
// slice, or to a field of a struct, would then point to a copy, so it is not allowed. Interfaces
// hold values of registered types.
//
// Both processes execute the same program, which the caller compares (Header); the file has no types.
package saved

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

// tag is the key of the tag of fields.
const tag = "saved"

// A codec writes and reads the values of one type.
type codec struct {
	enc func(e *encoder, p unsafe.Pointer)
	dec func(d *decoder, p unsafe.Pointer)
}

var codecs struct {
	sync.Mutex
	of map[reflect.Type]*codec
}

var registered = struct {
	byName map[string]reflect.Type
	names  map[reflect.Type]string
}{make(map[string]reflect.Type), make(map[reflect.Type]string)}

// Register allows values of the type of v in interfaces. It is called before the first use of a codec.
func Register(v any) {
	t := reflect.TypeOf(v)
	registered.byName[t.String()], registered.names[t] = t, t.String()
}

// codecOf returns the codec of t. It panics if some values of t cannot be saved.
func codecOf(t reflect.Type) *codec {
	codecs.Lock()
	defer codecs.Unlock()
	if codecs.of == nil {
		codecs.of = make(map[reflect.Type]*codec)
	}
	return codecLocked(t, t.String())
}

// codecLocked is codecOf. where names a value of type t, for messages.
func codecLocked(t reflect.Type, where string) *codec {
	if c := codecs.of[t]; c != nil {
		return c
	}
	c := new(codec)
	codecs.of[t] = c // types refer to themselves
	done := false
	defer func() {
		if !done {
			delete(codecs.of, t)
		}
	}()
	fill(c, t, where)
	done = true
	return c
}

func fill(c *codec, t reflect.Type, where string) {
	switch t.Kind() {
	case reflect.Bool:
		c.enc = func(e *encoder, p unsafe.Pointer) { e.uint(uint64(*(*uint8)(p))) }
		c.dec = func(d *decoder, p unsafe.Pointer) { *(*bool)(p) = d.uint() != 0 }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		c.enc = func(e *encoder, p unsafe.Pointer) {
			n := reflect.NewAt(t, p).Elem().Int()
			e.uint(uint64(n)<<1 ^ uint64(n>>63))
		}
		c.dec = func(d *decoder, p unsafe.Pointer) {
			n := d.uint()
			reflect.NewAt(t, p).Elem().SetInt(int64(n>>1) ^ -int64(n&1))
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		c.enc = func(e *encoder, p unsafe.Pointer) { e.uint(reflect.NewAt(t, p).Elem().Uint()) }
		c.dec = func(d *decoder, p unsafe.Pointer) { reflect.NewAt(t, p).Elem().SetUint(d.uint()) }
	case reflect.Float32, reflect.Float64:
		c.enc = func(e *encoder, p unsafe.Pointer) { e.uint(math.Float64bits(reflect.NewAt(t, p).Elem().Float())) }
		c.dec = func(d *decoder, p unsafe.Pointer) {
			reflect.NewAt(t, p).Elem().SetFloat(math.Float64frombits(d.uint()))
		}
	case reflect.String:
		c.enc = func(e *encoder, p unsafe.Pointer) { e.string(*(*string)(p)) }
		c.dec = func(d *decoder, p unsafe.Pointer) { *(*string)(p) = d.string() }
	case reflect.Array:
		fillArray(c, t, where)
	case reflect.Slice:
		fillSlice(c, t, where)
	case reflect.Struct:
		fillStruct(c, t, where)
	case reflect.Pointer:
		fillPointer(c, t, where)
	case reflect.Map:
		fillMap(c, t, where)
	case reflect.Interface:
		fillInterface(c, t, where)
	default:
		panic(fmt.Sprintf("BUG: %s is a %v, which cannot be saved: it wants the tag `%s:\"-\"`", where, t, tag))
	}
}

// flat reports whether the bytes of a value of t are its whole contents.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return true
	case reflect.Array:
		return flat(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); !flat(f.Type) || f.Tag.Get(tag) != "" {
				return false
			}
		}
		return true
	}
	return false
}

func fillArray(c *codec, t reflect.Type, where string) {
	n, size := t.Len(), t.Elem().Size()
	if flat(t) {
		c.enc = func(e *encoder, p unsafe.Pointer) { e.raw(unsafe.Slice((*byte)(p), t.Size())) }
		c.dec = func(d *decoder, p unsafe.Pointer) { d.raw(unsafe.Slice((*byte)(p), t.Size())) }
		return
	}
	elem := codecLocked(t.Elem(), "an element of "+where)
	c.enc = func(e *encoder, p unsafe.Pointer) {
		for i := range n {
			if elem.enc(e, unsafe.Add(p, uintptr(i)*size)); e.err != nil {
				return
			}
		}
	}
	c.dec = func(d *decoder, p unsafe.Pointer) {
		for i := range n {
			elem.dec(d, unsafe.Add(p, uintptr(i)*size))
		}
	}
}

// sliceHeader is gc's layout of a slice.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// fillSlice: a length, plus one so that nil is not the empty slice, and the elements.
func fillSlice(c *codec, t reflect.Type, where string) {
	size := t.Elem().Size()
	isFlat := flat(t.Elem())
	var elem *codec
	if !isFlat {
		elem = codecLocked(t.Elem(), "an element of "+where)
	}
	c.enc = func(e *encoder, p unsafe.Pointer) {
		s := (*sliceHeader)(p)
		if s.data == nil {
			e.uint(0)
			return
		}
		e.uint(uint64(s.len) + 1)
		e.holds(s.data, uintptr(s.len)*size, false)
		if isFlat {
			e.raw(unsafe.Slice((*byte)(s.data), uintptr(s.len)*size))
			return
		}
		for i := range s.len {
			if elem.enc(e, unsafe.Add(s.data, uintptr(i)*size)); e.err != nil {
				return
			}
		}
	}
	c.dec = func(d *decoder, p unsafe.Pointer) {
		n := d.uint()
		v := reflect.NewAt(t, p).Elem()
		if n == 0 {
			v.SetZero()
			return
		}
		n--
		d.room(n, size)
		v.Set(reflect.MakeSlice(t, int(n), int(n)))
		data := v.UnsafePointer()
		if isFlat {
			d.raw(unsafe.Slice((*byte)(data), uintptr(n)*size))
			return
		}
		for i := range n {
			elem.dec(d, unsafe.Add(data, uintptr(i)*size))
		}
	}
}

func fillStruct(c *codec, t reflect.Type, where string) {
	type field struct {
		offset uintptr
		*codec
	}
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		switch f.Tag.Get(tag) {
		case "-":
			continue
		case "":
		default:
			panic(fmt.Sprintf("BUG: field %s of %v has an unknown tag", f.Name, t))
		}
		if f.Type.Size() > 0 {
			fields = append(fields, field{f.Offset, codecLocked(f.Type, fmt.Sprintf("field %s of %v", f.Name, t))})
		}
	}
	c.enc = func(e *encoder, p unsafe.Pointer) {
		for i := range fields {
			fields[i].enc(e, unsafe.Add(p, fields[i].offset))
		}
	}
	c.dec = func(d *decoder, p unsafe.Pointer) {
		for i := range fields {
			fields[i].dec(d, unsafe.Add(p, fields[i].offset))
		}
	}
}

// fillPointer: targets are numbered from 1 in the order of their first occurrence; 0 is nil. A number that
// is met for the first time is followed by the target.
func fillPointer(c *codec, t reflect.Type, where string) {
	elem := codecLocked(t.Elem(), "the target of "+where)
	c.enc = func(e *encoder, p unsafe.Pointer) {
		target := *(*unsafe.Pointer)(p)
		if target == nil {
			e.uint(0)
			return
		}
		key := pointerKey{target, t}
		n, known := e.targets[key]
		if !known {
			n = uint64(len(e.targets)) + 1
			e.targets[key] = n
		}
		e.uint(n)
		if !known && e.err == nil {
			e.holds(target, t.Elem().Size(), true)
			elem.enc(e, target)
		}
	}
	c.dec = func(d *decoder, p unsafe.Pointer) {
		v := reflect.NewAt(t, p).Elem()
		n := d.uint()
		switch known := uint64(len(d.targets)); {
		case n == 0:
			v.SetZero()
		case n <= known:
			x := d.targets[n-1]
			if x.Type() != t {
				d.fail("a pointer of another type")
			}
			v.Set(x)
		case n == known+1:
			if v.IsNil() {
				v.Set(reflect.New(t.Elem()))
			}
			d.targets = append(d.targets, reflect.ValueOf(v.Interface()))
			elem.dec(d, v.UnsafePointer())
		default:
			d.fail("a pointer to nothing")
		}
	}
}

// pointerKey is a pointer with its type, which distinguishes a pointer to a struct from one to its first
// field.
type pointerKey struct {
	p unsafe.Pointer
	t reflect.Type
}

// fillMap saves a map as a slice of keys with their values, sorted by key, so that equal data give equal
// files. Keys that are pointers are not sorted.
func fillMap(c *codec, t reflect.Type, where string) {
	key := codecLocked(t.Key(), "a key of "+where)
	elem := codecLocked(t.Elem(), "a value of "+where)
	ordered := t.Key().Kind() != reflect.Pointer
	c.enc = func(e *encoder, p unsafe.Pointer) {
		v := reflect.NewAt(t, p).Elem()
		if v.IsNil() {
			e.uint(0)
			return
		}
		e.uint(uint64(v.Len()) + 1)
		k, x := reflect.New(t.Key()), reflect.New(t.Elem())
		if !ordered {
			for it := v.MapRange(); it.Next(); {
				k.Elem().Set(it.Key())
				x.Elem().Set(it.Value())
				key.enc(e, k.UnsafePointer())
				if elem.enc(e, x.UnsafePointer()); e.err != nil {
					return
				}
			}
			return
		}
		type entry struct {
			text []byte
			key  reflect.Value
		}
		entries := make([]entry, 0, v.Len())
		var all bytes.Buffer
		for it := v.MapRange(); it.Next(); {
			k.Elem().Set(it.Key())
			at := all.Len()
			part := encoder{w: &all}
			key.enc(&part, k.UnsafePointer())
			entries = append(entries, entry{all.Bytes()[at:all.Len():all.Len()], it.Key()})
			if e.look(1 + all.Len() - at) {
				return
			}
		}
		slices.SortFunc(entries, func(a, b entry) int {
			if e.look(1) {
				return 0 // the encoder ends soon
			}
			return bytes.Compare(a.text, b.text)
		})
		for _, en := range entries {
			e.raw(en.text)
			x.Elem().Set(v.MapIndex(en.key))
			if elem.enc(e, x.UnsafePointer()); e.err != nil {
				return
			}
		}
	}
	c.dec = func(d *decoder, p unsafe.Pointer) {
		v := reflect.NewAt(t, p).Elem()
		n := d.uint()
		if n == 0 {
			v.SetZero()
			return
		}
		n--
		d.room(n, 1)
		m := reflect.MakeMapWithSize(t, int(n))
		for range n {
			k, x := reflect.New(t.Key()), reflect.New(t.Elem())
			key.dec(d, k.UnsafePointer())
			elem.dec(d, x.UnsafePointer())
			m.SetMapIndex(k.Elem(), x.Elem())
		}
		v.Set(m)
	}
}

// fillInterface writes the name of the type, and then the value.
func fillInterface(c *codec, t reflect.Type, where string) {
	c.enc = func(e *encoder, p unsafe.Pointer) {
		v := reflect.NewAt(t, p).Elem()
		if v.IsNil() {
			e.string("")
			return
		}
		dyn := v.Elem().Type()
		name, known := registered.names[dyn]
		if !known {
			panic(fmt.Sprintf("BUG: %s holds a %v, which is not registered", where, dyn))
		}
		e.string(name)
		x := reflect.New(dyn)
		x.Elem().Set(v.Elem())
		codecOf(dyn).enc(e, x.UnsafePointer())
	}
	c.dec = func(d *decoder, p unsafe.Pointer) {
		v := reflect.NewAt(t, p).Elem()
		name := d.string()
		if name == "" {
			v.SetZero()
			return
		}
		dyn, known := registered.byName[name]
		if !known || !dyn.AssignableTo(t) {
			d.fail("a value of type " + name)
		}
		x := reflect.New(dyn)
		if !v.IsNil() && v.Elem().Type() == dyn { // a pointer keeps its target
			x.Elem().Set(v.Elem())
		}
		codecOf(dyn).dec(d, x.UnsafePointer())
		v.Set(x.Elem())
	}
}
