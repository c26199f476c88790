package progen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A LibraryProgram calls functions of the standard library on objects that its goroutines share.
// Its reference are the runs of the compiled program.
type LibraryProgram struct {
	Name, Source string
	Test         bool // the function has a *testing.T
	Bubble       bool // and is executed in a bubble of testing/synctest, whose time is exact
	Families     []string
}

// A family is a sort of shared object. In statements OUT(x) notes x for the end, and K is a
// small number.
type family struct {
	name  string
	kind  libraryKind
	make  []string // one of these declares the object
	vars  []string // variables that are declared and need not be used
	do    []string // statements of goroutines
	last  []string // statements of main when it has joined the others; all of these
	locks bool     // statements are executed with mu locked
}

// libraryKind is the sort of programs in which a family may occur.
type libraryKind int

const (
	anywhere libraryKind = iota
	inTests              // needs t
	inBubbles
	notInBubbles
	inPrograms // not in tests, which have other goroutines
)

var families = []family{
	{name: "pool", kind: anywhere,
		vars: []string{"&pl"},
		make: []string{"var pl sync.Pool", "pl := sync.Pool{New: func() any { return 9 }}", "var pl sync.Pool\npl.Put(8)"},
		do:   []string{"pl.Put(K)", "OUT(pl.Get())", "if v := pl.Get(); v != nil {\nOUT(v)\npl.Put(v)\n}"}},
	{name: "map", kind: anywhere,
		vars: []string{"&sm"},
		make: []string{"var sm sync.Map", "var sm sync.Map\nsm.Store(0, 7)", "var sm sync.Map\nsm.Store(0, 0)\nsm.Store(1, 1)"},
		do: []string{"sm.Store(K, K)", "if v, ok := sm.Load(K); ok {\nOUT(v)\n}", "{\nv, ok := sm.LoadOrStore(K, K)\nOUT(v)\nOUT(ok)\n}",
			"{\nv, _ := sm.LoadAndDelete(K)\nOUT(v)\n}", "sm.Delete(K)", "{\nv, _ := sm.Swap(K, K)\nOUT(v)\n}",
			"OUT(sm.CompareAndSwap(K, K, K))", "OUT(sm.CompareAndDelete(K, K))",
			"sm.Range(func(k, v any) bool {\nOUT(k)\nOUT(v)\nreturn true\n})", "sm.Clear()"},
		last: []string{"{\nn := 0\nsm.Range(func(k, v any) bool {\nn++\nreturn true\n})\nOUT(n)\n}"}},
	{name: "once", kind: anywhere,
		vars: []string{"&on", "n"},
		make: []string{"var on sync.Once\nn := 0"},
		do: []string{"on.Do(func() { n++ })\nOUT(n)", "on.Do(func() { n = 5 })\nOUT(n)",
			"func() {\ndefer func() { OUT(recover()) }()\non.Do(func() { panic(K) })\n}()"}},
	{name: "oncevalue", kind: anywhere,
		vars: []string{"ov", "of"},
		make: []string{"ov := sync.OnceValue(func() int32 { return x.Add(1) })\nof := sync.OnceFunc(func() { panic(4) })"},
		do: []string{"OUT(ov())", "x.Add(1)", "OUT(x.Load())",
			"func() {\ndefer func() { OUT(recover()) }()\nof()\n}()"}},
	{name: "value", kind: anywhere,
		vars: []string{"&av"},
		make: []string{"var av atomic.Value", "var av atomic.Value\nav.Store(0)"},
		do: []string{"av.Store(K)", "OUT(av.Load())", "OUT(av.Swap(K))", "OUT(av.CompareAndSwap(K, K))",
			"func() {\ndefer func() { OUT(recover() != nil) }()\nav.Store(\"s\")\n}()"}},
	{name: "atomics", kind: anywhere,
		vars: []string{"&ab", "&ap"},
		make: []string{"var ab atomic.Bool\nvar ap atomic.Pointer[int]"},
		do: []string{"OUT(x.Add(1))", "OUT(x.CompareAndSwap(K, K))", "OUT(x.Or(2))", "x.And(1)", "OUT(ab.Swap(true))", "OUT(ab.Load())",
			"ap.Store(new(int))", "OUT(ap.Load() == nil)", "OUT(ap.CompareAndSwap(nil, new(int)))"}},
	{name: "context", kind: notInBubbles,
		vars: []string{"child", "cancel", "stop"},
		make: []string{
			"ctx, cancel := context.WithCancel(context.Background())\nchild, stop := context.WithCancel(ctx)",
			"ctx, cause := context.WithCancelCause(context.Background())\ncancel := func() { cause(errors.New(\"K\")) }\nchild, stop := context.WithCancel(ctx)",
			"ctx, cancel := context.WithCancel(context.Background())\nchild, stop := context.WithTimeout(context.WithValue(ctx, 1, 2), time.Hour)"},
		do: []string{"cancel()", "cancel()", "stop()", "OUT(ctx.Err())", "OUT(child.Err())", "OUT(context.Cause(child))",
			"select {\ncase <-ctx.Done():\nOUT(1)\ndefault:\nOUT(0)\n}", "select {\ncase <-child.Done():\nOUT(1)\ndefault:\nOUT(0)\n}",
			"OUT(context.AfterFunc(ctx, func() { x.Add(1) })())", "context.AfterFunc(child, func() { x.Add(1) })", "OUT(x.Load())",
			"{\nc2, stop2 := context.WithCancel(child)\nOUT(c2.Err())\nstop2()\n}", "OUT(context.WithoutCancel(ctx).Err())", "OUT(child.Value(1))"},
		last: []string{"OUT(child.Err())", "cancel()", "stop()", "<-child.Done()"}},
	{name: "builder", kind: anywhere, locks: true,
		vars: []string{"&sb"},
		make: []string{"var sb strings.Builder"},
		do:   []string{"sb.WriteByte('K')", "sb.WriteString(\"K,\")", "OUT(sb.String())", "OUT(sb.Len())", "sb.Reset()"},
		last: []string{"OUT(sb.String())"}},
	{name: "buffer", kind: anywhere, locks: true,
		vars: []string{"&bb"},
		make: []string{"var bb bytes.Buffer", "bb := bytes.NewBufferString(\"ab\")"},
		do:   []string{"bb.WriteByte('K')", "OUT(bb.String())", "{\nc, err := bb.ReadByte()\nOUT(string(c))\nOUT(err)\n}", "OUT(string(bb.Next(1)))", "bb.Truncate(0)"},
		last: []string{"OUT(bb.Len())"}},
	{name: "environment", kind: anywhere,
		make: []string{"os.Setenv(\"HBA\", \"0\")", "os.Unsetenv(\"HBA\")"},
		do: []string{"os.Setenv(\"HBA\", \"K\")", "OUT(os.Getenv(\"HBA\"))", "{\nv, ok := os.LookupEnv(\"HBA\")\nOUT(v)\nOUT(ok)\n}",
			"os.Unsetenv(\"HBA\")", "OUT(os.ExpandEnv(\"$HBA\"))", "os.Setenv(\"HBB\", \"K\")", "OUT(os.Getenv(\"HBB\"))"},
		last: []string{"OUT(os.Getenv(\"HBA\"))"}},
	{name: "rand", kind: anywhere, locks: true,
		vars: []string{"rn"},
		make: []string{"rn := rand.New(rand.NewPCG(1, 2))", "rn := mathrand.New(mathrand.NewSource(1))"},
		do:   []string{"OUT(rn.Perm(3)[0])", "OUT(rn.Uint64() % 10)"}},
	{name: "chance", kind: anywhere,
		make: []string{""},
		do:   []string{"OUT(rand.IntN(2))", "OUT(mathrand.Intn(2))", "OUT(x.Add(rand.Int32N(2)))"}},
	{name: "timer", kind: notInBubbles,
		vars: []string{"tm"},
		make: []string{"tm := time.NewTimer(time.Hour)", "tm := time.NewTimer(time.Microsecond)"},
		do: []string{"OUT(tm.Stop())", "OUT(tm.Reset(time.Hour))", "OUT(tm.Reset(1))", "select {\ncase <-tm.C:\nOUT(1)\ndefault:\nOUT(0)\n}",
			"OUT(time.AfterFunc(time.Microsecond, func() { x.Add(1) }).Stop())", "OUT(x.Load())"},
		last: []string{"OUT(tm.Stop())"}},
	{name: "ticker", kind: notInBubbles,
		vars: []string{"tk"},
		make: []string{"tk := time.NewTicker(time.Hour)"},
		do:   []string{"tk.Stop()", "tk.Reset(time.Minute)", "select {\ncase <-tk.C:\nOUT(1)\ndefault:\nOUT(0)\n}"},
		last: []string{"tk.Stop()"}},
	{name: "pure", kind: anywhere,
		vars: []string{"failure", "list"},
		make: []string{"failure := errors.New(\"e\")\nlist := []string{\"b\", \"a\"}"},
		do: []string{"OUT(errors.Is(errors.Join(failure, io.EOF), failure))", "OUT(fmt.Sprintf(\"%d-%v\", K, list))", "OUT(len(strings.Fields(\"a b\")))",
			"OUT(strings.Join(list, \"+\"))", "OUT(errors.Unwrap(fmt.Errorf(\"w: %w\", failure)) == failure)", "OUT(slices.Sorted(slices.Values(list))[0])",
			"OUT(strconv.Itoa(K))", "OUT(x.Add(1))"}},
	{name: "group", kind: anywhere,
		vars: []string{"&wg"},
		make: []string{"var wg sync.WaitGroup"},
		do:   []string{"wg.Go(func() { x.Add(1) })\nOUT(x.Load())", "wg.Go(func() { OUT(x.Add(1)) })\nwg.Wait()", "OUT(x.Load())"},
		last: []string{"wg.Wait()", "OUT(x.Load())"}},
	{name: "logger", kind: anywhere,
		vars: []string{"lg"},
		make: []string{"var lb strings.Builder\nlg := log.New(&lb, \"\", 0)", "var lb strings.Builder\nlg := log.New(&lb, \"p\", log.Lmsgprefix)"},
		do:   []string{"lg.Print(K)", "lg.SetPrefix(\"K\")", "OUT(lg.Prefix())", "lg.Printf(\"<%d>\", K)", "OUT(lg.Flags())"},
		last: []string{"OUT(strings.ReplaceAll(lb.String(), \"\\n\", \"/\"))"}},
	{name: "regexp", kind: anywhere,
		vars: []string{"re"},
		make: []string{"re := regexp.MustCompile(\"a+(b)?\")"},
		do:   []string{"OUT(re.MatchString(\"caa\"))", "OUT(re.FindString(\"xaab\"))", "OUT(x.Add(1))"}},
	{name: "json", kind: anywhere,
		vars: []string{"value{}"},
		make: []string{"type value struct{ A, B int }"},
		do: []string{"{\ntext, err := json.Marshal(value{K, K})\nOUT(string(text))\nOUT(err)\n}", "{\nvar v value\nOUT(json.Unmarshal([]byte(`{\"A\":K}`), &v))\nOUT(v.A)\n}",
			"OUT(x.Add(1))"}},
	{name: "pull", kind: anywhere, locks: true,
		vars: []string{"next", "stop"},
		make: []string{"next, stop := iter.Pull(slices.Values([]int{1, 2, 3}))"},
		do:   []string{"{\nv, ok := next()\nOUT(v)\nOUT(ok)\n}", "OUT(x.Add(1))", "stop()"},
		last: []string{"stop()"}},
	{name: "goroutines", kind: inPrograms,
		make: []string{""},
		do:   []string{"OUT(runtime.NumGoroutine())", "go func() { x.Add(1) }()", "OUT(x.Load())", "runtime.Gosched()"}},
	{name: "deadline", kind: notInBubbles,
		vars: []string{"dctx", "dcancel"},
		make: []string{"dctx, dcancel := context.WithTimeout(context.Background(), time.Microsecond)"},
		do: []string{"OUT(dctx.Err())", "dcancel()", "OUT(context.Cause(dctx))", "<-dctx.Done()", "select {\ncase <-dctx.Done():\nOUT(1)\ndefault:\nOUT(0)\n}",
			"context.AfterFunc(dctx, func() { x.Add(1) })", "OUT(x.Load())"},
		last: []string{"dcancel()"}},
	{name: "cond", kind: notInBubbles,
		vars: []string{"cd"},
		make: []string{"cd := sync.NewCond(&mu)\nready := 0"},
		do:   []string{"mu.Lock()\nready++\ncd.Signal()\nmu.Unlock()", "mu.Lock()\nready += 2\nmu.Unlock()\ncd.Broadcast()", "mu.Lock()\nOUT(ready)\nmu.Unlock()"},
		last: []string{"OUT(ready)"}},
	{name: "signal", kind: notInBubbles,
		vars: []string{"sc"},
		make: []string{"sc := make(chan os.Signal, 1)\nsignal.Notify(sc, syscall.SIGUSR1)", "sc := make(chan os.Signal, 1)"},
		do: []string{"signal.Notify(sc, syscall.SIGUSR1)", "signal.Stop(sc)", "select {\ncase <-sc:\nOUT(1)\ndefault:\nOUT(0)\n}",
			"OUT(signal.Ignored(syscall.SIGUSR1))", "signal.Ignore(syscall.SIGUSR1)", "signal.Reset(syscall.SIGUSR1)", "OUT(x.Add(1))"},
		last: []string{"signal.Stop(sc)"}},
	{name: "test", kind: inTests,
		make: []string{""},
		do: []string{"t.Fail()", "OUT(t.Failed())", "OUT(t.Skipped())", "t.Log(K)", "t.Cleanup(func() { OUT(K) })", "t.Run(\"K\", func(t *testing.T) { OUT(t.Name()[strings.IndexByte(t.Name(), '/'):]) })",
			"t.Run(\"sub\", func(t *testing.T) { t.Fail() })", "OUT(t.Context().Err())", "t.Error(K)", "t.Cleanup(func() { OUT(t.Failed()) })"}},
	{name: "bubble", kind: inBubbles,
		vars: []string{"t0", "ctx", "cancel", "tm"},
		make: []string{"t0 := time.Now()\nctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)\ntm := time.NewTimer(time.Second)"},
		do: []string{"time.Sleep(K * time.Second)", "time.Sleep(time.Second)", "OUT(int(time.Since(t0) / time.Second))", "OUT(ctx.Err())", "cancel()", "<-ctx.Done()",
			"OUT(tm.Stop())", "OUT(tm.Reset(2 * time.Second))", "time.AfterFunc(K*time.Second, func() { x.Add(1) })", "OUT(x.Load())",
			"select {\ncase <-tm.C:\nOUT(1)\ncase <-ctx.Done():\nOUT(2)\n}", "OUT(x.Add(1))"},
		last: []string{"cancel()", "synctest.Wait()", "OUT(x.Load())"}},
}

