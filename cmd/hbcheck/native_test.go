package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/vm"
)

// TestRunNative: a program under hbcheck run has the output, the exit status and the text of a crash of the
// same program compiled.
func TestRunNative(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"go.mod": "module example.com/dies\n\ngo 1.26\n", "main.go": endings} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-gcflags=-l", "-o", "dies", ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	prog, err := loadProgram((&loadFlags{}).config([]string{"."}, false))
	if err != nil {
		t.Fatal(err)
	}
	cases := caseRE.FindAllStringSubmatch(endings, -1)
	if len(cases) < 20 {
		t.Fatal("only", len(cases), "programs")
	}
	for i, c := range cases {
		if !deep.Every(12, i) {
			continue
		}
		t.Run(c[1], func(t *testing.T) {
			const input = "first line\nsecond\n"
			var wantOut, wantErr, gotOut, gotErr bytes.Buffer
			cmd := exec.CommandContext(t.Context(), "./dies", c[1])
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &wantOut, &wantErr
			want := 0
			var exit *exec.ExitError
			if err := cmd.Run(); errors.As(err, &exit) {
				want = exit.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			e := prog.Entries[0]
			end, err := describe.RunOnce(prog, e, vm.Config{Args: programArgs(e, c[1:]), Env: environ(prog.WorkDir(e), nil),
				Stdin: strings.NewReader(input), Stdout: &gotOut, Stderr: &gotErr})
			if err != nil || end.Unsupported != "" {
				t.Fatal(err, end.Unsupported)
			}
			if got := end.Exit; got != want || gotOut.String() != wantOut.String() {
				t.Errorf("exit %d, stdout %q; compiled: %d, %q", got, &gotOut, want, &wantOut)
			}
			g, w := dying(gotErr.String()), dying(wantErr.String())
			if c[1] == "overflow" { // a hundred frames, and the runtime's own goroutines
				g, _, _ = strings.Cut(g, "goroutine ")
				w, _, _ = strings.Cut(w, "goroutine ")
			}
			if g != w {
				t.Errorf("stderr\n%s\ncompiled:\n%s", g, w)
			}
		})
	}
}

var (
	caseRE  = regexp.MustCompile(`(?m)^\tcase "(\w+)":`)
	stackRE = regexp.MustCompile(`(?m)^goroutine (\d+) (?:gp=\S+ m=\S+ (?:mp=\S+ )?)?\[(.*)\]:$`)
	frameRE = regexp.MustCompile(`^(main\.[^(]*(?:\([^)]*\)[^(]*)?)\(.*\)$`)
	lineRE  = regexp.MustCompile(`^\t\S*/(main\.go:\d+)\b`)
	hexRE   = regexp.MustCompile(`\b0x[0-9a-f]+\b`)
)

// dying reduces a program's stderr to the parts that do not depend on the implementation of the runtime:
// the text before the stacks, the goroutines without their numbers except main's, and the program's own
// frames.
func dying(text string) string {
	var b strings.Builder
	stacks, runtime := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		m := stackRE.FindStringSubmatch(line)
		switch {
		case line == "":
		case m != nil:
			stacks = true
			if m[1] != "1" {
				m[1] = "N"
			}
			b.WriteString("goroutine " + m[1] + " [" + m[2] + "]\n")
		case strings.HasPrefix(line, "runtime: sp="), line == "runtime stack:":
			runtime = true
		case runtime && !stacks:
		case !stacks:
			b.WriteString(hexRE.ReplaceAllString(line, "0xN") + "\n")
		default:
			if m := frameRE.FindStringSubmatch(line); m != nil {
				b.WriteString(m[1] + "\n")
			} else if m := lineRE.FindStringSubmatch(line); m != nil {
				b.WriteString("\t" + m[1] + "\n")
			}
		}
	}
	return b.String()
}

