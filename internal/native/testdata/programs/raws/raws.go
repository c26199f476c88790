// Package raws has programs that use the descriptors of connections, through a syscall.RawConn.
package raws

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
	"sync/atomic"
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

// pair returns both ends of a connection.
func pair() (a, b *net.TCPConn) {
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	a = must(net.Dial("tcp", l.Addr().String())).(*net.TCPConn)
	return a, must(l.Accept()).(*net.TCPConn)
}

func raw(c syscall.Conn) syscall.RawConn { return must(c.SyscallConn()) }

func read(c net.Conn) string {
	var b [8]byte
	n, err := c.Read(b[:])
	if err != nil {
		return word(err)
	}
	return string(b[:n])
}

// check says whether an idle connection is still usable, as pools of connections do.
func check(c syscall.Conn) (state string) {
	err := raw(c).Read(func(fd uintptr) bool {
		var b [1]byte
		n, err := syscall.Read(int(fd), b[:])
		switch {
		case n == 0 && err == nil:
			state = "EOF"
		case n > 0:
			state = "data"
		case err == syscall.EAGAIN:
			state = "idle"
		default:
			state = word(err)
		}
		return true
	})
	if err != nil {
		return word(err)
	}
	return state
}

// wait is a Read by a RawConn.
func wait(c syscall.Conn) string {
	var b [8]byte
	n := 0
	var failed error
	err := raw(c).Read(func(fd uintptr) bool {
		n, failed = syscall.Read(int(fd), b[:])
		return failed != syscall.EAGAIN
	})
	switch {
	case err != nil:
		return word(err)
	case failed != nil:
		return word(failed)
	case n == 0:
		return "EOF"
	}
	return string(b[:n])
}

func send(c syscall.Conn, s string) string {
	b := []byte(s)
	var failed error
	err := raw(c).Write(func(fd uintptr) bool {
		n, err := syscall.Write(int(fd), b)
		if failed = err; err == nil {
			b = b[n:]
		}
		return err != syscall.EAGAIN && (err != nil || len(b) == 0)
	})
	if err != nil {
		return word(err)
	}
	return word(failed)
}

// CheckSent checks a connection on which the other side may have sent something.
func CheckSent() {
	a, b := pair()
	state := ""
	par(func() { b.Write([]byte("x")) }, func() { state = check(a) })
	fmt.Print(state)
}

// CheckClosed checks a connection that the other side may have closed.
func CheckClosed() {
	a, b := pair()
	state := ""
	par(func() { b.Close() }, func() { state = check(a) })
	fmt.Print(state)
}

// CheckReset: the other side has closed the connection with unread data.
func CheckReset() {
	a, b := pair()
	a.Write([]byte("x"))
	time.Sleep(10 * time.Millisecond)
	b.Close()
	time.Sleep(10 * time.Millisecond)
	fmt.Print(check(a), " ", check(a))
}

// CheckOwn checks a connection that another goroutine closes.
func CheckOwn() {
	a, _ := pair()
	state := ""
	par(func() { a.Close() }, func() { state = check(a) })
	fmt.Print(state)
}

// Wait waits for data.
func Wait() {
	a, b := pair()
	s := ""
	par(func() { b.Write([]byte("x")); b.Write([]byte("y")) }, func() { s = wait(a) })
	fmt.Print(s)
}

// WaitClosed: Close ends a Read that waits.
func WaitClosed() {
	a, _ := pair()
	s := ""
	par(func() { a.Close() }, func() { s = wait(a) })
	fmt.Print(s)
}

// WaitEnd waits for the end of the stream.
func WaitEnd() {
	a, b := pair()
	s := ""
	par(func() { b.CloseWrite() }, func() { s = wait(a) })
	fmt.Print(s)
}

// WaitLate waits until the deadline.
func WaitLate() {
	a, _ := pair()
	a.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
	fmt.Print(wait(a), " ", wait(a))
}

// Readers: a Read and a Read of a RawConn get one byte each.
func Readers() {
	a, b := pair()
	s, t := "", ""
	par(
		func() { b.Write([]byte("xy")) },
		func() {
			var p [1]byte
			a.Read(p[:])
			s = string(p[:])
		},
		func() {
			raw(a).Read(func(fd uintptr) bool {
				var p [1]byte
				n, _ := syscall.Read(int(fd), p[:])
				t = string(p[:max(n, 0)])
				return n > 0
			})
		})
	fmt.Print(s, t)
}

// Apart: a Read does not come between the calls of one Read of a RawConn.
func Apart() {
	a, b := pair()
	b.Write([]byte("xyz"))
	time.Sleep(10 * time.Millisecond)
	s, t := "", ""
	par(
		func() {
			raw(a).Read(func(fd uintptr) bool {
				for range 2 {
					var p [1]byte
					syscall.Read(int(fd), p[:])
					s += string(p[:])
				}
				return true
			})
		},
		func() {
			var p [1]byte
			a.Read(p[:])
			t = string(p[:])
		})
	fmt.Print(s, t)
}