// LibraryTests divides the seeds of tests.
const LibraryTests = 3

// Library returns the program of a seed.
func Library(name string, seed uint64) LibraryProgram {
	l := &library{rng: rand.New(rand.NewPCG(seed, 0x11b))}
	p := LibraryProgram{Name: name, Test: seed%LibraryTests == 0}
	kinds := []libraryKind{anywhere, notInBubbles, inPrograms}
	var own []family
	if p.Test {
		p.Bubble = l.rng.IntN(2) == 0
		if kinds = []libraryKind{anywhere, notInBubbles, inTests}; p.Bubble {
			kinds = []libraryKind{anywhere, inBubbles}
		}
	}
	var usable []family
	for _, f := range families {
		if !slices.Contains(kinds, f.kind) {
			continue
		}
		usable = append(usable, f)
		if f.kind == inTests || f.kind == inBubbles {
			own = append(own, f)
		}
	}
	// One family, or two of them. A test has families that only tests have.
	chosen := []family{usable[l.rng.IntN(len(usable))]}
	if p.Test {
		chosen[0] = own[l.rng.IntN(len(own))]
	}
	if other := usable[l.rng.IntN(len(usable))]; l.rng.IntN(3) == 0 && other.name != chosen[0].name && !(p.Bubble && other.locks) {
		chosen = append(chosen, other)
	}
	for _, f := range chosen {
		p.Families = append(p.Families, f.name)
	}
	p.Source = l.program(p, chosen)
	return p
}

