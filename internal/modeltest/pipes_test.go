package modeltest

// Programs about pipes, and mutants of what their model declares (hb_pipe.go of the overlay). The
// helpers are those of connections (conns_test.go), and these.

const pipeHead = `
func pipe() (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	return r, w
}

func readPipe(r *os.File) string {
	var b [8]byte
	n, err := r.Read(b[:])
	if err != nil {
		return pipeWord(err)
	}
	return string(b[:n])
}

func pipeWord(err error) string {
	if errors.Is(err, os.ErrClosed) {
		return "closed"
	}
	return word(err)
}

func writePipe(w *os.File, s string) string {
	_, err := w.WriteString(s)
	return pipeWord(err)
}
`

func init() {
	programs = append(programs, pipePrograms...)
	mutants = append(mutants, pipeMutants...)
}

var pipePrograms = []program{
	{"pipePieces", "x|xy", `
		r, w := pipe()
		s := ""
		together(func() { w.WriteString("x"); w.WriteString("y") }, func() { s = readPipe(r) })
		print(s)`},
	{"pipeWriters", "xy|yx", `
		r, w := pipe()
		together(func() { w.WriteString("x") }, func() { w.WriteString("y") })
		print(readPipe(r))`},
	{"pipeReaders", "x y|y x", `
		r, w := pipe()
		w.WriteString("xy")
		var p, q [1]byte
		together(func() { r.Read(p[:]) }, func() { r.Read(q[:]) })
		print(string(p[:]), " ", string(q[:]))`},
	{"pipeClosed", "closed|x", `
		r, w := pipe()
		w.WriteString("x")
		s := ""
		together(func() { r.Close() }, func() { s = readPipe(r) })
		print(s)`},
	{"pipeWoken", "closed", `
		r, _ := pipe()
		s := ""
		together(func() { r.Close() }, func() { s = readPipe(r) })
		print(s)`},
	// A Read that has begun may return what is written after Close has, or be woken; it keeps the pipe open.
	{"pipeBegun", "closed broken pipe|closed ok|x ok", `
		r, w := pipe()
		s, e := "", ""
		together(func() { r.Close(); e = writePipe(w, "x") }, func() { s = readPipe(r) })
		print(s, " ", e)`},
	// Only one of two, as the other one waits for its turn.
	{"pipeBegunTwice", "c c|c x|x c", `
		r, w := pipe()
		s, u := "", ""
		together(func() { r.Close(); writePipe(w, "x"); writePipe(w, "y") },
			func() { together(func() { s = readPipe(r)[:1] }, func() { u = readPipe(r)[:1] }) })
		print(s, " ", u)`},
	{"pipeGone", "broken pipe|ok", `
		r, w := pipe()
		s := ""
		together(func() { r.Close() }, func() { s = writePipe(w, "x") })
		print(s)`},
	{"pipeEnd", "EOF", `
		r, w := pipe()
		s := ""
		together(func() { w.Close() }, func() { s = readPipe(r) })
		print(s)`},
	{"pipeEnds", "EOF false|x true", `
		r, w := pipe()
		var s string
		var ok bool
		together(func() { w.Close() }, func() { _, err := w.WriteString("x"); ok = err == nil })
		s = readPipe(r)
		print(s, " ", ok)`},
	{"pipeFull", "xy|yx", `
		r, w := pipe()
		w.Write(make([]byte, 65536))
		go w.WriteString("x")
		go w.WriteString("y")
		io.ReadFull(r, make([]byte, 65536))
		var p [2]byte
		io.ReadFull(r, p[:])
		print(string(p[:]))`},
	{"pipeTurns", "false", `
		r, w := pipe()
		done := make(chan bool)
		for _, c := range "xy" {
			go func() { w.Write(bytes.Repeat([]byte{byte(c)}, 65537)); done <- true }()
		}
		b := make([]byte, 2*65537)
		io.ReadFull(r, b)
		<-done
		<-done
		print(bytes.Contains(b, []byte("xyx")) || bytes.Contains(b, []byte("yxy")))`},
	{"pipeLate", "late|x", `
		r, w := pipe()
		w.WriteString("x")
		s := ""
		together(func() { r.SetReadDeadline(time.Unix(1, 0)) }, func() { s = readPipe(r) })
		print(s)`},
	{"pipeTimer", "late|x", `
		r, w := pipe()
		w.WriteString("x")
		r.SetReadDeadline(time.Now().Add(time.Millisecond))
		print(readPipe(r))`},
	{"pipeBlocking", "closed|x", `
		r, w := pipe()
		r.Fd()
		c := make(chan string, 1)
		go func() { c <- readPipe(r) }()
		r.Close()
		w.WriteString("x")
		print(<-c)`},
	{"pipeMode", "resource temporarily unavailable|x", `
		r, w := pipe()
		fd := int(r.Fd())
		s := "x"
		together(func() { syscall.SetNonblock(fd, true); w.WriteString("x") }, func() {
			var b [1]byte
			if _, err := syscall.Read(fd, b[:]); err != nil {
				s = pipeWord(err)
			}
		})
		print(s)`},
	{"pipeRaw", "xy|yx", `
		r, w := pipe()
		fd := int(w.Fd())
		together(func() { syscall.Write(fd, []byte("x")) }, func() { w.WriteString("y") })
		print(readPipe(r))`},
	{"pipeUses", "closed|ok", `
		r, _ := pipe()
		s := ""
		together(func() { r.Close() }, func() { _, err := r.Stat(); s = pipeWord(err) })
		print(s)`},
	{"pipeOrdered", "1", `
		r, w := pipe()
		x := 0
		together(func() { x = 1; w.WriteString("x") }, func() { readPipe(r); print(x) })`},
	{"pipeUnordered", "race", `
		r, w := pipe()
		x := 0
		together(func() { w.WriteString("x"); x = 1 }, func() { readPipe(r); x = 2 })
		print(x)`},
	{"pipeCloseOrdered", "1", `
		r, _ := pipe()
		x := 0
		together(func() { x = 1; r.Close() }, func() { readPipe(r); print(x) })`},
	{"pipeBuffer", "race", `
		r, w := pipe()
		p := []byte("x")
		together(func() { w.Write(p) }, func() { p[0] = 'y' })
		print(readPipe(r))`},
}

