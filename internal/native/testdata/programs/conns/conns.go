// Package conns has programs whose goroutines are connected: over the loopback and by sockets of Unix.
package conns

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

// word says what became of a call, without addresses.
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
		return strings.ReplaceAll(no.Error(), " ", "-")
	}
	return err.Error()
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func listen() net.Listener { return must(net.Listen("tcp", "127.0.0.1:0")) }

func dial(l net.Listener) net.Conn { return must(net.Dial(l.Addr().Network(), l.Addr().String())) }

// pair returns both ends of a connection.
func pair() (a, b *net.TCPConn) {
	l := listen()
	defer l.Close()
	a = dial(l).(*net.TCPConn)
	return a, must(l.Accept()).(*net.TCPConn)
}

// read returns what one Read says.
func read(c io.Reader) string {
	b := make([]byte, 16)
	n, err := c.Read(b)
	if err != nil {
		return string(b[:n]) + word(err)
	}
	return string(b[:n])
}

func write(c io.Writer, s string) string {
	_, err := io.WriteString(c, s)
	return word(err)
}

func Echo() {
	l := listen()
	par(func() {
		c := must(l.Accept())
		io.Copy(c, c)
		c.Close()
	}, func() {
		c := dial(l)
		fmt.Print(write(c, "hello"), c.(*net.TCPConn).CloseWrite() == nil, " ")
		b, err := io.ReadAll(c)
		fmt.Print(string(b), word(err), word(c.Close()))
	})
	fmt.Print(word(l.Close()), word(l.Close()))
}

// Pieces: how much a Read returns says how much has been written.
func Pieces() {
	a, b := pair()
	par(func() {
		write(a, "x")
		write(a, "y")
		a.Close()
	}, func() {
		for s := ""; s != "EOF"; {
			s = read(b)
			fmt.Print(s, " ")
		}
	})
	b.Close()
}

// TwoWriters: each Write is one.
func TwoWriters() {
	a, b := pair()
	par(func() { write(a, "xx") }, func() { write(a, "yy") })
	a.Close()
	s, err := io.ReadAll(b)
	fmt.Print(string(s), word(err))
	b.Close()
}

// TwoReaders share what is sent.
func TwoReaders() {
	a, b := pair()
	var got [2]string
	write(a, "x")
	par(func() { got[0] = read(b) }, func() { got[1] = read(b) }, func() { write(a, "y"); a.Close() })
	fmt.Print(got)
	b.Close()
}

// Short reads take what fits.
func Short() {
	a, b := pair()
	write(a, "abcdef")
	p := make([]byte, 4)
	n, err := b.Read(p)
	fmt.Print(n, word(err), string(p[:n]), " ")
	n, err = b.Read(nil)
	fmt.Print(n, word(err), read(b), " ")
	n, err = a.Write(nil)
	fmt.Print(n, word(err))
	a.Close()
	n, err = b.Read(nil)
	fmt.Print(n, word(err))
	n, err = a.Write(nil)
	fmt.Print(n, word(err))
	n, err = a.Read(nil)
	fmt.Print(n, word(err))
	b.Close()
}

// CloseReading: a Read that waits is told that its connection has been closed.
func CloseReading() {
	a, b := pair()
	par(func() { fmt.Print(read(a)) }, func() { fmt.Print(word(a.Close())) })
	fmt.Print(" ", read(a), write(a, "x"), word(a.Close()), word(a.CloseWrite()), word(a.CloseRead()), word(a.SetDeadline(time.Time{})), " ", read(b))
	b.Close()
}

// CloseAccepting: so is an Accept.
func CloseAccepting() {
	l := listen()
	par(func() {
		_, err := l.Accept()
		fmt.Print(word(err))
	}, func() { fmt.Print(word(l.Close())) })
	_, err := l.Accept()
	fmt.Print(word(err))
}

// CloseTwice: only one Close closes.
func CloseTwice() {
	a, b := pair()
	var e [2]string
	par(func() { e[0] = word(a.Close()) }, func() { e[1] = word(a.Close()) })
	fmt.Print(e, read(b))
	b.Close()
}