type library struct {
	rng *rand.Rand
}

func (l *library) pick(list []string) string { return list[l.rng.IntN(len(list))] }

// numbers replaces each K.
func (l *library) numbers(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		alone := s[i] == 'K' && (i == 0 || !isLetter(s[i-1])) && (i+1 == len(s) || !isLetter(s[i+1]))
		if !alone {
			b.WriteByte(s[i])
			continue
		}
		fmt.Fprint(&b, l.rng.IntN(3))
	}
	return b.String()
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// program writes the program: goroutines beside main, each with a record of its observations,
// which main prints when it has joined them.
func (l *library) program(p LibraryProgram, chosen []family) string {
	var body strings.Builder
	body.WriteString("var x atomic.Int32\nvar mu sync.Mutex\n_, _ = &x, &mu\n")
	for _, f := range chosen {
		body.WriteString(l.numbers(l.pick(f.make)) + "\n")
		for _, name := range f.vars {
			fmt.Fprintf(&body, "_ = %s\n", name)
		}
	}
	others := 1 + l.rng.IntN(2)
	fmt.Fprintf(&body, "done := make(chan bool, %d)\n", others)
	logs := []string{"m"}
	for g := range others {
		logs = append(logs, string(rune('a'+g)))
	}
	fmt.Fprintf(&body, "var %s record\n", strings.Join(logs, ", "))
	if p.Test && !p.Bubble {
		// Notes of cleanups are printed after the test.
		fmt.Fprintf(&body, "t.Cleanup(func() { say(%s) })\n", addresses(logs))
	}
	racy := l.rng.IntN(8) == 0
	for _, log := range logs[1:] {
		fmt.Fprintf(&body, "go func() {\ndefer func() { done <- true }()\n%s}()\n", l.statements(chosen, log, racy))
	}
	body.WriteString(l.statements(chosen, "m", racy))
	fmt.Fprintf(&body, "for range %d {\n<-done\n}\n", others)
	for _, f := range chosen {
		for _, s := range f.last {
			body.WriteString(noting(s, "m") + "\n")
		}
	}
	if !p.Test || p.Bubble {
		fmt.Fprintf(&body, "say(%s)\n", addresses(logs))
	}
	text := body.String()
	params := ""
	if p.Test {
		params = "t *testing.T"
	}
	if p.Bubble {
		text = "synctest.Test(t, func(t *testing.T) {\n" + text + "})\n"
	}
	text = fmt.Sprintf("func %s(%s) {\n%s}\n", p.Name, params, text)
	return "package main\n\n" + importsOf(params+text) + "\n" + text
}