const pipeFile = "load/overlay/_src/syscall/hb_pipe.go"

var pipeMutants = []struct{ name, file, old, new, test string }{
	{"reading a pipe declares nothing", pipeFile, "\t\teffect.Wait(unsafe.Pointer(e.p), effect.Inside, ready)\n", "\t\teffect.Wait(unsafe.Pointer(e), effect.Inside, ready)\n", "pipePieces"},
	{"reading a pipe does not wait", pipeFile, "\te.begin(&e.readable)\n", "\te.begin(nil)\n", "pipePieces"},
	{"a read of a pipe begins unseen", pipeFile, "\teffect.Access(unsafe.Pointer(&e.shut), false)\n", "", "pipeBegun"},
	{"a read of a pipe that is closed finds nothing", pipeFile, "!e.after && hbEither()", "!e.after && false && hbEither()", "pipeBegun"},
	{"readers of a pipe that is closed take no turns", pipeFile, "\t\te.after = true\n", "", "pipeBegunTwice"},
	{"closing a pipe declares nothing", pipeFile, "\te.p.touch()\n\teffect.Orders(unsafe.Pointer(&e.order), true)\n", "\teffect.Orders(unsafe.Pointer(&e.order), true)\n", "pipeClosed"},
	{"closing a pipe wakes nothing", pipeFile, "\te.update()\n\treturn destroy, nil\n", "\treturn destroy, nil\n", "pipeWoken"},
	{"the end of a pipe declares nothing", pipeFile, "func (p *hbPipe) closed(f *hbFile) {\n\tp.touch()\n", "func (p *hbPipe) closed(f *hbFile) {\n", "pipeGone"},
	{"a deadline of a pipe declares nothing", pipeFile, "write bool) error {\n\te.begin(nil)\n\tif e.closing {\n\t\te.drop(d)\n", "write bool) error {\n\tif e.closing {\n\t\te.drop(d)\n", "pipeLate"},
	{"a deadline of a pipe passes unseen", pipeFile, "\te.p.touch()\n\td.Over = true\n", "\td.Over = true\n", "pipeTimer"},
	{"closing a pipe ends what waits in the system", pipeFile, "\te.blocking = true\n", "", "pipeBlocking"},
	{"the mode of a pipe is no operation", "load/overlay/_src/syscall/hb_files.go", "\t\t\tf.touch(true)\n\t\t\tf.flags =", "\t\t\tf.flags =", "pipeMode"},
	{"writing to a pipe by number declares nothing", pipeFile, "\tp.touch()\n\teffect.Release(unsafe.Pointer(p))\n\tfor", "\teffect.Release(unsafe.Pointer(p))\n\tfor", "pipeRaw"},
	{"a write to a pipe releases nothing", pipeFile, "\t\teffect.Release(unsafe.Pointer(e.p))\n\t\tif n <", "\t\tif n <", "pipeOrdered"},
	{"a read of a pipe acquires nothing", pipeFile, "\t\teffect.Acquire(unsafe.Pointer(e.p))\n\t\tn = fill(p,", "\t\tn = fill(p,", "pipeOrdered"},
	{"closing a pipe orders nothing", pipeFile, "\t\teffect.Orders(unsafe.Pointer(&e.order), true)\n\t\tif e.shut", "\t\tif e.shut", "pipeCloseOrdered"},
	{"a pipe trusts its buffers", pipeFile, "func (e *hbEnd) Write(p []byte) (n int, destroy bool, err error) {\n\tb := taken(p)\n", "func (e *hbEnd) Write(p []byte) (n int, destroy bool, err error) {\n\tb := append([]byte(nil), p...)\n", "pipeBuffer"},
	{"a pipe that is full is written to", pipeFile, "\tp.room = len(p.pages) < hbPages || p.readers == 0\n", "\tp.room = true\n", "pipeFull"},
	{"writers of a pipe take no turns", pipeFile, "\te.writable = e.closing || !e.writing\n", "\te.writable = true\n", "pipeTurns"},
}