// Gone: the second Write to an end that has been closed is told.
func Gone() {
	a, b := pair()
	write(b, "last")
	b.Close()
	fmt.Print(write(a, "x"), write(a, "y"), write(a, "z"), " ", read(a), read(a), read(a))
	a.Close()
}

// Unread: closing an end with something to be read resets the connection.
func Unread() {
	a, b := pair()
	write(b, "last")
	write(a, "unread")
	b.Close()
	fmt.Print(read(a), " ", read(a), " ", read(a), " ", write(a, "x"), " ", write(a, "y"))
	a.Close()
}

func UnreadWritten() {
	a, b := pair()
	write(a, "unread")
	b.Close()
	fmt.Print(write(a, "x"), " ", write(a, "y"), " ", read(a), " ", word(a.CloseWrite()), word(a.CloseRead()))
	a.Close()
}

// UnreadEnded: one that has been told of the end is not told of the reset.
func UnreadEnded() {
	a, b := pair()
	write(a, "unread")
	b.CloseWrite()
	fmt.Print(read(a), " ")
	b.Close()
	fmt.Print(read(a), " ", write(a, "x"), " ", write(a, "y"))
	a.Close()
}

// Linger: closing resets.
func Linger() {
	a, b := pair()
	b.SetLinger(0)
	write(b, "last")
	b.Close()
	fmt.Print(read(a), " ", read(a), " ", read(a), " ", write(a, "x"))
	a.Close()
}

// Half: one direction ends, the other one goes on.
func Half() {
	a, b := pair()
	fmt.Print(word(a.CloseWrite()), write(a, "x"), word(a.CloseWrite()), " ", read(b), write(b, "y"), read(a), " ")
	fmt.Print(word(b.CloseWrite()), read(a), read(b))
	a.Close()
	b.Close()
}

// Deaf: an end that has shut down reading is written to all the same.
func Deaf() {
	a, b := pair()
	write(a, "x")
	fmt.Print(word(b.CloseRead()), read(b), read(b), write(a, "y"), " ", read(b), read(b))
	a.Close()
	b.Close()
}

// DeafWaiting: a Read that waits ends.
func DeafWaiting() {
	a, b := pair()
	par(func() { fmt.Print(read(b)) }, func() { b.CloseRead() })
	fmt.Print(write(b, "x"), read(a))
	a.Close()
	b.Close()
}

// NotAccepted: a connection is there before it is accepted.
func NotAccepted() {
	l := listen()
	a := dial(l)
	fmt.Print(write(a, "early"))
	b := must(l.Accept())
	fmt.Print(read(b))
	c := dial(l)
	l.Close()
	fmt.Print(" ", read(c), " ", read(c))
	_, err := net.Dial("tcp", l.Addr().String())
	fmt.Print(" ", word(err))
	a.Close()
	b.Close()
	c.Close()
}

// Order: connections are accepted in the order in which they are made.
func Order() {
	l := listen()
	par(func() {
		c := dial(l)
		write(c, "x")
		c.Close()
	}, func() {
		c := dial(l)
		write(c, "y")
		c.Close()
	})
	for range 2 {
		c := must(l.Accept())
		fmt.Print(read(c))
		c.Close()
	}
	l.Close()
}

// Refused: connecting beside the Close of the listener.
func Refused() {
	l := listen()
	par(func() { l.Close() }, func() {
		c, err := net.Dial("tcp", l.Addr().String())
		if fmt.Print(word(err)); err == nil {
			s := read(c)
			fmt.Print(" ", s)
			c.Close()
		}
	})
}

// InUse: an address is taken until its listener is closed.
func InUse() {
	l := listen()
	_, err := net.Listen("tcp", l.Addr().String())
	fmt.Print(word(err))
	any := strings.Replace(l.Addr().String(), "127.0.0.1", "", 1)
	_, err = net.Listen("tcp", any)
	fmt.Print(" ", word(err))
	_, err = net.Listen("tcp4", any)
	fmt.Print(" ", word(err))
	other, err := net.Listen("tcp", strings.Replace(l.Addr().String(), "127.0.0.1", "127.0.0.2", 1))
	fmt.Print(" ", word(err))
	other.Close()
	l.Close()
	l, err = net.Listen("tcp", l.Addr().String())
	fmt.Print(" ", word(err))
	l.Close()
}

