// Package pipes has programs whose goroutines are connected by pipes of the system.
package pipes

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
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

// word says what became of a call.
func word(err error) string {
	var no syscall.Errno
	switch {
	case err == nil:
		return "ok"
	case err == io.EOF:
		return "EOF"
	case errors.Is(err, os.ErrClosed):
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

func pipe() (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	return r, w
}

func read(r *os.File) string {
	var b [8]byte
	n, err := r.Read(b[:])
	if err != nil {
		return word(err)
	}
	return string(b[:n])
}

func write(w *os.File, s string) string {
	_, err := w.WriteString(s)
	return word(err)
}

// Hello: what is written can be read, also after the end.
func Hello() {
	r, w := pipe()
	fmt.Print(write(w, "hello"), w.Close(), read(r), read(r), r.Close(), read(r), write(w, "x"))
}

// Pieces: a Read returns what there is.
func Pieces() {
	r, w := pipe()
	go func() { write(w, "a"); write(w, "b"); w.Close() }()
	for s := ""; s != "EOF"; {
		s = read(r)
		fmt.Print(s, " ")
	}
}

// TwoWriters: in either order.
func TwoWriters() {
	r, w := pipe()
	par(func() { write(w, "a") }, func() { write(w, "b") })
	fmt.Print(read(r))
}

// TwoReaders: each gets something, or one waits until the end.
func TwoReaders() {
	r, w := pipe()
	var s, t string
	go func() { write(w, "x"); w.Close() }()
	par(func() { s = read(r) }, func() { t = read(r) })
	fmt.Print(s, " ", t)
}

// Capture is how tests look at what is printed.
func Capture() {
	old := os.Stdout
	r, w := pipe()
	os.Stdout = w
	done := make(chan string)
	go func() {
		var b bytes.Buffer
		io.Copy(&b, r)
		done <- b.String()
	}()
	fmt.Println("hello")
	fmt.Printf("%d\n", 7)
	w.Close()
	os.Stdout = old
	fmt.Printf("%q", <-done)
}

// CaptureAfter reads when all has been printed.
func CaptureAfter() {
	old, l := os.Stderr, log.Default()
	r, w := pipe()
	os.Stderr = w
	l.SetFlags(0)
	l.SetOutput(os.Stderr)
	l.Print("logged")
	fmt.Fprintln(os.Stderr, "printed")
	w.Close()
	os.Stderr = old
	fmt.Printf("%q", must(io.ReadAll(r)))
}

// CaptureBoth: two goroutines print.
func CaptureBoth() {
	old := os.Stdout
	r, w := pipe()
	os.Stdout = w
	par(func() { fmt.Println("a") }, func() { fmt.Println("b") })
	w.Close()
	os.Stdout = old
	fmt.Printf("%q", must(io.ReadAll(r)))
}

// Stdin is read from a pipe.
func Stdin() {
	old := os.Stdin
	r, w := pipe()
	os.Stdin = r
	go func() { fmt.Fprintln(w, "7 x"); w.Close() }()
	var n int
	var s string
	_, err := fmt.Scan(&n, &s)
	os.Stdin = old
	fmt.Print(n, s, err)
}

// Lines are written and read at the same time.
func Lines() {
	r, w := pipe()
	go func() {
		defer w.Close()
		for i := range 3 {
			fmt.Fprintln(w, i)
		}
	}()
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		fmt.Print(sc.Text(), ";")
	}
	fmt.Print(sc.Err())
}

// Large: a Write that does not fit waits for the reader.
func Large() {
	r, w := pipe()
	go func() { write(w, strings.Repeat("x", 150000)); w.Close() }()
	fmt.Print(len(must(io.ReadAll(r))))
}

// Full: how much fits.
func Full() {
	_, w := pipe()
	w.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	n, err := w.Write(make([]byte, 100000))
	fmt.Print(n, word(err))
}

// FullPages: what does not fit in the rest of a page begins another.
func FullPages() {
	_, w := pipe()
	w.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	for i := 0; ; i++ {
		if n, err := w.Write(make([]byte, 3000)); err != nil {
			fmt.Print(i, " ", n, word(err))
			return
		}
	}
}

// FullParts: what is partly read is not free, and what fits is added to the last page.
func FullParts() {
	r, w := pipe()
	w.Write(make([]byte, 65536-100))
	r.Read(make([]byte, 4000))
	w.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	n, err := w.Write(make([]byte, 100))
	fmt.Print(n, word(err), " ")
	n, err = w.Write(make([]byte, 1))
	fmt.Print(n, word(err), " ")
	r.Read(make([]byte, 96))
	w.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	n, err = w.Write(make([]byte, 5000))
	fmt.Print(n, word(err))
}

// ReaderGone: writing fails.
func ReaderGone() {
	r, w := pipe()
	write(w, "a")
	r.Close()
	fmt.Print(write(w, "x"), write(w, ""))
}

// ReaderLeaves while a Write waits.
func ReaderLeaves() {
	r, w := pipe()
	go r.Close()
	n, err := w.Write(make([]byte, 100000))
	fmt.Print(n == 0 || n == 65536, word(err))
}

// CloseWakes: a Read that waits fails when its end is closed.
func CloseWakes() {
	r, w := pipe()
	go r.Close()
	fmt.Print(read(r))
	w.Close()
}

// CloseWakesWriter: so does a Write.
func CloseWakesWriter() {
	r, w := pipe()
	go w.Close()
	n, err := w.Write(make([]byte, 100000))
	fmt.Print(n == 0 || n == 65536, word(err))
	r.Close()
}

// CloseTwice fails.
func CloseTwice() {
	r, w := pipe()
	var a, b error
	par(func() { a = w.Close() }, func() { b = w.Close() })
	fmt.Print(word(a), word(b), read(r))
}

// Late: a deadline that has passed, one that passes, and none.
func Late() {
	r, w := pipe()
	write(w, "x")
	r.SetReadDeadline(time.Unix(1, 0))
	fmt.Print(read(r))
	r.SetDeadline(time.Time{})
	fmt.Print(read(r))
	r.SetReadDeadline(time.Now().Add(time.Millisecond))
	fmt.Print(read(r))
	r.SetWriteDeadline(time.Now())
	r.SetReadDeadline(time.Now().Add(time.Hour))
	go write(w, "y")
	fmt.Print(read(r), r.Close(), word(r.SetDeadline(time.Now())))
}

// LateOther: a deadline is set while a Read waits.
func LateOther() {
	r, w := pipe()
	go r.SetReadDeadline(time.Now())
	fmt.Print(read(r), write(w, "x"))
}

// Wrong: what pipes cannot do.
func Wrong() {
	r, w := pipe()
	_, seek := r.Seek(0, 0)
	_, at := r.ReadAt(make([]byte, 1), 0)
	_, to := w.WriteAt([]byte("x"), 0)
	_, dir := r.ReadDir(-1)
	_, rd := w.Read(make([]byte, 1))
	fmt.Print(word(seek), word(at), word(to), word(dir), word(rd), write(r, "x"), word(w.Sync()), word(w.Truncate(1)), word(w.Chmod(0o600)))
	st := must(r.Stat())
	fmt.Print(st.Mode(), st.Size(), st.Name(), st.IsDir(), os.SameFile(st, must(w.Stat())), os.SameFile(st, must(os.Stdin.Stat())))
	n, err := r.Read(nil)
	fmt.Print(n, err)
}

// Descriptor: once it is known, calls wait in the system.
func Descriptor() {
	r, w := pipe()
	fd := int(w.Fd())
	var b [8]byte
	fmt.Print(must(syscall.Write(fd, []byte("ab"))), read(r), word(w.SetDeadline(time.Now())))
	r.Fd()
	go func() { write(w, "c"); w.Close() }()
	n, err := r.Read(b[:])
	fmt.Print(n, err, read(r))
}

// DescriptorStuck: closing the file does not end a Read then.
func DescriptorStuck() {
	r, w := pipe()
	r.Fd()
	done := make(chan string)
	go func() { done <- read(r) }()
	r.Close()
	select {
	case s := <-done:
		fmt.Print(s)
	case <-time.After(50 * time.Millisecond):
		fmt.Print("stuck")
		write(w, "x")
		fmt.Print(<-done)
	}
	w.Close()
}

// Raw: calls by number fail or wait.
func Raw() {
	var p [2]int
	must(0, syscall.Pipe2(p[:], syscall.O_NONBLOCK|syscall.O_CLOEXEC))
	var b [8]byte
	_, err := syscall.Read(p[0], b[:])
	fmt.Print(word(err))
	n, err := syscall.Write(p[1], make([]byte, 70000))
	fmt.Print(n, word(err))
	_, err = syscall.Write(p[1], b[:])
	fmt.Print(word(err), syscall.Close(p[1]))
	n, err = syscall.Read(p[0], make([]byte, 80000))
	fmt.Print(n, word(err))
	n, err = syscall.Read(p[0], b[:])
	fmt.Print(n, word(err), syscall.Close(p[0]), syscall.Close(p[0]))
	must(0, syscall.Pipe(p[:]))
	go syscall.Write(p[1], []byte("x"))
	n, err = syscall.Read(p[0], b[:])
	fmt.Print(n, word(err))
	f := os.NewFile(uintptr(p[1]), "w")
	syscall.Close(p[0])
	fmt.Print(write(f, "y"), word(f.SetDeadline(time.Now())), word(f.Close()))
}

// Duplicate: the end comes when the last descriptor is closed.
func Duplicate() {
	r, w := pipe()
	fd := must(syscall.Dup(int(w.Fd())))
	w.Close()
	go func() { syscall.Write(fd, []byte("x")); syscall.Close(fd) }()
	fmt.Print(read(r), read(r))
}

// RawConn waits until there is something.
func RawConn() {
	r, w := pipe()
	c := must(r.SyscallConn())
	go write(w, "x")
	var b [8]byte
	n := 0
	err := c.Read(func(fd uintptr) bool {
		var err error
		n, err = syscall.Read(int(fd), b[:])
		return err != syscall.EAGAIN
	})
	fmt.Print(string(b[:n]), err)
}

// Ordered: what is written happens before what is read.
func Ordered() {
	r, w := pipe()
	x := 0
	go func() { x = 1; write(w, "x") }()
	read(r)
	fmt.Print(x)
}

// Unordered is a race: reading says nothing to the writer.
//
//native:race
func Unordered() {
	r, w := pipe()
	x := 0
	par(func() { write(w, "x"); x = 1 }, func() { read(r); x = 2 })
	fmt.Print(x > 0)
}

// OrderedByEnd: so does closing.
//
//native:race
func OrderedByEnd() {
	r, w := pipe()
	x := 0
	go func() { x = 1; w.Close() }()
	fmt.Print(read(r), x)
}

// Stuck: nothing is written.
func Stuck() {
	r, w := pipe()
	read(r)
	w.Close()
}

// PingPong goes through two pipes.
func PingPong() {
	r, w := pipe()
	q, v := pipe()
	go func() {
		for {
			s := read(r)
			if s == "EOF" {
				v.Close()
				return
			}
			write(v, s+"!")
		}
	}()
	for i := range 2 {
		fmt.Fprint(w, i)
		fmt.Print(read(q))
	}
	w.Close()
	fmt.Print(read(q))
}
