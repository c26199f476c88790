package modeltest

// Programs with connections, and mutants of the declarations of their model (hb_socket.go of the overlay
// and the files that it lists). pair is a connection; word names the result of a call.

const connHead = `
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func listen() net.Listener { return must(net.Listen("tcp", "127.0.0.1:0")) }

func dial(l net.Listener) net.Conn { return must(net.Dial("tcp", l.Addr().String())) }

func pair() (a, b *net.TCPConn) {
	l := listen()
	a = dial(l).(*net.TCPConn)
	return a, must(l.Accept()).(*net.TCPConn)
}

func private() string {
	for _, i := range must(net.Interfaces()) {
		for _, a := range must(i.Addrs()) {
			if ip := a.(*net.IPNet).IP; i.Flags&net.FlagLoopback == 0 && i.Flags&net.FlagUp != 0 && ip.IsPrivate() {
				return ip.String()
			}
		}
	}
	return ""
}

func port(a net.Addr) string {
	_, p, _ := net.SplitHostPort(a.String())
	return p
}

func word(err error) string {
	var no syscall.Errno
	switch {
	case err == nil:
		return "ok"
	case err == io.EOF:
		return "EOF"
	case errors.Is(err, net.ErrClosed):
		return "closed"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "late"
	case errors.As(err, &no):
		return no.Error()
	}
	return err.Error()
}

func read(c net.Conn) string {
	var b [8]byte
	n, err := c.Read(b[:])
	if err != nil {
		return word(err)
	}
	return string(b[:n])
}

func receive(c net.PacketConn) string {
	var b [8]byte
	n, _, err := c.ReadFrom(b[:])
	if err != nil {
		return word(err)
	}
	return string(b[:n])
}

func write(c net.Conn, s string) string {
	_, err := c.Write([]byte(s))
	return word(err)
}
`

func init() {
	programs = append(programs, connPrograms...)
}

