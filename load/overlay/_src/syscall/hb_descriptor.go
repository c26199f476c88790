package syscall

// Descriptors of sockets. Package net makes one when a RawConn of the socket is used first. Its number is one of
// hb_numbers.go, also in a program that sees numbers: natively it depends on the order in which goroutines
// open files, and here it does not, so that no goroutine notices another one's sockets.

// An HbSocketCalls has the calls on the descriptor of a socket. They never wait, because package net's sockets
// are not in blocking mode. The slices are not memory of the program.
type HbSocketCalls interface {
	// Receive returns at most n bytes that have arrived; peek leaves them there.
	Receive(n int, peek bool) ([]byte, error)
	Transmit(b []byte) (n int, err error)
	Option(level, name int) (value []byte, err error)
	SetOption(level, name int, value []byte) error
}

// hbSocketFile is the stream of an open file that is a socket.
type hbSocketFile struct{ HbSocketCalls }

// HbDescribe returns a new descriptor for s.
func HbDescribe(s HbSocketCalls) int {
	return hbTake(&hbFile{path: "socket:", flags: O_RDWR | O_NONBLOCK, refs: 1, stream: hbSocketFile{s}})
}

// HbUndescribe closes the descriptor fd of HbDescribe.
func HbUndescribe(fd int) { hbRelease(fd) }

func (s hbSocketFile) read(f *hbFile, p []byte) (n int, err error) { return s.receive(f, p, false) }

func (s hbSocketFile) receive(f *hbFile, p []byte, peek bool) (n int, err error) {
	s.waits(f)
	b, err := s.Receive(len(p), peek)
	if err != nil {
		return -1, err
	}
	return fill(p, b), nil
}

func (s hbSocketFile) write(f *hbFile, p []byte) (n int, err error) {
	s.waits(f)
	return s.Transmit(taken(p))
}

// waits refuses f if the program has made calls on it wait.
func (s hbSocketFile) waits(f *hbFile) {
	f.touch(false)
	if f.flags&O_NONBLOCK == 0 {
		hbRefuse("socket", "the descriptor of a connection in blocking mode")
	}
}

func (s hbSocketFile) closed(*hbFile) { hbRefuse("socket", "closing the descriptor of a connection") }

func (s hbSocketFile) open(*hbFile) HbBlocking {
	hbRefuse("socket", "a file of the descriptor of a connection")
	return nil
}

// hbSocket returns the socket with descriptor fd.
func hbSocket(fd int) (f *hbFile, s hbSocketFile, err error) {
	if f, err = hbLookup(fd); err != nil {
		return nil, s, err
	}
	s, ok := f.stream.(hbSocketFile)
	if !ok {
		return nil, s, ENOTSOCK
	}
	return f, s, nil
}

// hbRecv is recvfrom without an address.
func hbRecv(fd int, p []byte, flags int) (n int, err error) {
	if flags&^(MSG_PEEK|MSG_DONTWAIT) != 0 {
		hbRefuse("socket", "recvfrom with other flags than MSG_PEEK and MSG_DONTWAIT")
	}
	f, s, err := hbSocket(fd)
	if err != nil {
		return -1, err
	}
	return s.receive(f, p, flags&MSG_PEEK != 0)
}

// hbSetOption is setsockopt; value is not memory of the program.
func hbSetOption(fd, level, name int, value []byte) error {
	_, s, err := hbSocket(fd)
	if err != nil {
		return err
	}
	return s.SetOption(level, name, value)
}

// hbOption is getsockopt.
func hbOption(fd, level, name int) (value []byte, err error) {
	_, s, err := hbSocket(fd)
	if err != nil {
		return nil, err
	}
	return s.Option(level, name)
}
