package syscall

import (
	"internal/effect"
	"unsafe"
)

// Pipes in memory.
//
//	FD ──▶ hbEnd ─┐                                            ┌─ hbEnd ◀── FD
//	               ├─ write ──▶ hbPipe: pages, not yet read ──▶ read ─┤
//	syscall.Write ┘                                            └─ syscall.Read
//
// As on Linux, a pipe has 16 pages. The part of a Write beyond whole pages goes to the last page if it fits
// there; otherwise all goes to new pages. So up to a page is written at once. A page is free when all of it
// has been read. A Read returns the data that are there; they can still be read after the last descriptor
// for writing has been closed.
//
// A Read is one step, an operation on the pipe, and so is a Write that fits. A Write happens before the
// return of the Read that returns its data. Package syscall informs the race detector of the same order, but
// for all files together, and not for each pipe.

// An hbStream is an open file that can block: a pipe. The type is an interface, so that programs that make no
// pipes have no operations that could wait.
type hbStream interface {
	read(f *hbFile, p []byte) (n int, err error)
	write(f *hbFile, p []byte) (n int, err error)
	closed(f *hbFile)          // the last descriptor of f has been closed
	open(f *hbFile) HbBlocking // for an FD
}

// An HbBlocking has the operations of an FD on a file that can block.
type HbBlocking interface {
	// Read and Write report whether the FD has to be destroyed, because it was closed meanwhile.
	Read(p []byte) (n int, destroy bool, err error)
	Write(p []byte) (n int, destroy bool, err error)
	Close() (destroy bool, err error)
	Gone()      // the FD has been destroyed
	AwaitGone() // waits until the FD is gone, unless calls wait in the system
	Use() error // begins a use that ends with Done
	Done() (destroy bool)
	SetBlocking() error
	SetDeadline(d *HbDeadline, read, write bool) error
	Expire(d *HbDeadline)
	Ready(write bool) error   // an error if the FD is closed, or late
	WaitFor(write bool) error // waits until a Read or Write is possible; the error of Ready
}

// An HbDeadline is a deadline that has been set. It has passed, or Stop stops its timer. It passes for calls
// that begin (Early), and then for those that wait.
type HbDeadline struct {
	Early, Over bool
	Stop        func() bool
}

func (d *HbDeadline) passed() bool { return d != nil && d.Over }

// Errors that package poll translates.
const (
	HbClosing = Errno(1000) // the FD is closed
	HbLate    = Errno(1001) // the deadline of the FD has passed
)

const (
	hbPageSize = 4096
	hbPages    = 16
)

type hbPipe struct {
	pages            []hbPage // none is empty
	readers, writers int      // open file descriptions
	ends             []*hbEnd
	events           bool // each page is an event of inotify; a Read returns an event completely or not at all
	outside          int  // number of calls of effect.Wait

	// Whether reading and writing proceed, with data or with an error.
	has, room bool
}

type hbPage struct {
	data []byte // not yet read
	end  int    // number of used bytes of the last page
}

// An hbEnd is an FD's use of one end of a pipe.
type hbEnd struct {
	f                   *hbFile
	p                   *hbPipe
	begins              hbBegins
	closing             bool
	gone                bool // all uses have ended, and the descriptor is closed
	after               bool // a Read has returned data that were written after that
	blocking            bool // calls wait in the system: neither closing the FD nor a deadline ends them
	uses                int  // number of calls under way, and of uses that Use has begun
	reading, writing    bool // a call that could not proceed is under way; others wait for it
	readLate, writeLate *HbDeadline

	// Whether a Read and a Write can begin, and whether calls that wait for data or room can proceed.
	readable, writable, polledRead, polledWrite bool

	order, reads, writes hbOrder // reading and writing, and closing; readers; writers
}

// hbBegins decides whether a call can begin. It is an object of its own, because a call that has begun can
// still succeed when Close has begun or the deadline has passed.
type hbBegins struct {
	shut                bool // no Read begins any more: closing has begun
	readLate, writeLate *HbDeadline
}