// Wildcard: a listener without an address has all of them.
func Wildcard() {
	l := must(net.Listen("tcp", ":0"))
	port := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	fmt.Print(strings.TrimSuffix(l.Addr().String(), port))
	for _, host := range []string{"127.0.0.1", "127.0.0.9", "::1", "", "localhost", "0.0.0.0"} {
		c, err := net.Dial("tcp", net.JoinHostPort(host, port))
		fmt.Print(" ", word(err))
		if err == nil {
			s := must(l.Accept())
			fmt.Print(" ", strings.TrimSuffix(c.RemoteAddr().String(), port), c.LocalAddr().(*net.TCPAddr).IP,
				c.LocalAddr().String() == s.RemoteAddr().String(), c.RemoteAddr().String() == s.LocalAddr().String(), len(s.LocalAddr().(*net.TCPAddr).IP))
			c.Close()
			s.Close()
		}
	}
	l.Close()
	l = must(net.Listen("tcp4", ":0"))
	fmt.Print(" ", l.Addr().(*net.TCPAddr).IP, len(l.Addr().(*net.TCPAddr).IP))
	_, err := net.Dial("tcp6", fmt.Sprint("[::1]:", l.Addr().(*net.TCPAddr).Port))
	fmt.Print(word(err))
	l.Close()
}

// Addresses that there are not.
func Addresses() {
	for _, a := range []string{"256.0.0.1:1", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:70000", "127.0.0.1:nothing", ":"} {
		_, err := net.Dial("tcp", a)
		fmt.Print(err != nil, " ")
	}
	_, err := net.Listen("tcp", "10.255.1.2:0")
	fmt.Print(word(err))
	_, err = net.Listen("tpc", ":0")
	fmt.Print(" ", err)
}

// Late: a deadline ends a Read that waits, and the next one, until another one is set.
func Late() {
	a, b := pair()
	a.SetReadDeadline(time.Now().Add(time.Millisecond))
	fmt.Print(read(a), read(a))
	write(b, "x")
	fmt.Print(read(a), write(a, "y"), read(b))
	a.SetReadDeadline(time.Time{})
	fmt.Print(read(a))
	a.SetWriteDeadline(time.Now().Add(-time.Second))
	fmt.Print(" ", write(a, "z"))
	a.SetDeadline(time.Time{})
	fmt.Print(write(a, "z"), read(b))
	a.Close()
	b.Close()
}

// Interrupted: a deadline that has passed ends a Read that waits already.
func Interrupted() {
	a, b := pair()
	par(func() { fmt.Print(read(a)) }, func() { a.SetReadDeadline(time.Unix(1, 0)) })
	b.Close()
	fmt.Print(read(a))
	a.Close()
}

// Timed: what comes first, the deadline or the message.
func Timed() {
	a, b := pair()
	a.SetReadDeadline(time.Now().Add(time.Hour))
	par(func() { fmt.Print(read(a)) }, func() { write(b, "x") })
	a.SetReadDeadline(time.Time{})
	a.Close()
	b.Close()
}

// LateAccept: listeners have deadlines.
func LateAccept() {
	l := listen().(*net.TCPListener)
	l.SetDeadline(time.Now().Add(time.Millisecond))
	_, err := l.Accept()
	fmt.Print(word(err))
	l.SetDeadline(time.Time{})
	c := dial(l)
	s, err := l.Accept()
	fmt.Print(word(err))
	s.Close()
	c.Close()
	l.Close()
}

// Contexts end dialing.
func Contexts() {
	l := listen()
	defer l.Close()
	ctx, cancel := context.WithCancel(context.Background())
	c, err := new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
	fmt.Print(word(err), c.Close() == nil)
	cancel()
	_, err = new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
	fmt.Print(" ", err != nil, errors.Is(err, context.Canceled))
	c, err = net.DialTimeout("tcp", l.Addr().String(), time.Minute)
	fmt.Print(" ", word(err), c.Close() == nil)
	_, err = net.DialTimeout("tcp", l.Addr().String(), -1)
	var timeout net.Error
	fmt.Print(" ", errors.As(err, &timeout) && timeout.Timeout())
}

