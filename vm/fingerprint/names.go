package fingerprint

// Names in fingerprints (Writer.Naming). Like an object, a name has a number: that of its first place in the
// words. So two states with the same words are equal up to a one-to-one mapping of the names of each class,
// and up to the numbers of objects. The class is in the words, too (shadow.Symbols.WriteFrame, WriteCells).
// Fingerprints with names are whole, because the number of a name depends on earlier words.

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
	//mutant: all names are one [names]: "uint64(x.num)" -> "0"
	return nameBit | uint64(x.num)
}

// nameWords replaces the names in ws, the words of an object's contents. Those of large objects without
// references are not there.
func (f *Writer) nameWords(ws []uint64, id uint32) {
	f.Shadows.Named(id, func(off, name uint32) {
		if i := int(off / 8); i < len(ws) && off%8 == 0 {
			ws[i] = f.NameWord(name)
		}
	})
}