var connPrograms = []program{
	{"connPieces", "x|xy", `
		a, b := pair()
		s := ""
		together(func() { a.Write([]byte("x")); a.Write([]byte("y")) }, func() { s = read(b) })
		print(s)`},
	{"connWriters", "xy|yx", `
		a, b := pair()
		together(func() { write(a, "x") }, func() { write(a, "y") })
		print(read(b))`},
	{"connReaders", "x y|y x", `
		a, b := pair()
		write(a, "xy")
		var p, q [1]byte
		together(func() { b.Read(p[:]) }, func() { b.Read(q[:]) })
		print(string(p[:]), " ", string(q[:]))`},
	{"connClosed", "closed|x", `
		a, b := pair()
		write(a, "x")
		s := ""
		together(func() { b.Close() }, func() { s = read(b) })
		print(s)`},
	{"connClosedWriting", "closed|ok", `
		a, b := pair()
		s := ""
		together(func() { a.Close() }, func() { s = write(a, "x") })
		print(s)
		b.Close()`},
	{"connReset", "EOF|connection reset by peer", `
		a, b := pair()
		s := ""
		together(func() { b.Close() }, func() { write(a, "x"); s = read(a) })
		print(s)`},
	{"connGone", "broken pipe|connection reset by peer|ok", `
		a, b := pair()
		s := ""
		together(func() { b.Close() }, func() { write(a, "x"); s = write(a, "y") })
		print(s)`},
	{"connHalves", "ab", `
		a, b := pair()
		var s, t string
		together(func() { write(a, "a"); s = read(a) }, func() { write(b, "b"); t = read(b) })
		print(t, s)`},
	{"connDeaf", "EOF|x", `
		a, b := pair()
		s := ""
		together(func() { b.CloseRead(); write(a, "x") }, func() { s = read(b) })
		print(s)`},
	{"connShut", "broken pipe|ok", `
		a, b := pair()
		s := ""
		together(func() { a.CloseWrite() }, func() { s = write(a, "x") })
		print(s)
		b.Close()`},
	{"connLate", "late|x", `
		a, b := pair()
		write(a, "x")
		s := ""
		together(func() { b.SetReadDeadline(time.Unix(1, 0)) }, func() { s = read(b) })
		print(s)`},
	// A Read that has begun may return bytes written after the deadline was set; a Read that begins after
	// that may not.
	{"connBegun", "late|x", `
		a, b := pair()
		s := ""
		together(func() { b.SetReadDeadline(time.Unix(1, 0)); write(a, "x") }, func() { s = read(b) })
		print(s)`},
	{"connBegins", "late", `
		a, b := pair()
		b.SetReadDeadline(time.Unix(1, 0))
		write(a, "x")
		print(read(b))`},
	{"connWriteBegun", "broken pipe|late|ok", `
		a, b := pair()
		s := ""
		together(func() { a.SetWriteDeadline(time.Unix(1, 0)); a.CloseWrite() }, func() { s = write(a, "x") })
		b.Close()
		print(s)`},
	{"connAcceptBegun", "late|ok", `
		l := listen()
		s := ""
		together(func() { l.(*net.TCPListener).SetDeadline(time.Unix(1, 0)); dial(l) }, func() { _, err := l.Accept(); s = word(err) })
		print(s)`},
	{"connAcceptBegins", "late", `
		l := listen()
		l.(*net.TCPListener).SetDeadline(time.Unix(1, 0))
		dial(l)
		_, err := l.Accept()
		print(word(err))`},
	{"connReceiveBegun", "late|x", `
		a := must(net.ListenPacket("udp", "127.0.0.1:0"))
		b := must(net.Dial("udp", a.LocalAddr().String()))
		s := ""
		together(func() { a.SetReadDeadline(time.Unix(1, 0)); write(b, "x") }, func() { s = receive(a) })
		print(s)`},
	{"connReceiveBegins", "late", `
		a := must(net.ListenPacket("udp", "127.0.0.1:0"))
		b := must(net.Dial("udp", a.LocalAddr().String()))
		a.SetReadDeadline(time.Unix(1, 0))
		write(b, "x")
		print(receive(a))`},
	{"connSendBegun", "late y|ok xy|ok yx", `
		a := must(net.ListenPacket("udp", "127.0.0.1:0"))
		b, c := must(net.Dial("udp", a.LocalAddr().String())), must(net.Dial("udp", a.LocalAddr().String()))
		s := ""
		together(func() { b.SetWriteDeadline(time.Unix(1, 0)); write(c, "y") }, func() { s = write(b, "x") })
		print(s, " ", receive(a))
		if s == "ok" {
			print(receive(a))
		}`},
	{"connTimer", "late|x", `
		a, b := pair()
		b.SetReadDeadline(time.Now().Add(time.Millisecond))
		s := ""
		together(func() { time.Sleep(time.Millisecond); write(a, "x") }, func() { s = read(b) })
		print(s)`},
	{"connAccepted", "xy|yx", `
		l := listen()
		together(func() { write(dial(l), "x") }, func() { write(dial(l), "y") })
		a, b := must(l.Accept()), must(l.Accept())
		print(read(a), read(b))`},
	{"connAcceptors", "x y|y x", `
		l := listen()
		write(dial(l), "x")
		write(dial(l), "y")
		var s, t string
		together(func() { s = read(must(l.Accept())) }, func() { t = read(must(l.Accept())) })
		print(s, " ", t)`},
	{"connAcceptClosed", "closed|ok", `
		l := listen()
		dial(l)
		s := ""
		together(func() { l.Close() }, func() { _, err := l.Accept(); s = word(err) })
		print(s)`},
	{"connRefused", "connection refused|connection reset by peer|ok", `
		l := listen()
		s := ""
		together(func() { l.Close() }, func() { _, err := net.Dial("tcp", l.Addr().String()); s = word(err) })
		print(s)`},
	{"connListen", "connection refused|ok", `
		s := ""
		together(func() { net.Listen("tcp", "127.0.0.1:80") }, func() { _, err := net.Dial("tcp", "127.0.0.1:80"); s = word(err) })
		print(s)`},
	{"connInUse", "address already in use ok|ok address already in use", `
		var s, t string
		together(func() { _, err := net.Listen("tcp", ":80"); s = word(err) }, func() { _, err := net.Listen("tcp", ":80"); t = word(err) })
		print(s, " ", t)`},
	{"connFree", "address already in use|ok", `
		l := must(net.Listen("tcp", ":80"))
		s := ""
		together(func() { l.Close() }, func() { _, err := net.Listen("tcp", ":80"); s = word(err) })
		print(s)`},
	{"connPorts", "false|true", `
		var l, k net.Listener
		together(func() { l = listen() }, func() { k = listen() })
		print(l.Addr().(*net.TCPAddr).Port < k.Addr().(*net.TCPAddr).Port)`},
	{"connPackets", "xy|yx", `
		a, b := must(net.ListenPacket("udp", "127.0.0.1:0")), must(net.ListenPacket("udp", "127.0.0.1:0"))
		together(func() { a.WriteTo([]byte("x"), b.LocalAddr()) }, func() { a.WriteTo([]byte("y"), b.LocalAddr()) })
		var p [2]byte
		b.ReadFrom(p[:1])
		b.ReadFrom(p[1:])
		print(string(p[:]))`},
	{"connPacketRefused", "connection refused|ok", `
		a := must(net.ListenPacket("udp", "127.0.0.1:0"))
		b := must(net.Dial("udp", a.LocalAddr().String()))
		s := ""
		together(func() { a.Close() }, func() { write(b, "x"); s = write(b, "y") })
		print(s)`},
	{"connPacketClosed", "closed|x", `
		a := must(net.ListenPacket("udp", "127.0.0.1:0"))
		a.WriteTo([]byte("x"), a.LocalAddr())
		s := ""
		together(func() { a.Close() }, func() { s = read(a.(*net.UDPConn)) })
		print(s)`},
	// The private address reaches the sockets that listen at every address, and not those of the loopback.
	{"connPrivate", "10.0.0.2 10.0.0.2 refused|10.0.0.2 10.0.0.2 took", `
		ip := private()
		l, lo := must(net.Listen("tcp", ":0")), listen()
		must(net.Dial("tcp", net.JoinHostPort(ip, port(l.Addr()))))
		from, _, _ := net.SplitHostPort(must(l.Accept()).RemoteAddr().String())
		s := "refused"
		together(func() { l.Close() }, func() {
			if _, err := net.Listen("tcp", net.JoinHostPort(ip, port(l.Addr()))); err == nil {
				s = "took"
			}
		})
		if _, err := net.Dial("tcp", net.JoinHostPort(ip, port(lo.Addr()))); err == nil {
			panic("connected")
		}
		print(ip, " ", from, " ", s)`},
	// What is sent to another machine is lost.
	{"connOutside", "10.0.0.2 ok late", `
		c := must(net.Dial("udp", "192.0.2.1:80"))
		host, _, _ := net.SplitHostPort(c.LocalAddr().String())
		w, s := "", ""
		together(func() { w = write(c, "x") }, func() { c.SetReadDeadline(time.Unix(1, 0)); s = read(c) })
		print(host, " ", w, " ", s)`},
	{"connUnix", "no such file or directory|ok", `
		s := ""
		together(func() { net.Listen("unix", "DIR/socket") }, func() { _, err := net.Dial("unix", "DIR/socket"); s = word(err) })
		print(s)`},
	{"connOrdered", "1", `
		a, b := pair()
		x := 0
		together(func() { x = 1; write(a, "x") }, func() { read(b); print(x) })`},
	{"connUnordered", "race", `
		a, b := pair()
		x := 0
		together(func() { write(a, "x"); x = 1 }, func() { read(b); x = 2 })
		print(x)`},
	{"connCloseOrdered", "1", `
		a, _ := pair()
		x := 0
		together(func() { x = 1; a.Close() }, func() { read(a); print(x) })`},
	{"connBuffer", "race", `
		a, b := pair()
		p := []byte("x")
		together(func() { a.Write(p) }, func() { p[0] = 'y' })
		print(read(b))`},
}