// From: a dialer may choose its address.
func From() {
	l := listen()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 3)}}
	c := must(d.Dial("tcp", l.Addr().String()))
	s := must(l.Accept())
	fmt.Print(c.LocalAddr().(*net.TCPAddr).IP, s.RemoteAddr().(*net.TCPAddr).IP)
	d.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: l.Addr().(*net.TCPAddr).Port}
	_, err := d.Dial("tcp", l.Addr().String())
	fmt.Print(" ", word(err))
	c.Close()
	s.Close()
	l.Close()
}

// Ordered: what was done before a Write is seen after the Read that returns it.
func Ordered() {
	a, b := pair()
	x := 0
	par(func() { x = 1; write(a, "x") }, func() { read(b); fmt.Print(x) })
	a.Close()
	b.Close()
}

// Overtaken: what is done after a Write is not ordered.
//
//native:race
func Overtaken() {
	a, b := pair()
	x := 0
	par(func() { write(a, "x"); x = 1 }, func() { read(b); x = 2 })
	fmt.Print(x)
	a.Close()
	b.Close()
}

// Backwards: reading orders nothing for the writer.
//
//native:race
func Backwards() {
	a, b := pair()
	x := 0
	par(func() { x++; write(a, "x"); write(a, "y") }, func() { read(b); x++ })
	par(func() { write(b, "z"); x++ }, func() { x++; read(a) })
	a.Close()
	b.Close()
}

// Shared: a buffer that is used while it is written.
//
//native:race
func Shared() {
	a, b := pair()
	p := []byte("x")
	par(func() { a.Write(p) }, func() { p[0] = 'y' })
	s := read(b)
	fmt.Print(s)
	a.Close()
	b.Close()
}

// Filled: a buffer that is used while it is read into.
//
//native:race
func Filled() {
	a, b := pair()
	write(a, "x")
	p := []byte("-")
	par(func() { b.Read(p) }, func() { _ = p[0] })
	fmt.Print(string(p))
	a.Close()
	b.Close()
}

// Closed: closing orders what came before it before what the reader does, who is told.
func Closed() {
	a, b := pair()
	x := 0
	par(func() { x = 1; a.Close() }, func() {
		if s := read(a); s == "closed" {
			fmt.Print(x)
		}
	})
	b.Close()
}

// Accepted: connecting orders nothing.
//
//native:race
func Accepted() {
	l := listen()
	x := 0
	par(func() {
		x = 1
		c := dial(l)
		c.Close()
	}, func() {
		c := must(l.Accept())
		x = 2
		c.Close()
	})
	fmt.Print(x)
	l.Close()
}

// Big: more than the buffers hold.
func Big() {
	a, b := pair()
	p := make([]byte, 6_000_000)
	p[len(p)-1] = 7
	par(func() {
		n, err := a.Write(p)
		fmt.Print(n, word(err))
		a.Close()
	}, func() {
		all := make([]byte, len(p))
		n, err := io.ReadFull(b, all)
		fmt.Print(n, word(err), all[n-1], read(b))
		b.Close()
	})
}

// BigLate: a Write that does not fit waits, and a deadline ends it.
func BigLate() {
	a, b := pair()
	a.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
	n, err := a.Write(make([]byte, 20_000_000))
	fmt.Print(n > 0, n < 20_000_000, word(err))
	par(func() { a.Close() }, func() {
		all, err := io.ReadAll(b)
		fmt.Print(len(all) == n, word(err))
	})
	b.Close()
}

// Buffers are written at once.
func Buffers() {
	a, b := pair()
	v := net.Buffers{[]byte("ab"), []byte("cd")}
	n, err := v.WriteTo(a)
	fmt.Print(n, word(err), len(v), read(b))
	a.Close()
	b.Close()
}

// Copied: a connection copied to another one.
func Copied() {
	a, b := pair()
	c, d := pair()
	par(func() { write(a, "x"); a.Close() }, func() {
		n, err := io.Copy(c, b)
		fmt.Print(n, word(err))
		c.Close()
		b.Close()
	}, func() {
		all, err := io.ReadAll(d)
		fmt.Print(string(all), word(err))
		d.Close()
	})
}

