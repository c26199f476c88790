package time

import (
	"errors"
	"syscall"
)

// Zone files are files like others.

func open(name string) (uintptr, error) {
	fd, err := syscall.Open(name, syscall.O_RDONLY, 0)
	if err != nil {
		return 0, err
	}
	return uintptr(fd), nil
}

func read(fd uintptr, buf []byte) (int, error) { return syscall.Read(int(fd), buf) }

func closefd(fd uintptr) { syscall.Close(int(fd)) }

// preadn fills buf from offset off, or from off before the end if it is negative.
func preadn(fd uintptr, buf []byte, off int) error {
	whence := seekStart
	if off < 0 {
		whence = seekEnd
	}
	if _, err := syscall.Seek(int(fd), int64(off), whence); err != nil {
		return err
	}
	for len(buf) > 0 {
		n, err := syscall.Read(int(fd), buf)
		switch {
		case err != nil:
			return err
		case n <= 0:
			return errors.New("the file is too short")
		}
		buf = buf[n:]
	}
	return nil
}

// interrupt is for tests.
func interrupt() { syscall.Kill(syscall.Getpid(), syscall.SIGCHLD) }