// Send sends by a RawConn.
func Send() {
	a, b := pair()
	s, t := "", ""
	par(func() { s = send(a, "xy"); a.Close() }, func() { t = read(b) })
	fmt.Print(s, t)
}

// SendClosed sends to an end that is closed.
func SendClosed() {
	a, b := pair()
	b.Close()
	time.Sleep(10 * time.Millisecond)
	s := send(a, "x")
	time.Sleep(10 * time.Millisecond)
	fmt.Print(s, send(a, "y"), send(a, "z"))
}

// Holds: Close waits for a use, and the other end notices it after that.
func Holds() {
	a, b := pair()
	begun := make(chan bool)
	var over atomic.Bool
	s := ""
	par(
		func() {
			raw(a).Control(func(fd uintptr) {
				close(begun)
				_, err := syscall.Write(int(fd), []byte("x"))
				s = word(err)
				over.Store(true)
			})
		},
		func() {
			<-begun
			a.Close()
			fmt.Print(over.Load(), " ")
		})
	fmt.Print(s, read(b), read(b))
}

// Control begins before Close or fails.
func Control() {
	a, _ := pair()
	s := ""
	par(func() { a.Close() }, func() { s = word(raw(a).Control(func(uintptr) {})) })
	fmt.Print(s)
}

// Numbers: sockets have different descriptors, each its own.
func Numbers() {
	a, b := pair()
	var fds [3]uintptr
	for i, c := range []syscall.Conn{a, b, a} {
		raw(c).Control(func(fd uintptr) { fds[i] = fd })
	}
	fmt.Print(fds[0] != fds[1], fds[0] == fds[2])
}

// Closed: a descriptor is none after Close.
func Closed() {
	a, _ := pair()
	fd := 0
	raw(a).Control(func(n uintptr) { fd = int(n) })
	a.Close()
	_, err := syscall.Read(fd, make([]byte, 1))
	fmt.Print(word(err))
}

// Peek leaves the data.
func Peek() {
	a, b := pair()
	b.Write([]byte("xy"))
	time.Sleep(10 * time.Millisecond)
	raw(a).Control(func(fd uintptr) {
		var p [1]byte
		n, _, err := syscall.Recvfrom(int(fd), p[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		fmt.Print(n, string(p[:]), word(err), " ")
	})
	fmt.Print(read(a))
}

// Listener: a listener cannot be read.
func Listener() {
	l := must(net.Listen("tcp", "127.0.0.1:0")).(*net.TCPListener)
	never := func(uintptr) bool { panic("called") }
	fmt.Print(word(raw(l).Read(never)), " ", word(raw(l).Write(never)))
}

func get(fd uintptr, level, name int) string {
	n, err := syscall.GetsockoptInt(int(fd), level, name)
	if err != nil {
		return word(err)
	}
	return fmt.Sprint(n)
}

func set(fd uintptr, level, name, n int) string {
	return word(syscall.SetsockoptInt(int(fd), level, name, n))
}

const userTimeout = 18 // TCP_USER_TIMEOUT

// Options have the values that were set.
func Options() {
	a, _ := pair()
	raw(a).Control(func(fd uintptr) {
		fmt.Print(get(fd, syscall.SOL_SOCKET, syscall.SO_TYPE), get(fd, syscall.SOL_SOCKET, syscall.SO_ERROR))
		fmt.Print(get(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY), get(fd, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE), " ")
		for _, o := range [][3]int{
			{syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 0},
			{syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 5},
			{syscall.SOL_SOCKET, syscall.SO_RCVBUF, 8192},
			{syscall.SOL_SOCKET, syscall.SO_SNDBUF, 1},
			{syscall.IPPROTO_IP, syscall.IP_TTL, 7},
		} {
			fmt.Print(set(fd, o[0], o[1], o[2]), get(fd, o[0], o[1]), " ")
		}
		fmt.Print(get(fd, syscall.IPPROTO_TCP, userTimeout), set(fd, syscall.IPPROTO_TCP, userTimeout, 20000), get(fd, syscall.IPPROTO_TCP, userTimeout))
	})
}

// Dialing sets an option before the connection is made; it stays.
func Dialing() {
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	d := net.Dialer{Control: func(network, address string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { fmt.Print(network, set(fd, syscall.IPPROTO_TCP, userTimeout, 300), " ") })
	}}
	c := must(d.Dial("tcp", l.Addr().String())).(*net.TCPConn)
	raw(c).Control(func(fd uintptr) { fmt.Print(get(fd, syscall.IPPROTO_TCP, userTimeout)) })
}

// Listening sets an option of a listener.
func Listening() {
	config := net.ListenConfig{Control: func(network, address string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { fmt.Print(network, set(fd, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 1), " ") })
	}}
	l := must(config.Listen(context.Background(), "tcp", "127.0.0.1:0")).(*net.TCPListener)
	raw(l).Control(func(fd uintptr) {
		fmt.Print(get(fd, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE), get(fd, syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN), get(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR))
	})
}