// looks is the operation with which a call begins; changes is one after which calls may be unable to begin.
func (b *hbBegins) looks()   { effect.Access(unsafe.Pointer(b), false) }
func (b *hbBegins) changes() { effect.Access(unsafe.Pointer(b), true) }

func (d *HbDeadline) early() bool { return d != nil && d.Early }

// An hbOrder is a place for effect.Orders.
type hbOrder [4]uint64

func pipe2(to *[2]_C_int, flags int) (err error) {
	if flags&^(O_CLOEXEC|O_NONBLOCK|O_DIRECT) != 0 {
		return EINVAL
	}
	if flags&O_DIRECT != 0 {
		hbRefuse("process", "making a pipe of packets")
	}
	p := &hbPipe{readers: 1, writers: 1, room: true}
	node := &hbNode{mode: S_IFIFO | 0o600, uid: uint32(Getuid()), gid: uint32(Getgid()), nlink: 1}
	r := &hbFile{path: "pipe:", flags: O_RDONLY | flags&O_NONBLOCK, refs: 1, node: node, stream: p}
	w := &hbFile{path: "pipe:", flags: O_WRONLY | flags&O_NONBLOCK, refs: 1, node: node, stream: p}
	to[0] = _C_int(hbSmallest(r))
	node.ino = hbHash(r.path) + uint64(to[0])<<32
	to[1] = _C_int(hbSmallest(w))
	return nil
}

// touch declares an operation.
func (p *hbPipe) touch() { effect.Access(unsafe.Pointer(p), true) }

// update computes which calls can proceed.
func (p *hbPipe) update() {
	p.has = len(p.pages) > 0 || p.writers == 0
	//mutant: a pipe that is full is written to [models TestModels/pipeFull]: true
	p.room = len(p.pages) < hbPages || p.readers == 0
	for _, e := range p.ends {
		e.update()
	}
}

func (e *hbEnd) update() {
	readLate, writeLate := e.readLate.passed(), e.writeLate.passed()
	e.readable = e.closing || !e.reading && (e.p.has || readLate || e.blocking)
	//mutant: writers of a pipe take no turns [models TestModels/pipeTurns]: true
	e.writable = e.closing || !e.writing
	e.polledRead = e.closing || e.p.has || readLate
	e.polledWrite = e.closing || e.p.room || writeLate
}

// fits reports whether n bytes suffice for a Read.
func (p *hbPipe) fits(n int) bool {
	return !p.events || len(p.pages) == 0 || len(p.pages[0].data) <= n
}

// take returns at most n bytes that have been written, and removes them.
func (p *hbPipe) take(n int) []byte {
	var b []byte
	for len(b) < n && len(p.pages) > 0 && (!p.events || len(b)+len(p.pages[0].data) <= n) {
		q := &p.pages[0]
		k := min(n-len(b), len(q.data))
		b = append(b, q.data[:k]...)
		// Equal contents are equal states.
		if k == len(q.data) {
			p.pages = append([]hbPage(nil), p.pages[1:]...)
		} else {
			q.data = append([]byte(nil), q.data[k:]...)
		}
	}
	p.update()
	return b
}

// put writes the part of b that fits. first: it is the beginning of a system call, which may add to the last
// page.
func (p *hbPipe) put(b []byte, first bool) (n int) {
	if rest := len(b) % hbPageSize; first && rest > 0 && len(p.pages) > 0 {
		if q := &p.pages[len(p.pages)-1]; q.end+rest <= hbPageSize {
			q.data = append(append([]byte(nil), q.data...), b[:rest]...)
			q.end += rest
			n = rest
		}
	}
	for n < len(b) && len(p.pages) < hbPages {
		k := min(len(b)-n, hbPageSize)
		if i := len(p.pages) - 1; i >= 0 {
			p.pages[i].end = hbPageSize
		}
		p.pages = append(p.pages, hbPage{append([]byte(nil), b[n:n+k]...), k})
		n += k
	}
	p.update()
	return n
}

