// Package streams has programs about io, bufio, log, slog and buffers.
package streams

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"strings"
	"sync"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

// Pipe: a write ends when all is read.
func Pipe() {
	r, w := io.Pipe()
	go func() { fmt.Fprint(w, "hello"); w.Close() }()
	b, err := io.ReadAll(r)
	fmt.Print(string(b), err)
}

// PipeTwo: two writers, one after the other.
func PipeTwo() {
	r, w := io.Pipe()
	go w.Write([]byte("a"))
	go w.Write([]byte("b"))
	var b [2]byte
	_, err := io.ReadFull(r, b[:])
	fmt.Print(string(b[:]), err)
}

// PipeReaders: two readers share what is written.
func PipeReaders() {
	r, w := io.Pipe()
	go func() { w.Write([]byte("ab")); w.Close() }()
	var a, b [1]byte
	par(func() { r.Read(a[:]) }, func() { r.Read(b[:]) })
	fmt.Print(string(a[:]), string(b[:]))
}

// PipeClosed: a write to a closed reader fails.
func PipeClosed() {
	r, w := io.Pipe()
	go r.CloseWithError(errors.New("gone"))
	_, err := w.Write([]byte("x"))
	fmt.Print(err)
}

// PipeBothClosed: which error.
func PipeBothClosed() {
	r, w := io.Pipe()
	go w.CloseWithError(errors.New("a"))
	go w.CloseWithError(errors.New("b"))
	_, err := r.Read(make([]byte, 1))
	fmt.Print(err)
}

// PipeStuck: nobody reads.
func PipeStuck() {
	_, w := io.Pipe()
	w.Write([]byte("x"))
}

// Builder in two goroutines is a race.
func Builder() {
	var b strings.Builder
	par(func() { b.WriteString("a") }, func() { b.WriteString("b") })
}

// BuilderCopied panics.
func BuilderCopied() {
	var b strings.Builder
	b.WriteString("a")
	c := b
	c.WriteString("b")
}

// Buffer in two goroutines is a race.
func Buffer() {
	var b bytes.Buffer
	par(func() { b.WriteString("a") }, func() { b.Len() })
}

// BufferLocked: either is first.
func BufferLocked() {
	var mu sync.Mutex
	var b bytes.Buffer
	add := func(s string) func() { return func() { mu.Lock(); b.WriteString(s); mu.Unlock() } }
	par(add("a"), add("b"))
	fmt.Print(b.String())
}

// Scanner over lines.
func Scanner() {
	sc := bufio.NewScanner(strings.NewReader("a\nb\n"))
	for sc.Scan() {
		fmt.Print(sc.Text(), ";")
	}
}

// ReaderShared is a race.
func ReaderShared() {
	r := bufio.NewReader(strings.NewReader("ab"))
	par(func() { r.ReadByte() }, func() { r.ReadByte() })
}

// WriterFlush: only what is flushed is written.
func WriterFlush() {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	w.WriteString("a")
	n := b.Len()
	w.Flush()
	fmt.Print(n, b.Len())
}

// Copy through a pipe.
func Copy() {
	r, w := io.Pipe()
	go func() { io.Copy(w, strings.NewReader("data")); w.Close() }()
	var b strings.Builder
	n, err := io.Copy(&b, r)
	fmt.Print(n, err, b.String())
}

// Tee writes what is read.
func Tee() {
	var b bytes.Buffer
	io.ReadAll(io.TeeReader(strings.NewReader("x"), &b))
	fmt.Print(b.String())
}

// Multi writes to all.
func Multi() {
	var a, b bytes.Buffer
	io.MultiWriter(&a, &b).Write([]byte("x"))
	fmt.Print(a.String(), b.String())
}

// Log: whole lines in any order.
func Log() {
	l := log.New(os.Stdout, "", 0)
	par(func() { l.Print("a") }, func() { l.Print("b") })
}

// LogPrefix: set beside a line.
func LogPrefix() {
	l := log.New(os.Stdout, "p ", 0)
	par(func() { l.SetPrefix("q ") }, func() { l.Print("x") })
}

// LogOutput: the writer of a Logger is protected.
func LogOutput() {
	var b bytes.Buffer
	l := log.New(&b, "", 0)
	par(func() { l.Print("a") }, func() { l.Print("b") })
	fmt.Print(b.String())
}

// LogFatal exits.
func LogFatal() {
	log.SetOutput(io.Discard)
	defer fmt.Print("deferred")
	log.Fatal("x")
}

// LogPanic panics.
func LogPanic() {
	log.SetOutput(io.Discard)
	defer func() { fmt.Print(recover()) }()
	log.Panic("x")
}

// LogDefault: the standard logger is shared.
func LogDefault() {
	log.SetFlags(0)
	log.SetOutput(os.Stdout)
	par(func() { log.Print("a") }, func() { log.SetOutput(io.Discard) })
}

// Slog: records in any order.
func Slog() {
	h := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	l := slog.New(h)
	par(func() { l.Info("a") }, func() { l.Info("b", "k", 1) })
}

// SlogLevel: a level changed beside a record.
func SlogLevel() {
	var lv slog.LevelVar
	l := slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: &lv}))
	par(func() { lv.Set(slog.LevelError) }, func() { fmt.Print(l.Enabled(context.Background(), slog.LevelInfo)) })
}

// SlogDefault: set beside its use.
func SlogDefault() {
	a, b := slog.New(slog.DiscardHandler), slog.New(slog.DiscardHandler)
	slog.SetDefault(a)
	got := false
	par(func() { slog.SetDefault(b) }, func() { got = slog.Default() == b })
	fmt.Print(got)
}

// Section reads a part.
func Section() {
	b, _ := io.ReadAll(io.NewSectionReader(strings.NewReader("abcdef"), 2, 3))
	fmt.Print(string(b))
}

// Limited reads at most so much.
func Limited() {
	b, _ := io.ReadAll(io.LimitReader(strings.NewReader("abcdef"), 2))
	fmt.Print(string(b))
}

// Unread gives a byte back.
func Unread() {
	r := bufio.NewReader(strings.NewReader("ab"))
	r.ReadByte()
	fmt.Print(r.UnreadByte(), r.UnreadByte() != nil)
}

// StringsReaderShared is a race.
func StringsReaderShared() {
	r := strings.NewReader("ab")
	par(func() { r.ReadByte() }, func() { r.ReadByte() })
}

// Println from two goroutines: lines are whole.
func Println() {
	par(func() { fmt.Println("a", 1) }, func() { fmt.Println("b", 2) })
}

// Sscan reads values.
func Sscan() {
	var a, b int
	n, err := fmt.Sscan("1 2", &a, &b)
	fmt.Print(n, err, a, b)
}
