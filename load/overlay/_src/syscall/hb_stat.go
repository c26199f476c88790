package syscall

import (
	"internal/effect"
	"unsafe"
)

// Attributes of files, access checks, and fcntl.

func Fstat(fd int, stat *Stat_t) (err error) {
	f, err := hbLookup(fd)
	if err != nil {
		return err
	}
	return f.Stat(stat)
}

func (f *hbFile) Stat(stat *Stat_t) error {
	f.touch(false)
	if f.refs == 0 {
		return EBADF
	}
	st := new(Stat_t)
	err := f.describe(st)
	fillStat(stat, st)
	return err
}

// describe fills in stat, which no other goroutine has.
func (f *hbFile) describe(stat *Stat_t) error {
	if f.node != nil {
		f.node.stat(stat)
		return nil
	}
	if hbDevice(f.path, stat) {
		return nil
	}
	return hbError(hbStat(f.path, true, stat))
}

func fstatat(fd int, path string, stat *Stat_t, flags int) (err error) {
	path, err = hbPath(fd, path)
	if err != nil {
		return err
	}
	st := new(Stat_t)
	err = hbLook(path, flags&_AT_SYMLINK_NOFOLLOW == 0, st)
	fillStat(stat, st)
	return err
}

// hbLook fills in stat for the file at path. No other goroutine has stat.
func hbLook(path string, follow bool, stat *Stat_t) error {
	if hbDevice(path, stat) {
		return nil
	}
	hbTouchName(path, false)
	at, e := hbWalk(path, follow)
	switch {
	case e != 0:
		return e
	case at.node != nil:
		at.node.touch(false)
		at.node.stat(stat)
	default:
		hbDescribed(at.path)
		*stat = at.st
	}
	return nil
}

// hbDevice reports whether path is one of the devices that always exist, and fills in stat.
func hbDevice(path string, stat *Stat_t) bool {
	switch path {
	case hbNull, "/dev/stdin", "/dev/stdout", "/dev/stderr":
		*stat = Stat_t{Mode: S_IFCHR | 0o666, Nlink: 1, Ino: uint64(len(path))}
		return true
	}
	return false
}

func faccessat(dirfd int, path string, mode uint32) (err error) {
	st := new(Stat_t)
	path, err = hbPath(dirfd, path)
	if err == nil {
		err = hbLook(path, true, st)
	}
	if err == nil && st.Mode>>6&mode&7 != mode&7 {
		err = EACCES
	}
	return err
}

func faccessat2(dirfd int, path string, mode uint32, flags int) (err error) {
	return faccessat(dirfd, path, mode)
}

func fcntl(fd int, cmd int, arg int) (val int, err error) {
	f, err := hbKnown(fd)
	if err != nil {
		return -1, err
	}
	switch cmd {
	case F_GETFL:
		if f.stream != nil {
			f.touch(false)
		}
		return f.flags &^ O_CLOEXEC, nil
	case F_SETFL:
		if f.stream != nil { // the flags make a difference for streams only
			//mutant: the mode of a pipe is no operation [models TestModels/pipeMode]
			f.touch(true)
			f.flags = f.flags&^O_NONBLOCK | arg&O_NONBLOCK
		}
		return 0, nil
	case F_SETFD:
		return 0, nil
	case F_GETFD:
		return FD_CLOEXEC, nil
	case F_DUPFD, F_DUPFD_CLOEXEC:
		return Dup(fd)
	case F_SETLK, F_SETLKW: // these locks belong to the process, and there is only one
		return 0, nil
	case F_GETLK, hbOFDGetLock, hbOFDSetLock, hbOFDSetLockWait:
		hbRefuse("file", "fcntl for locks of parts of a file")
	}
	return -1, EINVAL
}

// Commands of fcntl for which package syscall has no names.
const (
	hbOFDGetLock     = 36
	hbOFDSetLock     = 37
	hbOFDSetLockWait = 38
)