// read is the system call.
func (p *hbPipe) read(f *hbFile, b []byte) (n int, err error) {
	f.touch(false)
	if f.refs == 0 || !hbReads(f.flags) {
		return -1, EBADF
	}
	nonblock := f.flags&O_NONBLOCK != 0
	if len(b) == 0 && !p.events {
		return 0, nil
	}
	if nonblock {
		p.touch()
		if !p.has {
			return -1, EAGAIN
		}
	} else {
		effect.Wait(unsafe.Pointer(p), p.outside, &p.has)
	}
	if !p.fits(len(b)) {
		return -1, EINVAL
	}
	effect.Acquire(unsafe.Pointer(p))
	return fill(b, p.take(len(b))), nil
}

// write is the system call.
func (p *hbPipe) write(f *hbFile, b []byte) (n int, err error) {
	b = taken(b)
	f.touch(false)
	if f.refs == 0 || !hbWrites(f.flags) {
		return -1, EBADF
	}
	nonblock := f.flags&O_NONBLOCK != 0
	//mutant: writing to a pipe by number declares nothing [models TestModels/pipeRaw]
	p.touch()
	effect.Release(unsafe.Pointer(p))
	for first := true; len(b) > 0; first = false {
		if p.readers == 0 {
			if n == 0 {
				return -1, EPIPE
			}
			break
		}
		k := p.put(b, first)
		n, b = n+k, b[k:]
		if len(b) == 0 {
			break
		}
		if nonblock {
			if n == 0 {
				return -1, EAGAIN
			}
			break
		}
		effect.Wait(unsafe.Pointer(p), effect.Inside, &p.room)
		effect.Release(unsafe.Pointer(p))
	}
	return n, nil
}

func (p *hbPipe) closed(f *hbFile) {
	//mutant: the end of a pipe declares nothing [models TestModels/pipeGone]
	p.touch()
	if hbReads(f.flags) {
		p.readers--
	} else {
		p.writers--
	}
	p.update()
}

func (p *hbPipe) open(f *hbFile) HbBlocking {
	p.touch()
	e := &hbEnd{f: f, p: p}
	p.ends = append(p.ends, e)
	p.update()
	return e
}

// leave forgets e, which no call will use any more.
func (p *hbPipe) leave(e *hbEnd) {
	var ends []*hbEnd
	for _, x := range p.ends {
		if x != e {
			ends = append(ends, x)
		}
	}
	p.ends = ends
}

// begin declares an operation that waits until *ready holds.
func (e *hbEnd) begin(ready *bool) {
	if ready != nil {
		//mutant: reading a pipe declares nothing [models TestModels/pipePieces]: "Pointer(e.p" -> "Pointer(e"
		effect.Wait(unsafe.Pointer(e.p), e.p.outside, ready)
	} else {
		e.p.touch()
	}
	effect.Orders(unsafe.Pointer(&e.order), false)
}

