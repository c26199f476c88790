// Package environ has programs about environment variables, the working directory,
// files and pipes.
package environ

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

// Setenv: the last of two remains.
func Setenv() {
	par(func() { os.Setenv("X", "1") }, func() { os.Setenv("X", "2") })
	fmt.Print(os.Getenv("X"))
}

// Getenv: before or after a Setenv.
func Getenv() {
	os.Setenv("X", "old")
	par(func() { os.Setenv("X", "new") }, func() { fmt.Print(os.Getenv("X")) })
}

// GetenvPanics: a bug that an order shows.
func GetenvPanics() {
	os.Setenv("MODE", "")
	par(func() { os.Setenv("MODE", "a") }, func() {
		if os.Getenv("MODE") == "a" {
			panic("lost")
		}
	})
	fmt.Print("ok")
}

// Unsetenv beside a lookup.
func Unsetenv() {
	os.Setenv("X", "1")
	par(func() { os.Unsetenv("X") }, func() { _, ok := os.LookupEnv("X"); fmt.Print(ok) })
}

// Clearenv beside Setenv.
func Clearenv() {
	par(os.Clearenv, func() { os.Setenv("X", "1") })
	fmt.Print(os.Getenv("X"))
}

// Environ beside two settings.
func Environ() {
	os.Clearenv()
	n := 0
	par(func() { os.Setenv("A", "1"); os.Setenv("B", "1") }, func() { n = len(os.Environ()) })
	fmt.Print(n)
}

// Expand reads variables.
func Expand() {
	os.Setenv("X", "a")
	par(func() { os.Setenv("X", "b") }, func() { fmt.Print(os.ExpandEnv("$X$X")) })
}

// SetenvBad: a name with a sign that must not be there.
func SetenvBad() {
	fmt.Print(os.Setenv("A=B", "x") != nil, os.Setenv("", "x") != nil)
}

// Chdir: the last of two remains.
func Chdir() {
	par(func() { os.Chdir("/usr") }, func() { os.Chdir("/etc") })
	d, _ := os.Getwd()
	fmt.Print(d)
}

// Getwd beside Chdir.
func Getwd() {
	os.Chdir("/")
	par(func() { os.Chdir("/usr") }, func() { d, _ := os.Getwd(); fmt.Print(d) })
}

// ChdirStat: a relative path means another file.
func ChdirStat() {
	os.Chdir("/")
	par(func() { os.Chdir("/etc") }, func() { _, err := os.Stat("passwd"); fmt.Print(err == nil) })
}

// ReadTwo: two goroutines read one file.
func ReadTwo() {
	f, err := os.Open("/etc/passwd")
	if err != nil {
		panic(err)
	}
	all, _ := os.ReadFile("/etc/passwd")
	var a, b [1]byte
	par(func() { f.Read(a[:]) }, func() { f.Read(b[:]) })
	fmt.Print(a[0] == all[0], b[0] == all[0])
}

// ReadAtTwo: positions of their own.
func ReadAtTwo() {
	f, err := os.Open("/etc/passwd")
	if err != nil {
		panic(err)
	}
	var a, b [1]byte
	par(func() { f.ReadAt(a[:], 0) }, func() { f.ReadAt(b[:], 0) })
	fmt.Print(a == b)
}

// ReadClose: a read of a file that is being closed.
func ReadClose() {
	f, err := os.Open("/etc/passwd")
	if err != nil {
		panic(err)
	}
	var b [1]byte
	par(func() { f.Close() }, func() { _, err := f.Read(b[:]); fmt.Print(err == nil, errors.Is(err, fs.ErrClosed)) })
}

// CloseTwo: one of two closes it.
func CloseTwo() {
	f, err := os.Open("/etc/passwd")
	if err != nil {
		panic(err)
	}
	var a, b error
	par(func() { a = f.Close() }, func() { b = f.Close() })
	fmt.Print(a == nil, b == nil)
}

// SeekRead: where the read is depends on the order.
func SeekRead() {
	f, err := os.Open("/etc/passwd")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	n, _ := f.Seek(0, io.SeekEnd)
	f.Seek(0, io.SeekStart)
	var b [1]byte
	par(func() { f.Seek(n, io.SeekStart) }, func() { _, err := f.Read(b[:]); fmt.Print(err == io.EOF) })
}

// Descriptors: which of two gets the lower number.
func Descriptors() {
	var a, b uintptr
	open := func(to *uintptr) func() {
		return func() {
			f, err := os.Open("/etc/passwd")
			if err != nil {
				panic(err)
			}
			*to = f.Fd()
		}
	}
	par(open(&a), open(&b))
	fmt.Print(a < b)
}

// Missing: a file that is not there.
func Missing() {
	_, err := os.Open("/no/such/file")
	fmt.Print(errors.Is(err, fs.ErrNotExist), os.IsNotExist(err))
}

// Scan the lines of a file.
func Scan() {
	f, err := os.Open("/etc/passwd")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	fmt.Print(sc.Scan(), strings.Contains(sc.Text(), ":"))
}

// Walk a directory.
func Walk() {
	n := 0
	err := filepath.WalkDir("/etc/..", func(p string, d fs.DirEntry, err error) error {
		n++
		return fs.SkipAll
	})
	fmt.Print(n, err)
}

// WriteFile makes a file.
//
//native:incomplete writ
//native:incomplete MkdirTemp
func WriteFile() {
	dir, err := os.MkdirTemp("", "native")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "x")
	par(func() { os.WriteFile(name, []byte("a"), 0o600) }, func() { os.WriteFile(name, []byte("b"), 0o600) })
	b, err := os.ReadFile(name)
	fmt.Print(len(b), err)
}

// Pipe: one writes, one reads.
//
//native:incomplete ipe
func Pipe() {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	go func() { w.Write([]byte("hello")); w.Close() }()
	b, err := io.ReadAll(r)
	fmt.Print(string(b), err)
}

// PipeTwo: two writers.
//
//native:incomplete ipe
func PipeTwo() {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	par(func() { w.Write([]byte("a")) }, func() { w.Write([]byte("b")) })
	w.Close()
	b, _ := io.ReadAll(r)
	fmt.Print(string(b))
}

// Stdin is empty.
func Stdin() {
	b, err := io.ReadAll(os.Stdin)
	fmt.Print(len(b), err)
}

// Stdout: two lines in any order.
func Stdout() {
	par(func() { os.Stdout.WriteString("a\n") }, func() { os.Stdout.WriteString("b\n") })
}

// StdoutStderr: they are two streams.
func StdoutStderr() {
	par(func() { fmt.Println("out") }, func() { fmt.Fprintln(os.Stderr, "err") })
}

// ExitBeside: exit beside a print.
func ExitBeside() {
	go func() { fmt.Print("a") }()
	os.Exit(0)
}

// Exit with a status.
func Exit() {
	fmt.Print("a")
	os.Exit(3)
}

// ExitDefer: deferred calls do not run.
func ExitDefer() {
	defer fmt.Print("deferred")
	os.Exit(1)
}

// ExitTwo: either status.
func ExitTwo() {
	par(func() { os.Exit(1) }, func() { os.Exit(3) })
}

// Args are there.
func Args() {
	fmt.Print(len(os.Args) >= 1)
}

// Hostname and process numbers.
func Hostname() {
	_, err := os.Hostname()
	fmt.Print(err, os.Getpid() > 0)
}