// in calls f with a directory.
func in(f func(dir string)) {
	dir, err := os.MkdirTemp("", "native")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	f(dir)
}

// Unix: connections by the name of a file.
func Unix() {
	in(func(dir string) {
		at := filepath.Join(dir, "s")
		_, err := net.Dial("unix", at)
		fmt.Print(word(err))
		l := must(net.Listen("unix", at))
		st := must(os.Stat(at))
		fmt.Print(" ", st.Mode()&os.ModeSocket != 0, l.Addr().String() == at)
		_, err = net.Listen("unix", at)
		fmt.Print(" ", word(err))
		_, err = os.Open(at)
		fmt.Print(" ", word(err))
		c := dial(l)
		s := must(l.Accept())
		fmt.Print(" ", c.LocalAddr(), s.RemoteAddr(), c.RemoteAddr().String() == at, s.LocalAddr().String() == at)
		write(c, "x")
		fmt.Print(" ", read(s), write(s, "y"), read(c), " ")
		l.Close()
		_, err = os.Stat(at)
		fmt.Print(word(err), " ")
		s.Close()
		fmt.Print(read(c), write(c, "z"))
		c.Close()
		os.WriteFile(at, nil, 0o600)
		_, err = net.Dial("unix", at)
		fmt.Print(" ", word(err))
	})
}

// UnixUnread: as Unread, with a socket of Unix.
func UnixUnread() {
	in(func(dir string) {
		l := must(net.Listen("unix", filepath.Join(dir, "s")))
		c := dial(l).(*net.UnixConn)
		s := must(l.Accept()).(*net.UnixConn)
		write(c, "unread")
		write(s, "last")
		s.Close()
		fmt.Print(read(c), " ", write(c, "x"), " ", read(c), " ", read(c))
		c.Close()
		c = dial(l).(*net.UnixConn)
		s = must(l.Accept()).(*net.UnixConn)
		s.CloseRead()
		fmt.Print(" ", write(c, "x"), word(c.CloseWrite()), read(s), word(s.CloseWrite()), read(c))
		c.Close()
		s.Close()
		c = dial(l).(*net.UnixConn)
		l.Close()
		fmt.Print(" ", read(c), write(c, "x"))
		c.Close()
	})
}

// UnixPar: two clients.
func UnixPar() {
	in(func(dir string) {
		l := must(net.Listen("unix", filepath.Join(dir, "s")))
		par(func() { c := dial(l); write(c, "x"); c.Close() }, func() {
			c := must(l.Accept())
			fmt.Print(read(c))
			c.Close()
		})
		l.Close()
	})
}

func packets() (a, b *net.UDPConn) {
	local := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}
	return must(net.ListenUDP("udp", local)), must(net.ListenUDP("udp", local))
}

// Packets are taken one by one.
func Packets() {
	a, b := packets()
	par(func() { a.WriteTo([]byte("xx"), b.LocalAddr()) }, func() { a.WriteTo([]byte("yy"), b.LocalAddr()) })
	p := make([]byte, 1)
	n, from, err := b.ReadFrom(p)
	fmt.Print(string(p[:n]), word(err), from.String() == a.LocalAddr().String())
	n, _, err = b.ReadFrom(p[:0])
	fmt.Print(n, word(err))
	a.WriteTo(nil, b.LocalAddr())
	n, err = b.Read(make([]byte, 9))
	fmt.Print(" ", n, word(err))
	_, err = a.WriteTo(make([]byte, 70000), b.LocalAddr())
	fmt.Print(" ", word(err))
	_, err = a.Write([]byte("x"))
	fmt.Print(" ", word(err))
	a.WriteTo([]byte("long"), b.LocalAddr())
	n, _, flags, _, err := b.ReadMsgUDP(p, nil)
	fmt.Print(" ", n, flags != 0, word(err))
	a.Close()
	b.Close()
}

