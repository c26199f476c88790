package host

import (
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"
)

// Offsets and modes of Linux's struct stat on amd64 (syscall.Stat_t).
const (
	stDev   = 0
	stIno   = 8
	stNlink = 16
	stMode  = 24
	stUID   = 28
	stGID   = 32
	stSize  = 48
	stBlk   = 56
	stBlks  = 64
	stTimes = 72 // access, modification, change: seconds and nanoseconds each
	StatLen = 144

	modeReg  = 0x8000
	modeDir  = 0x4000
	modeLink = 0xA000
	modeChr  = 0x2000
	modeBlk  = 0x6000
	modeFifo = 0x1000
	modeSock = 0xC000
)

// Errno returns Linux's number for a host error.
func Errno(err error) uint64 {
	const (
		noEntry, inputOutput, access, notDir, isDir, invalid, tooManyLinks = 2, 5, 13, 20, 21, 22, 40
	)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, fs.ErrNotExist):
		return noEntry
	case errors.Is(err, fs.ErrPermission):
		return access
	case errors.Is(err, syscall.ENOTDIR):
		return notDir
	case errors.Is(err, syscall.EISDIR):
		return isDir
	case errors.Is(err, syscall.EINVAL):
		return invalid
	case errors.Is(err, syscall.ELOOP):
		return tooManyLinks
	}
	return inputOutput
}

// namesOf returns, for each entry of a directory in the order of names, a letter for the kind,
// the name and a zero byte.
func namesOf(path string) (string, error) {
	entries, err := os.ReadDir(path)
	var b strings.Builder
	for _, e := range entries {
		switch e.Type() {
		case 0:
			b.WriteByte('f')
		case fs.ModeDir:
			b.WriteByte('d')
		case fs.ModeSymlink:
			b.WriteByte('l')
		default:
			b.WriteByte('?')
		}
		b.WriteString(e.Name() + "\x00")
	}
	return b.String(), err
}

// readAt reads from a file without keeping it open, because the machine has no external state.
func readAt(path string, b []byte, off int64) (int, error) {
	// Opening a pipe would wait for another process to write to it.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := f.ReadAt(b, off)
	if err == io.EOF || n > 0 {
		err = nil
	}
	return n, err
}

// FillStat fills b, which is zero, as a struct stat.
func (v *View) FillStat(b []byte, path string, info fs.FileInfo) {
	word := func(off int, w uint64) { *(*uint64)(unsafe.Pointer(&b[off])) = w }
	half := func(off int, w uint32) { *(*uint32)(unsafe.Pointer(&b[off])) = w }
	// A hash of the name replaces the inode number, which differs from host to host.
	h := fnv.New64a()
	if real, err := filepath.EvalSymlinks(v.path(path)); err == nil && info.Mode()&fs.ModeSymlink == 0 {
		path = strings.TrimPrefix(real, v.root)
	}
	h.Write([]byte(path))
	word(stDev, 1)
	word(stIno, h.Sum64())
	word(stNlink, 1)
	half(stMode, statMode(info.Mode()))
	half(stUID, 1000)
	half(stGID, 1000)
	word(stSize, uint64(info.Size()))
	word(stBlk, 4096)
	word(stBlks, uint64(info.Size()+511)/512)
	t := info.ModTime()
	for i := range 3 {
		word(stTimes+i*16, uint64(t.Unix()))
		word(stTimes+i*16+8, uint64(t.Nanosecond()))
	}
}

func statMode(mode fs.FileMode) uint32 {
	w := uint32(mode.Perm())
	for _, bit := range []struct {
		from fs.FileMode
		to   uint32
	}{{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000}} {
		if mode&bit.from != 0 {
			w |= bit.to
		}
	}
	switch {
	case mode.IsDir():
		return w | modeDir
	case mode&fs.ModeSymlink != 0:
		return w | modeLink
	case mode&fs.ModeCharDevice != 0:
		return w | modeChr
	case mode&fs.ModeDevice != 0:
		return w | modeBlk
	case mode&fs.ModeNamedPipe != 0:
		return w | modeFifo
	case mode&fs.ModeSocket != 0:
		return w | modeSock
	}
	return w | modeReg
}