// Read begins with an operation of its own, which counts the use and depends only on Close: a Read that has
// begun keeps the FD open, and Close waits for it. If Close begins before this Read tries to read, the Read
// can return data that are written later; if the Read waits for data, Close wakes it.
func (e *hbEnd) Read(p []byte) (n int, destroy bool, err error) {
	if len(p) == 0 || !hbReads(e.f.flags) {
		return e.readNothing(p)
	}
	//mutant: a read of a pipe begins unseen [models TestModels/pipeBegunSeen]
	e.begins.looks()
	effect.Orders(unsafe.Pointer(&e.order), false)
	if e.begins.shut {
		return 0, false, e.shutting()
	}
	late := e.begins.readLate.early()
	e.uses++
	var ready *bool // nil: the Read does not wait
	if !late {
		//mutant: reading a pipe does not wait [models TestModels/pipeWoken]
		ready = &e.readable
	}
	e.begin(ready)
	effect.Orders(unsafe.Pointer(&e.reads), true)
	closed := e.closing && !e.blocking
	//mutant: a read of a pipe that is closed finds nothing [models TestModels/pipeBegunSeen]: "after && " -> "after && false && "
	if closed && e.p.has && !e.after && hbEither() {
		e.begin(nil)
		effect.Orders(unsafe.Pointer(&e.reads), true)
		closed = e.after || !e.p.has // at most one reader has had its turn
		//mutant: readers of a pipe that is closed take no turns [models TestModels/pipeBegunTwice]
		e.after = true
	}
	switch {
	case closed:
		err = HbClosing
	//mutant: a read of a pipe that has begun finds nothing after the deadline [models TestModels/pipeLateBegun]: "&& !e.p.has" -> ""
	case late, e.readLate.passed() && !e.p.has:
		err = HbLate
	case e.p.readers == 0:
		err = EBADF
	case !e.p.has:
		e.reading = true
		e.update()
		e.begin(&e.p.has)
		effect.Orders(unsafe.Pointer(&e.reads), true)
		e.reading = false
		e.update()
	}
	if err == nil && !e.p.fits(len(p)) {
		err = EINVAL
	}
	if err == nil {
		//mutant: a read of a pipe acquires nothing [models TestModels/pipeOrdered]
		effect.Acquire(unsafe.Pointer(e.p))
		n = fill(p, e.p.take(len(p)))
	}
	return n, e.done(), err
}

// hbEither returns true and false in different executions.
func hbEither() bool

// readNothing is Read into an empty slice, or from the end for writing.
func (e *hbEnd) readNothing(p []byte) (n int, destroy bool, err error) {
	e.begin(nil)
	effect.Orders(unsafe.Pointer(&e.reads), true)
	switch {
	case e.closing:
		return 0, false, HbClosing
	case len(p) == 0:
		return 0, false, nil
	case e.readLate.passed():
		return 0, false, HbLate
	}
	return 0, false, EBADF
}

func (e *hbEnd) Write(p []byte) (n int, destroy bool, err error) {
	//mutant: a pipe trusts its buffers [models TestModels/pipeBuffer]: " taken(p" -> " append([]byte(nil), p..."
	b := taken(p)
	e.begins.looks()
	late := e.begins.writeLate.early()
	e.begin(&e.writable)
	effect.Orders(unsafe.Pointer(&e.writes), true)
	switch {
	case e.closing:
		return 0, false, HbClosing
	//mutant: a write to a pipe that has begun fails after the deadline [models TestModels/pipeWriteBegun]: "late" -> "late, e.writeLate.passed()"
	case late:
		return 0, false, HbLate
	case !hbWrites(e.f.flags), e.p.writers == 0:
		return 0, false, EBADF
	}
	for first, held := true, false; ; {
		//mutant: a write to a pipe releases nothing [models TestModels/pipeOrdered]
		effect.Release(unsafe.Pointer(e.p))
		if n < len(b) && e.p.readers == 0 {
			err = EPIPE
		} else {
			n += e.p.put(b[n:], first)
		}
		if n == len(b) || err != nil {
			e.writing = false
			if held {
				destroy = e.done()
			}
			break
		}
		e.writing = true
		e.p.update()
		if first = !e.blocking; first {
			e.begin(&e.polledWrite)
			if err = e.polled(true); err != nil && (e.closing || !e.p.room) {
				e.writing = false
				break
			}
			err = nil // there was room before the deadline, or the call had not tried to write
		} else {
			if !held {
				held = true
				e.uses++
			}
			e.begin(&e.p.room)
		}
		effect.Orders(unsafe.Pointer(&e.writes), true)
	}
	e.p.update()
	e.update()
	return n, destroy, err
}

// done ends a use.
func (e *hbEnd) done() (destroy bool) {
	e.uses--
	if destroy = e.closing && e.uses == 0; destroy {
		e.p.leave(e)
	}
	return destroy
}

func (e *hbEnd) Use() error {
	e.begin(nil)
	if e.closing {
		return HbClosing
	}
	e.uses++
	return nil
}

func (e *hbEnd) Done() (destroy bool) {
	e.begin(nil)
	return e.done()
}