// PacketsConnected: one that is connected hears only of its peer, and of packets that are not taken.
func PacketsConnected() {
	a, b := packets()
	c := must(net.DialUDP("udp", nil, a.LocalAddr().(*net.UDPAddr)))
	b.WriteTo([]byte("other"), c.LocalAddr())
	write(c, "x")
	p := make([]byte, 9)
	n, from, err := a.ReadFrom(p)
	fmt.Print(string(p[:n]), word(err), from.String() == c.LocalAddr().String())
	a.WriteTo([]byte("peer"), c.LocalAddr())
	fmt.Print(" ", read(c))
	_, err = c.WriteTo([]byte("x"), b.LocalAddr())
	fmt.Print(" ", err != nil)
	a.Close()
	fmt.Print(" ", write(c, "x"), " ", write(c, "y"), " ", write(c, "z"), " ", read(c))
	c.Close()
	fmt.Print(read(c), word(c.Close()))
	b.Close()
}

// PacketsClosed: a ReadFrom that waits is told of the Close, and of the deadline.
func PacketsClosed() {
	a, b := packets()
	par(func() { fmt.Print(read(a)) }, func() { a.Close() })
	b.SetReadDeadline(time.Now().Add(time.Millisecond))
	fmt.Print(read(b))
	_, err := net.ListenPacket("udp", b.LocalAddr().String())
	fmt.Print(word(err))
	b.Close()
}

// PacketsPar: two clients of a server.
func PacketsPar() {
	a, b := packets()
	par(func() {
		p := make([]byte, 9)
		for range 2 {
			n, from, _ := a.ReadFrom(p)
			a.WriteTo(p[:n], from)
			fmt.Print(string(p[:n]))
		}
	}, func() {
		b.WriteTo([]byte("x"), a.LocalAddr())
		read(b)
	}, func() {
		c := must(net.Dial("udp", a.LocalAddr().String()))
		write(c, "y")
		read(c)
		c.Close()
	})
	a.Close()
	b.Close()
}

// Names that every machine knows.
func Names() {
	hosts, err := net.LookupHost("127.0.0.1")
	fmt.Print(hosts, word(err))
	addr, err := net.ResolveTCPAddr("tcp4", "localhost:http")
	fmt.Print(" ", addr, word(err))
	ips, err := net.LookupIP("::1")
	fmt.Print(" ", ips, word(err))
	lo, err := net.InterfaceByName("lo")
	fmt.Print(" ", lo.Name, lo.Index, lo.MTU, lo.Flags&net.FlagLoopback != 0, word(err))
	list, err := lo.Addrs()
	for _, a := range list {
		fmt.Print(" ", a)
	}
	_, err = net.InterfaceByName("nothing")
	fmt.Print(" ", err)
}

// Memory: the ends of a net.Pipe.
func Memory() {
	a, b := net.Pipe()
	sent := ""
	par(func() { sent = write(a, "xy") }, func() {
		p := make([]byte, 1)
		b.Read(p)
		s := read(b)
		fmt.Print(string(p), s, " ")
	})
	a.Close()
	fmt.Print(sent, read(b))
	b.Close()
}

// Chat: what one client says the others hear.
func Chat() {
	l := listen()
	var mu sync.Mutex
	var clients []net.Conn
	joined := make(chan bool, 2)
	par(func() {
		for range 2 {
			c := must(l.Accept())
			mu.Lock()
			clients = append(clients, c)
			mu.Unlock()
			joined <- true
		}
		l.Close()
	}, func() {
		a, b := dial(l), dial(l)
		<-joined
		<-joined
		mu.Lock()
		for _, c := range clients {
			write(c, "hello")
			c.Close()
		}
		mu.Unlock()
		fmt.Print(read(a), read(b))
		a.Close()
		b.Close()
	})
}

// Options that nothing depends on.
func Options() {
	l := listen()
	fmt.Print(l.Addr().Network(), fmt.Sprintf("%T", l), fmt.Sprintf("%T", l.Addr()))
	c := dial(l).(*net.TCPConn)
	fmt.Print(" ", word(c.SetNoDelay(false)), word(c.SetKeepAlive(true)), word(c.SetReadBuffer(4096)), word(c.SetWriteBuffer(4096)), word(c.SetLinger(3)))
	c.Close()
	fmt.Print(word(c.SetNoDelay(false)), word(c.SetLinger(0)), " ", word(l.(*net.TCPListener).SetDeadline(time.Time{})))
	l.Close()
	fmt.Print(" ", word(l.(*net.TCPListener).SetDeadline(time.Time{})))
}
