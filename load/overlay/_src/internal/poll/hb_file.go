package poll

import (
	"io"
	"syscall"
)

// Operations on files. An open descriptor cannot be closed while it is in use. So its file is known, and
// no operation has to find it in the table of open files. The fields of an FD do not change as long as it
// is open.

// file returns the open file of fd.
func (fd *FD) file() syscall.HbFile { return syscall.HbOpen(fd.Sysfd) }

// output reports whether fd is a stream to which any goroutine may print at any time. Writing to it is one
// visible operation.
func (fd *FD) output() bool { return fd.Sysfd == 1 || fd.Sysfd == 2 }

// Init initialises the FD, which can be done several times.
func (fd *FD) Init(net string, pollable bool) error {
	if fd.fdmu.turns == nil {
		fd.fdmu.turns = new(turns)
	}
	fd.isFile = fd.isFile || net == "file"
	fd.isBlocking = 1
	if !pollable {
		return nil
	}
	return fd.pd.init(fd)
}

// Close closes the FD, and then its descriptor when it is no longer in use. Close waits for this, unless
// calls wait in the system.
func (fd *FD) Close() error {
	if b := fd.pd.blocking; b != nil {
		destroy, err := b.Close()
		if err == nil && destroy {
			return fd.destroy()
		}
		if err == nil {
			b.AwaitGone()
		}
		return pollError(err, fd.isFile)
	}
	if !fd.fdmu.increfAndClose() {
		return errClosing(fd.isFile)
	}
	return fd.decref()
}

// SetBlocking lets calls wait in the system.
func (fd *FD) SetBlocking() error {
	if b := fd.pd.blocking; b != nil {
		return pollError(b.SetBlocking(), fd.isFile)
	}
	if err := fd.incref(); err != nil {
		return err
	}
	return fd.decref()
}

// destroyIf ends a call after which the FD may have to be destroyed.
func (fd *FD) destroyIf(destroy bool) {
	if destroy {
		fd.destroy()
		fd.pd.blocking.Gone()
	}
}

// Read reads at the offset of the file.
func (fd *FD) Read(p []byte) (int, error) {
	if b := fd.pd.blocking; b != nil {
		n, destroy, err := b.Read(p)
		fd.destroyIf(destroy)
		if len(p) > 0 {
			err = fd.eofError(n, err)
		}
		return n, pollError(err, fd.isFile)
	}
	if err := fd.readLock(); err != nil {
		return 0, err
	}
	defer fd.readUnlock()
	f := fd.file()
	switch {
	case len(p) == 0:
		return 0, nil
	case f == nil:
		return 0, syscall.EBADF
	}
	n, err := f.Read(p)
	return max(n, 0), fd.eofError(n, err)
}

// Pread reads from offset off.
func (fd *FD) Pread(p []byte, off int64) (int, error) {
	if err := fd.incref(); err != nil {
		return 0, err
	}
	n, err := 0, error(syscall.EBADF)
	if f := fd.file(); f != nil {
		n, err = f.Pread(p, off)
	}
	fd.decref()
	return max(n, 0), fd.eofError(n, err)
}

// Write writes all of p.
func (fd *FD) Write(p []byte) (int, error) {
	if b := fd.pd.blocking; b != nil {
		n, destroy, err := b.Write(p)
		fd.destroyIf(destroy)
		return n, pollError(err, fd.isFile)
	}
	if fd.output() {
		if fd.fdmu.closed {
			return 0, errClosing(fd.isFile)
		}
	} else {
		if err := fd.writeLock(); err != nil {
			return 0, err
		}
		defer fd.writeUnlock()
	}
	f := fd.file()
	if f == nil {
		return 0, syscall.EBADF
	}
	n, err := f.Write(p)
	return max(n, 0), err
}

// Pwrite writes all of p from offset off.
func (fd *FD) Pwrite(p []byte, off int64) (int, error) {
	if err := fd.incref(); err != nil {
		return 0, err
	}
	defer fd.decref()
	f := fd.file()
	if f == nil {
		return 0, syscall.EBADF
	}
	n, err := f.Pwrite(p, off)
	if n == 0 && len(p) > 0 && err == nil {
		err = io.ErrUnexpectedEOF
	}
	return max(n, 0), err
}

// Seek moves the offset.
func (fd *FD) Seek(offset int64, whence int) (int64, error) {
	if err := fd.incref(); err != nil {
		return 0, err
	}
	defer fd.decref()
	f := fd.file()
	if f == nil {
		return -1, syscall.EBADF
	}
	return f.Seek(offset, whence)
}

// Fstat describes the file.
func (fd *FD) Fstat(s *syscall.Stat_t) error {
	if err := fd.incref(); err != nil {
		return err
	}
	defer fd.decref()
	f := fd.file()
	if f == nil {
		return syscall.EBADF
	}
	return f.Stat(s)
}

// ReadDirent reads directory entries.
func (fd *FD) ReadDirent(buf []byte) (int, error) {
	if err := fd.incref(); err != nil {
		return 0, err
	}
	defer fd.decref()
	f := fd.file()
	if f == nil {
		return 0, syscall.EBADF
	}
	n, err := f.Getdents(buf)
	return max(n, 0), err
}
