package fingerprint

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/shadow"
)

// Names in fingerprints (Writer.Naming). Like an object, a name has a number: that of its first place in
// the words. So two states with the same words are equal up to a one-to-one mapping of the names of each
// class, and up to the numbers of objects. The class is in the words, too (shadow.Symbols.WriteFrame,
// WriteCells). Fingerprints with names are whole, because the number of a name depends on earlier words.

// nameBit marks the words of names.
const nameBit = 1 << 60

// NameWord returns the word of the name with number i of the shadows.
func (f *Writer) NameWord(i uint32) uint64 {
	for int(i) >= len(f.named) {
		f.named = append(f.named, visit{})
	}
	x := &f.named[i]
	if x.gen != f.gen {
		f.Names = append(f.Names, i)
		*x = visit{f.gen, uint32(len(f.Names))}
	}
	//mutant: all names are one [test ./vm TestNamedEnds]: "uint64(x.num)" -> "0"
	return nameBit | uint64(x.num)
}

// nameWords replaces the names in ws[at:], the words of an object's contents, and appends elements that
// belong to names, which it clears in ws. Those of large objects without references are not there.
func (f *Writer) nameWords(ws []uint64, at int, id uint32) []uint64 {
	f.Shadows.Named(id, func(off, name uint32) {
		if i := at + int(off/8); i < len(ws) && off%8 == 0 {
			ws[i] = f.NameWord(name)
		}
	})
	list := f.Shadows.Elements(id)
	if len(list) == 0 {
		return ws
	}
	image := unsafe.Slice((*byte)(unsafe.Pointer(&ws[at])), (len(ws)-at)*8)
	for _, e := range list {
		//mutant: elements of names stay where they are [equalOnes]: remove
		clear(image[e.Off : int(e.Off)+len(e.Bytes)])
	}
	place := func(e shadow.Element) uint32 {
		if i := int(e.Name); i < len(f.named) && f.named[i].gen == f.gen {
			return f.named[i].num
		}
		return math.MaxUint32
	}
	slices.SortStableFunc(list, func(a, b shadow.Element) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), bytes.Compare(a.Bytes, b.Bytes))
	})
	ws = append(ws, uint64(len(list)))
	for _, e := range list {
		ws = append(ws, f.NameWord(e.Name), uint64(len(e.Bytes)))
		ws = WriteRaw(ws, unsafe.Pointer(unsafe.SliceData(e.Bytes)), uint32(len(e.Bytes)))
	}
	return ws
}