// endings is a program with as many endings as it has cases.
const endings = `package main

import (
	"bufio"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

type (
	point    struct{ x, y int }
	named    string
	stringer struct{}
	shape    interface{ area() int }
)

func (stringer) String() string { return "a stringer" }

func deref(p *point) int { return p.x }

func index(a []int, i int) int { return a[i] }

func again() {
	r := recover()
	println("recovered")
	panic(r)
}

func main() {
	var any any = point{1, 2}
	var mu sync.Mutex
	var wg sync.WaitGroup
	c := make(chan int)
	switch os.Args[1] {
	case "output":
		fmt.Println("to stdout")
		fmt.Fprintln(os.Stderr, "to stderr")
		println("built in", 1, 2.5, true, nil == any)
	case "input":
		s := bufio.NewScanner(os.Stdin)
		for s.Scan() {
			fmt.Printf("%q\n", s.Text())
		}
	case "exit":
		defer fmt.Println("not printed")
		os.Exit(7)
	case "logfatal":
		log.SetFlags(0)
		log.Fatalf("fatal %d", 3)
	case "text":
		panic("some text\nin two lines")
	case "error":
		panic(fmt.Errorf("wrapped: %w", errors.New("inner")))
	case "stringer":
		panic(stringer{})
	case "named":
		panic(named("n"))
	case "value":
		panic(point{1, 2})
	case "float":
		panic(1.5)
	case "nothing":
		panic(nil)
	case "nilpointer":
		deref(nil)
	case "index":
		index([]int{1, 2}, 5)
	case "division":
		fmt.Println(1 / (len(os.Args) - 2))
	case "assertion":
		_ = any.(shape)
	case "conversion":
		_ = any.(int)
	case "nilmap":
		var m map[string]int
		m["x"] = 1
	case "closed":
		close(c)
		close(c)
	case "deferred":
		defer fmt.Println("deferred")
		defer func() { panic("second") }()
		panic("first")
	case "repanic":
		defer again()
		panic("once more")
	case "goroutine":
		go func() {
			defer println("deferred in a goroutine")
			panic("not in main")
		}()
		time.Sleep(time.Second)
	case "overflow":
		var f func(n int) int
		f = func(n int) int { return f(n+1) + 1 }
		f(0)
	case "unlock":
		mu.Unlock()
	case "negative":
		wg.Done()
	case "mutex":
		mu.Lock()
		mu.Lock()
	case "waitgroup":
		wg.Add(1)
		go func() {
			<-c
		}()
		wg.Wait()
	case "channels":
		go func() {
			select {
			case c <- 1:
			case c <- 2:
			}
		}()
		time.Sleep(10 * time.Millisecond)
		var none chan int
		<-none
	case "nobody":
		select {}
	case "goexit":
		runtime.Goexit()
	case "callers": // the last caller is a function of the runtime
		pcs := make([]uintptr, 100)
		frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
		for {
			f, more := frames.Next()
			if !more {
				fmt.Println(f.Function, filepath.Base(filepath.Dir(f.File)), filepath.Base(filepath.Dir(filepath.Dir(f.File))), filepath.IsAbs(f.File))
				break
			}
		}
	case "ticks": // of two tickers that are due at the same time
		a, b := time.NewTicker(10*time.Millisecond), time.NewTicker(20*time.Millisecond)
		for n := 0; n < 2; {
			select {
			case <-a.C:
			case <-b.C:
				n++
			}
		}
		fmt.Println("both")
	case "busy": // ticks come while goroutines compute
		t := time.NewTicker(10 * time.Millisecond)
		for n := 0; n < 3; {
			select {
			case <-t.C:
				n++
			default:
			}
		}
		fmt.Println("ticked")
	case "handed": // a goroutine that waits on a buffered channel gets a sent value before others can poll
		c, done := make(chan int, 1), make(chan bool)
		go func() { <-c; done <- true }()
		time.Sleep(10 * time.Millisecond)
		c <- 1
		select {
		case c <- 2:
			fmt.Println("there is room")
		default:
			fmt.Println("there is none")
		}
		<-done
		go func() { c <- 3; done <- true }()
		time.Sleep(10 * time.Millisecond)
		fmt.Println(<-c)
		select {
		case c <- 4:
			fmt.Println("there is room")
		default:
			fmt.Println("there is none")
		}
		fmt.Println(<-done, <-c)
	}
}
`
