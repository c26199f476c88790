package os

import "io"

// Write writes len(b) bytes from b to the file. It returns the number of bytes written and an
// error, if any. Write returns a non-nil error when n != len(b).
func (f *File) Write(b []byte) (n int, err error) {
	if err := f.checkValid("write"); err != nil {
		return 0, err
	}
	n, e := f.write(b)
	if n != len(b) {
		err = io.ErrShortWrite
	}
	if e != nil {
		err = f.wrapErr("write", e)
	}
	return n, err
}

func (f *File) write(b []byte) (n int, err error) { return f.pfd.Write(b) }