// statements returns the statements of one goroutine.
func (l *library) statements(chosen []family, log string, racy bool) string {
	var b strings.Builder
	for range 1 + l.rng.IntN(3) {
		f := chosen[l.rng.IntN(len(chosen))]
		s := noting(l.numbers(l.pick(f.do)), log) + "\n"
		if f.locks && !(racy && l.rng.IntN(3) == 0) {
			s = "mu.Lock()\n" + s + "mu.Unlock()\n"
		}
		b.WriteString(s)
	}
	return b.String()
}

// noting lets OUT(x) be a note in a goroutine's record.
func noting(s, log string) string { return strings.ReplaceAll(s, "OUT(", log+".note(") }

func addresses(logs []string) string {
	list := slices.Clone(logs)
	for i := range list {
		list[i] = "&" + list[i]
	}
	return strings.Join(list, ", ")
}

// importsOf returns the imports of a file with the given text.
func importsOf(text string) string {
	var b strings.Builder
	for _, path := range []string{"bytes", "compress/gzip", "context", "encoding/binary", "encoding/json", "encoding/xml", "errors", "fmt",
		"hash/crc32", "html", "io", "iter", "log", "math/big", "math/rand", "math/rand/v2", "net/mail", "net/textproto", "os", "os/signal",
		"regexp", "runtime", "slices", "strconv", "strings", "sync", "sync/atomic", "syscall", "testing", "testing/synctest",
		"text/template", "time"} {
		name, as := path[strings.LastIndexByte(path, '/')+1:], ""
		switch path {
		case "math/rand":
			name, as = "mathrand", "mathrand "
		case "math/rand/v2":
			name, as = "rand", "rand "
		}
		if uses(text, name) {
			fmt.Fprintf(&b, "import %s%q\n", as, path)
		}
	}
	return b.String()
}

// uses reports whether text has a selector of the package with that name.
func uses(text, name string) bool {
	for i := 0; ; i++ {
		k := strings.Index(text[i:], name+".")
		if k < 0 {
			return false
		}
		if i += k; i == 0 || !isLetter(text[i-1]) {
			return true
		}
	}
}

// LibraryHelpers is a file that the programs share.
const LibraryHelpers = `package main

import "os"

// record has the observations of a goroutine.
type record struct{ text string }

func (r *record) note(x any) { r.text += " " + show(x) }

func show(x any) string {
	switch x := x.(type) {
	case nil:
		return "nil"
	case bool:
		if x {
			return "true"
		}
		return "false"
	case string:
		return "'" + x + "'"
	case error:
		return x.Error()
	case int:
		return number(uint64(x))
	case int32:
		return number(uint64(x))
	case uint64:
		return number(x)
	}
	return "?"
}

func number(x uint64) string {
	if x < 10 {
		return string(rune('0' + x))
	}
	return number(x/10) + number(x%10)
}

// say prints records as one line.
func say(list ...*record) {
	s := ">"
	for _, r := range list {
		s += r.text + ";"
	}
	os.Stdout.WriteString(s + "\n")
}
`
