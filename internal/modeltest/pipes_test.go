package modeltest

// Programs with pipes, and mutants of the declarations of their model (hb_pipe.go of the overlay). The
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

func readByte(r *os.File) string {
	var b [1]byte
	if _, err := r.Read(b[:]); err != nil {
		return pipeWord(err)[:1]
	}
	return string(b[:])
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
	// Close waits for a Read that has begun.
	{"pipeBegun", "closed broken pipe", `
		r, w := pipe()
		s, e := "", ""
		together(func() { r.Close(); e = writePipe(w, "x") }, func() { s = readPipe(r) })
		print(s, " ", e)`},
	// A Read that has begun keeps the pipe open. It may return bytes written after Close has begun,
	// or be woken.
	{"pipeBegunSeen", "closed|closed closed broken pipe|closed closed ok|x closed ok", `
		r, w := pipe()
		s, e := "", ""
		together(func() { r.Close() }, func() {
			together(func() {
				if err := r.Close(); err != nil {
					e = " " + pipeWord(err) + " " + writePipe(w, "x")
				}
			}, func() { s = readPipe(r) })
		})
		print(s, e)`},
	// Only one of two Reads can do that, because the other one waits for its turn.
	{"pipeBegunTwice", "c c|c x|x c", `
		r, w := pipe()
		s, u := "", ""
		go r.Close()
		together(func() {
			if r.Close() != nil {
				writePipe(w, "xy")
			}
		}, func() { together(func() { s = readByte(r) }, func() { u = readByte(r) }) })
		print(s, " ", u)`},
	// Close waits for a use of the descriptor, too.
	{"pipeUsed", "true", `
		r, _ := pipe()
		c := must(r.SyscallConn())
		var out atomic.Bool
		began := make(chan bool)
		together(func() { c.Control(func(uintptr) { began <- true; out.Store(true) }) }, func() {
			<-began
			r.Close()
			print(out.Load())
		})`},
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
	// A Read or Write that has begun may succeed after its deadline. One that begins after its
	// deadline fails.
	{"pipeLateBegun", "late|x", `
		r, w := pipe()
		s := ""
		together(func() { r.SetReadDeadline(time.Unix(1, 0)); writePipe(w, "x") }, func() { s = readPipe(r) })
		print(s)`},
	{"pipeLateBegins", "late late", `
		r, w := pipe()
		r.SetReadDeadline(time.Unix(1, 0))
		writePipe(w, "x")
		w.SetWriteDeadline(time.Unix(1, 0))
		print(readPipe(r), " ", writePipe(w, "y"))`},
	{"pipeWriteBegun", "broken pipe|late|ok", `
		r, w := pipe()
		s := ""
		together(func() { w.SetWriteDeadline(time.Unix(1, 0)); r.Close() }, func() { s = writePipe(w, "x") })
		print(s)`},
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
	// A Read that waits in the system is not woken.
	{"pipeBlockingLeft", "|closed", `
		r, _ := pipe()
		r.Fd()
		s := ""
		together(func() { s = readPipe(r) }, func() { r.Close() })
		print(s)`},
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
