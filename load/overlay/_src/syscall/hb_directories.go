package syscall

import (
	"internal/effect"
	"unsafe"
)

// Directories: their entries, and the working directory.

// Getdents fills buf with directory entries.
func Getdents(fd int, buf []byte) (n int, err error) {
	f, err := hbLookup(fd)
	if err != nil {
		return -1, err
	}
	return f.Getdents(buf)
}

func (f *hbFile) Getdents(p []byte) (n int, err error) {
	f.touch(true)
	switch {
	case f.refs == 0:
		return -1, EBADF
	case f.stream != nil:
		return -1, ENOTDIR
	}
	buf := make([]byte, len(p))
	defer func() { fill(p, buf[:max(n, 0)]) }()
	if f.off == 0 || f.list == "" {
		if f.list, err = f.entries(); err != nil {
			return -1, err
		}
	}
	list := f.list
	const header = int(unsafe.Offsetof(Dirent{}.Name))
	for pos := int(f.off); pos < len(list); pos = int(f.off) {
		end := pos
		for list[end] != 0 {
			end++
		}
		name := list[pos+1 : end]
		size := (header + len(name) + 1 + 7) &^ 7
		if n+size > len(buf) {
			if n == 0 {
				return -1, EINVAL
			}
			break
		}
		ent := buf[n : n+size]
		clear(ent)
		ent[0] = byte(pos + 1) // the inode number must not be 0
		ent[1] = byte((pos + 1) >> 8)
		ent[7] = 1
		ent[16], ent[17] = byte(size), byte(size>>8)
		switch list[pos] {
		case 'd':
			ent[18] = DT_DIR
		case 'l':
			ent[18] = DT_LNK
		case 'f':
			ent[18] = DT_REG
		}
		copy(ent[header:], name)
		n += size
		f.off = int64(end + 1)
	}
	return n, nil
}

// entries returns the entries of the directory: see hbList.
func (f *hbFile) entries() (list string, err error) {
	row := hbRow(f.path)
	//mutant: listing a directory looks at one name [models TestCaches/dirListed]: "unsafe.Sizeof(*row)" -> "1"
	effect.Range(unsafe.Pointer(row), unsafe.Sizeof(*row), false)
	at := hbAt{path: f.path, node: f.node}
	if i, found := hbIndex(f.path); found && f.node == nil {
		at.node = hbTree[i].node // the directory has changed since it was opened
	}
	list, e := hbList(&at)
	if e != 0 {
		return "", e
	}
	return list, nil
}

func Getcwd(buf []byte) (n int, err error) {
	effect.Access(unsafe.Pointer(&hbDir), false)
	dir := hbDir
	if dir == "" {
		dir = hbGetcwd()
	}
	if len(buf) < len(dir)+1 {
		return 0, ERANGE
	}
	fill(buf, []byte(dir+"\x00"))
	return len(dir) + 1, nil
}

func readlinkat(dirfd int, path string, buf []byte) (n int, err error) {
	path, err = hbPath(dirfd, path)
	if err != nil {
		return -1, err
	}
	hbTouchName(path, false)
	at, e := hbWalk(path, false)
	target := ""
	switch {
	case e != 0:
		return -1, e
	case at.mode()&S_IFMT != S_IFLNK:
		return -1, EINVAL
	case at.node != nil:
		target = at.node.target
	default:
		if target, e = hbReadlink(at.path); e != 0 {
			return -1, e
		}
	}
	return fill(buf, []byte(target)), nil
}

func Chdir(path string) (err error) {
	path, err = hbPath(_AT_FDCWD, path)
	if err != nil {
		return err
	}
	hbTouchName(path, false)
	at, e := hbWalk(path, true)
	if e != 0 {
		return e
	}
	if !at.dir() {
		return ENOTDIR
	}
	release := func() {}
	if at.node != nil {
		release = at.node.hold() // until it is not the working directory any more
	}
	//mutant: Chdir declares nothing [models TestModels/chdir]
	effect.Access(unsafe.Pointer(&hbDir), true)
	hbDir = at.path
	hbLeaveDir, release = release, hbLeaveDir
	release()
	return nil
}

func Fchdir(fd int) (err error) {
	f, err := hbLookup(fd)
	if err != nil {
		return err
	}
	return Chdir(f.path)
}
