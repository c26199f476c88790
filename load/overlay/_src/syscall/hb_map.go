package syscall

import (
	"internal/effect"
	"unsafe"
)

// Files as memory (mmap with MAP_SHARED). A mapping has the contents of the node, not a copy: all mappings
// of the file, and calls on it, see at once what the program writes there.
//
//	node.data    │ contents ... │ zeros up to the end of a page │
//	               ▲
//	hbMaps         mapping: offset and length
//
// A file that grows beyond its pages gets new memory. Until the mapping is moved there (mremap) or removed,
// the old memory is kept (before), and calls on the file first copy what has been written to it (settle).
//
// Calls on a mapped file access memory of the program, and no operation declares this. So they are refused
// while there are other goroutines; mmap and munmap are not.

// An hbMapping is memory that is a part of a file.
type hbMapping struct {
	at   unsafe.Pointer
	off  int // offset in the file
	node *hbNode
}

var hbMaps []hbMapping

const hbMapPage = 4096

func hbWholePages(n int) int { return (n + hbMapPage - 1) &^ (hbMapPage - 1) }

// hbMap maps n bytes of a file that is open for reading, and for writing if write is set.
func hbMap(fd, n int, off int64, write bool) (unsafe.Pointer, error) {
	f, err := hbLookup(fd)
	switch {
	case err != nil:
		return nil, err
	case f.stream != nil || f.node == nil || f.node.mode&S_IFMT != S_IFREG:
		return nil, ENODEV
	case !hbReads(f.flags), write && !hbWrites(f.flags):
		return nil, EACCES
	case off < 0 || off%hbMapPage != 0:
		return nil, EINVAL
	}
	node := f.node
	node.touch(true)
	effect.Access(unsafe.Pointer(&hbMaps), true)
	if node.before != nil {
		hbRefuse("file", "mapping a file that has grown while it was mapped")
	}
	if end := hbWholePages(int(off) + n); end > cap(node.data) {
		if node.mapped > 0 {
			hbRefuse("file", "mapping more of a file that is mapped")
		}
		node.data = append(make([]byte, 0, end), node.data...)
	}
	node.mapped++
	at := unsafe.Pointer(&node.data[:cap(node.data)][off])
	hbMaps = append(hbMaps, hbMapping{at, int(off), node})
	return at, nil
}

// hbMapped returns the index in hbMaps of the mapping at p, or -1.
func hbMapped(p unsafe.Pointer) int {
	for i := range hbMaps {
		if hbMaps[i].at == p {
			return i
		}
	}
	return -1
}

// hbUnmap removes the mapping at p, if there is one.
func hbUnmap(p unsafe.Pointer) {
	effect.Access(unsafe.Pointer(&hbMaps), true)
	i := hbMapped(p)
	if i < 0 {
		return
	}
	node := hbMaps[i].node
	hbMaps = append(append([]hbMapping(nil), hbMaps[:i]...), hbMaps[i+1:]...)
	if node.before != nil {
		node.settle()
	}
	if node.mapped--; node.mapped == 0 {
		node.before = nil
	}
}

// hbRemap makes the mapping at p one of n bytes, elsewhere if need be.
func hbRemap(p unsafe.Pointer, n int, move bool) (unsafe.Pointer, error) {
	effect.Access(unsafe.Pointer(&hbMaps), true)
	i := hbMapped(p)
	if i < 0 {
		hbRefuse("syscall", "mremap of memory that is no file's")
	}
	m := &hbMaps[i]
	node := m.node
	if node.before == nil && hbWholePages(m.off+n) <= cap(node.data) {
		return p, nil
	}
	if !move {
		return nil, ENOMEM
	}
	if node.mapped > 1 {
		hbRefuse("file", "moving one of several mappings of a file")
	}
	hbRefuseShared("file", "moving a mapping of a file, beside other goroutines")
	node.settle()
	node.before = nil
	if end := hbWholePages(m.off + n); end > cap(node.data) {
		node.data = append(make([]byte, 0, end), node.data...)
	}
	m.at = unsafe.Pointer(&node.data[:cap(node.data)][m.off])
	return m.at, nil
}

// settle is called before calls access the contents.
func (n *hbNode) settle() {
	if n.mapped > 0 {
		hbRefuseShared("file", "a file that is mapped and read or changed by calls, beside other goroutines")
		copy(n.data, n.before)
	}
}

// resizeMapped is resize of a file that is mapped.
func (n *hbNode) resizeMapped(size int64) {
	n.settle()
	old := len(n.data)
	if int(size) > cap(n.data) {
		if n.before == nil {
			n.before = n.data
		}
		n.data = append(make([]byte, 0, hbWholePages(int(size))), n.data...)
	}
	n.data = n.data[:size]
	if len(n.data) > old {
		clear(n.data[old:])
		return
	}
	clear(n.data[len(n.data):old])
	if n.before != nil {
		n.before = n.before[:min(len(n.before), len(n.data))]
	}
}
