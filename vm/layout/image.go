package layout

import "unsafe"

// Values in registers and in memory.

// Load puts the image of a value of layout l into registers: a narrow scalar is extended by
// the sign of its type, as in all registers; other images are copied.
func (l *Layout) Load(dst *uint64, src unsafe.Pointer) {
	switch ScalarOf(l.Type) {
	case S8:
		*dst = uint64(*(*int8)(src))
	case U8:
		*dst = uint64(*(*uint8)(src))
	case S16:
		*dst = uint64(*(*int16)(src))
	case U16:
		*dst = uint64(*(*uint16)(src))
	case S32:
		*dst = uint64(*(*int32)(src))
	case U32, F32:
		*dst = uint64(*(*uint32)(src))
	default:
		LoadImage(dst, src, uint64(l.Size))
	}
}

// LoadImage copies size bytes of memory to registers.
func LoadImage(dst *uint64, src unsafe.Pointer, size uint64) {
	if size%8 != 0 { // the rest of the last register is part of the state
		*(*uint64)(unsafe.Add(unsafe.Pointer(dst), size&^7)) = 0
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(dst)), size), unsafe.Slice((*byte)(src), size))
}

// StoreImage copies size bytes of registers to memory.
func StoreImage(dst unsafe.Pointer, src *uint64, size uint64) {
	copy(unsafe.Slice((*byte)(dst), size), unsafe.Slice((*byte)(unsafe.Pointer(src)), size))
}