// Linger: closing resets the connection.
func Linger() {
	a, b := pair()
	raw(a).Control(func(fd uintptr) {
		fmt.Print(word(syscall.SetsockoptLinger(int(fd), syscall.SOL_SOCKET, syscall.SO_LINGER, &syscall.Linger{Onoff: 1})), " ")
	})
	a.Close()
	time.Sleep(10 * time.Millisecond)
	fmt.Print(read(b))
}

// Credentials: the other end of a socket of Unix is this process.
func Credentials() {
	dir := must(os.MkdirTemp("", ""))
	defer os.RemoveAll(dir)
	l := must(net.Listen("unix", filepath.Join(dir, "s")))
	defer l.Close()
	c := must(net.Dial("unix", l.Addr().String())).(*net.UnixConn)
	raw(c).Control(func(fd uintptr) {
		cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
		fmt.Print(word(err), int(cred.Pid) == os.Getpid(), int(cred.Uid) == os.Getuid(), int(cred.Gid) == os.Getgid())
	})
}

// destinations prints the destinations of a packet that control messages have.
func destinations(oob []byte) {
	for _, m := range must(syscall.ParseSocketControlMessage(oob)) {
		switch {
		case m.Header.Level == syscall.IPPROTO_IP && m.Header.Type == syscall.IP_PKTINFO:
			fmt.Print(" 4:", net.IP(m.Data[8:12]), m.Data[0])
		case m.Header.Level == syscall.IPPROTO_IPV6 && m.Header.Type == syscall.IPV6_PKTINFO:
			fmt.Print(" 6:", net.IP(m.Data[:16]), m.Data[16])
		default:
			fmt.Print(" ", m.Header.Level, m.Header.Type)
		}
	}
}

func receive(c *net.UDPConn, size int) {
	var b [8]byte
	oob := make([]byte, size)
	n, oobn, flags, _, err := c.ReadMsgUDP(b[:], oob)
	fmt.Print(string(b[:n]), oobn, flags&syscall.MSG_CTRUNC != 0, word(err))
	if flags&syscall.MSG_CTRUNC == 0 {
		destinations(oob[:oobn])
	}
	fmt.Print(" ")
}

// Destination: a packet comes with its destination if an option asks for it.
func Destination() {
	s := must(net.ListenUDP("udp4", &net.UDPAddr{}))
	to := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 2), Port: s.LocalAddr().(*net.UDPAddr).Port}
	c := must(net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	c.WriteToUDP([]byte("x"), to)
	receive(s, 64)
	raw(s).Control(func(fd uintptr) { fmt.Print(set(fd, syscall.IPPROTO_IP, syscall.IP_PKTINFO, 1), " ") })
	for range 2 {
		c.WriteToUDP([]byte("y"), to)
	}
	receive(s, 64)
	receive(s, 0)
}

// Destination6: the same with a socket for both versions of IP.
func Destination6() {
	s := must(net.ListenUDP("udp", &net.UDPAddr{}))
	port := s.LocalAddr().(*net.UDPAddr).Port
	raw(s).Control(func(fd uintptr) {
		fmt.Print(set(fd, syscall.IPPROTO_IPV6, syscall.IPV6_RECVPKTINFO, 1), set(fd, syscall.IPPROTO_IP, syscall.IP_PKTINFO, 1), " ")
	})
	for _, ip := range []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback} {
		c := must(net.DialUDP("udp", nil, &net.UDPAddr{IP: ip, Port: port}))
		c.Write([]byte("x"))
		receive(s, 128)
	}
}

// Source: a packet is sent from an address that a control message asks for.
func Source() {
	s := must(net.ListenUDP("udp4", &net.UDPAddr{}))
	c := must(net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	oob := make([]byte, syscall.CmsgSpace(12))
	oob[0], oob[8], oob[12] = byte(syscall.CmsgLen(12)), syscall.IPPROTO_IP, syscall.IP_PKTINFO
	copy(oob[syscall.CmsgLen(0)+4:], []byte{127, 0, 0, 3})
	n, oobn, err := s.WriteMsgUDP([]byte("x"), oob, c.LocalAddr().(*net.UDPAddr))
	fmt.Print(n, oobn, word(err), " ")
	var b [8]byte
	_, from, err := c.ReadFromUDP(b[:])
	fmt.Print(from.IP, word(err))
}

// Ordered: what is sent happens before what is received.
func Ordered() {
	a, b := pair()
	x := 0
	go func() { x = 1; send(a, "x") }()
	wait(b)
	fmt.Print(x)
}

// Unordered is a race: receiving says nothing to the sender.
//
//native:race
func Unordered() {
	a, b := pair()
	x := 0
	par(func() { send(a, "x"); x = 1 }, func() { wait(b); x = 2 })
	fmt.Print(x)
}
