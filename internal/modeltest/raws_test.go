package modeltest

// Programs that use the descriptors of connections, and mutants of the declarations of their model (hb_raw.go
// of the overlay). The helpers are those of connections (conns_test.go), and these.

const rawHead = `
func raw(c syscall.Conn) syscall.RawConn { return must(c.SyscallConn()) }

// now is a read by the descriptor, which does not wait.
func now(c syscall.Conn) (s string) {
	err := raw(c).Control(func(fd uintptr) {
		var b [8]byte
		n, err := syscall.Read(int(fd), b[:])
		if s = word(err); err == nil {
			s = string(b[:n])
		}
	})
	if err != nil {
		return word(err)
	}
	return s
}

// await is a Read of a RawConn.
func await(c syscall.Conn) (s string) {
	err := raw(c).Read(func(fd uintptr) bool {
		var b [1]byte
		n, err := syscall.Read(int(fd), b[:])
		s = string(b[:max(n, 0)])
		return err != syscall.EAGAIN
	})
	if err != nil {
		return word(err)
	}
	return s
}
`

func init() {
	programs = append(programs, rawPrograms...)
}

var rawPrograms = []program{
	{"rawPieces", "resource temporarily unavailable|x|xy", `
		a, b := pair()
		s := ""
		together(func() { a.Write([]byte("x")); a.Write([]byte("y")) }, func() { s = now(b) })
		print(s)`},
	{"rawClosed", "closed|x", `
		a, b := pair()
		write(a, "x")
		s := ""
		together(func() { b.Close() }, func() { s = now(b) })
		print(s)`},
	// Close waits for the use, and the other end notices it later.
	{"rawHolds", "true x EOF", `
		a, b := pair()
		begun := make(chan bool)
		var over atomic.Bool
		early := false
		together(
			func() { raw(a).Control(func(fd uintptr) { close(begun); syscall.Write(int(fd), []byte("x")); over.Store(true) }) },
			func() { <-begun; a.Close(); early = !over.Load() })
		print(!early, " ", read(b), " ", read(b))`},
	{"rawWaits", "closed|x", `
		a, b := pair()
		s := ""
		together(func() { write(a, "x"); b.Close() }, func() { s = await(b) })
		print(s)`},
	{"rawReaders", "xyz|yzx", `
		a, b := pair()
		write(a, "xyz")
		s, t := "", ""
		var p [1]byte
		together(
			func() {
				raw(b).Read(func(fd uintptr) bool {
					var p [1]byte
					for range 2 {
						syscall.Read(int(fd), p[:])
						s += string(p[:])
					}
					return true
				})
			},
			func() { b.Read(p[:]); t = string(p[:]) })
		print(s, t)`},
	{"rawApart", "wxyz|yzwx", `
		a, b := pair()
		write(a, "wxyz")
		s, t := "", ""
		two := func(s *string) {
			raw(b).Read(func(fd uintptr) bool {
				var p [1]byte
				for range 2 {
					syscall.Read(int(fd), p[:])
					*s += string(p[:])
				}
				return true
			})
		}
		together(func() { two(&s) }, func() { two(&t) })
		print(s, t)`},
	{"rawAwaits", "xyz|xzy|yzx", `
		a, b := pair()
		write(a, "xyz")
		s, t, u := "", "", ""
		together(func() { s = await(b); t = await(b) }, func() { u = await(b) })
		print(s, t, u)`},
	{"rawOptions", "1|2", `
		a, _ := pair()
		n := 0
		set := func(fd uintptr, n int) { syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, syscall.IP_TTL, n) }
		together(
			func() { raw(a).Control(func(fd uintptr) { set(fd, 1) }) },
			func() { raw(a).Control(func(fd uintptr) { set(fd, 2) }) })
		raw(a).Control(func(fd uintptr) { n, _ = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_IP, syscall.IP_TTL) })
		print(n)`},
	{"rawShown", "false|true", `
		s := must(net.ListenUDP("udp4", &net.UDPAddr{}))
		c := must(net.DialUDP("udp4", nil, s.LocalAddr().(*net.UDPAddr)))
		c.Write([]byte("x"))
		var b [64]byte
		n := 0
		together(
			func() { raw(s).Control(func(fd uintptr) { syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, syscall.IP_PKTINFO, 1) }) },
			func() { _, n, _, _, _ = s.ReadMsgUDP(b[:1], b[1:]) })
		print(n > 0)`},
	{"rawOrdered", "1", `
		a, b := pair()
		x := 0
		together(
			func() { x = 1; raw(a).Control(func(fd uintptr) { syscall.Write(int(fd), []byte("x")) }) },
			func() { await(b); print(x) })`},
}
