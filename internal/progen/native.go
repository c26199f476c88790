package progen

import (
	"fmt"
	"strings"
)

// Programs as commands that are compiled.

// NativeSource is Source with a call of jitter before every statement,
// which makes the real scheduler try more interleavings. It needs NativeMain.
func (p *Prog) NativeSource() string {
	s := &source{p: p, b: new(strings.Builder), jitter: true}
	s.decls()
	return s.b.String()
}

// Helpers returns the file with the common code of all programs of a package.
func Helpers() string {
	return `package main

import "syscall"

func say(vals ...int) {
	b := []byte("P")
	for _, v := range vals {
		b = append(b, ' ')
		if v < 0 {
			b, v = append(b, '-'), -v
		}
		p := 1
		for p <= v/10 {
			p *= 10
		}
		for ; p > 0; p /= 10 {
			b = append(b, byte('0'+v/p%10))
		}
	}
	syscall.Write(1, append(b, '\n'))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
`
}

// NativeMain is a main function that runs the program named by its first argument.
func NativeMain(progs []*Prog) string {
	var b strings.Builder
	b.WriteString(`package main

import (
	"math/rand/v2"
	"os"
	"runtime"
)

func jitter() {
	switch n := rand.Uint32() % 16; {
	case n < 4:
		runtime.Gosched()
	case n == 4:
		for range rand.Uint32() % 2000 {
		}
	}
}

func main() {
	switch os.Args[1] {
`)
	for _, p := range progs {
		fmt.Fprintf(&b, "\tcase %q:\n\t\t%s()\n", p.Name, p.Name)
	}
	b.WriteString("\t}\n}\n")
	return b.String()
}
