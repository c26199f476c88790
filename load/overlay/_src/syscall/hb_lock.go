package syscall

import (
	"internal/effect"
	"unsafe"
)

// Locks of files (flock(2)). A lock belongs to an open file description. A program may have several
// descriptions of one file, which exclude each other. Other processes hold no locks.

// An hbLock is the lock of an inode. Calls on it read and write its holders.
type hbLock struct {
	ino       uint64
	holders   []*hbFile
	exclusive bool // the one holder has excluded others

	shareable, free bool // whether a shared lock, and an exclusive one, can be acquired
}

// hbLocks are the locks of the inodes that have been locked, sorted by number.
var hbLocks []*hbLock

// Flock is flock(2).
func Flock(fd int, how int) error {
	f, err := hbLookup(fd)
	if err != nil {
		return err
	}
	op := how &^ LOCK_NB
	if op != LOCK_SH && op != LOCK_EX && op != LOCK_UN {
		return EINVAL
	}
	if f.stream != nil {
		hbRefuse("file", "locking a pipe or a socket")
	}
	f.touch(true)
	if f.lock == nil {
		f.lock = hbLockOf(f.inode())
	}
	l := f.lock
	effect.Access(unsafe.Pointer(l), true)
	if op == LOCK_UN {
		l.drop(f)
		return nil
	}
	if l.holds(f) && l.exclusive == (op == LOCK_EX) {
		return nil
	}
	l.drop(f) // conversion is not atomic: in between f has no lock
	ready := &l.shareable
	if op == LOCK_EX {
		ready = &l.free
	}
	waits := !*ready
	if waits {
		if how&LOCK_NB != 0 {
			return EWOULDBLOCK
		}
		effect.Wait(unsafe.Pointer(l), effect.Inside, ready)
	}
	l.take(f, op == LOCK_EX)
	if waits {
		if f.touch(false); f.refs == 0 { // the file was closed meanwhile
			f.unlock()
		}
	}
	return nil
}

// unlock releases the lock of f, to which nothing refers any more.
func (f *hbFile) unlock() {
	if f.lock != nil {
		effect.Access(unsafe.Pointer(f.lock), true)
		f.lock.drop(f)
	}
}

// inode returns the number of f's file.
func (f *hbFile) inode() uint64 {
	if f.node != nil {
		return f.node.ino
	}
	var st Stat_t
	hbStat(f.path, true, &st)
	return st.Ino
}

// hbLockOf returns the lock of an inode, after making it if there is none.
func hbLockOf(ino uint64) *hbLock {
	effect.Access(unsafe.Pointer(&hbLocks), false)
	if i := hbLockIndex(ino); i < len(hbLocks) && hbLocks[i].ino == ino {
		return hbLocks[i]
	}
	effect.Access(unsafe.Pointer(&hbLocks), true)
	i := hbLockIndex(ino)
	if i == len(hbLocks) || hbLocks[i].ino != ino {
		hbLocks = append(hbLocks, nil)
		copy(hbLocks[i+1:], hbLocks[i:])
		hbLocks[i] = &hbLock{ino: ino, shareable: true, free: true}
	}
	return hbLocks[i]
}

func hbLockIndex(ino uint64) (i int) {
	for i < len(hbLocks) && hbLocks[i].ino < ino {
		i++
	}
	return i
}

func (l *hbLock) holds(f *hbFile) bool {
	for _, h := range l.holders {
		if h == f {
			return true
		}
	}
	return false
}

func (l *hbLock) take(f *hbFile, exclusive bool) {
	l.holders, l.exclusive = append(l.holders, f), exclusive
	l.free, l.shareable = false, !exclusive
}

func (l *hbLock) drop(f *hbFile) {
	for i, h := range l.holders {
		if h == f {
			l.holders = append(append([]*hbFile(nil), l.holders[:i]...), l.holders[i+1:]...)
			l.shareable, l.free = true, len(l.holders) == 0
			return
		}
	}
}
