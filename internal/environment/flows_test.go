package environment

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/vm"
)

// TestFlows: random values pass through operations of all kinds, one after the other, up to one on which an
// outcome may depend. Each test is executed with a few sequences of random numbers. If two sequences have
// different outcomes, the verdict without a sequence has to name the random value: this finds lost labels
// and unnoticed dependences.
func TestFlows(t *testing.T) {
	compareSeeds(t, func(seed int64, n int) string { return flows(seed, n, flowDraws, "") })
}

// TestClockFlows is TestFlows for numbers that are computed from the clock: if a test has other outcomes
// when it begins later, the verdict has to name these numbers.
func TestClockFlows(t *testing.T) {
	n := deep.N(3, 40)
	var progs []*load.Program
	var dirs []string
	for _, sleep := range []string{"0", "1", "400*time.Microsecond + 7", "3*time.Second + 141592653", "time.Hour + 86*time.Second + 1"} {
		dir := t.TempDir()
		writeTests(t, dir, flows(int64(deep.Seed()), n, clockDraws, "\ttime.Sleep("+sleep+")\n"))
		progs, dirs = append(progs, loadDir(t, dir)), append(dirs, dir)
	}
	named, silent := 0, 0
	for i, e := range progs[0].Entries {
		h := how{"optimal", oracle.None, false, 1}
		if i%2 == 0 || *every {
			h = how{"jpf", oracle.MHB, true, 2}
		}
		cfg := vm.Config{OrderedTime: true, Slack: 500e3}
		x := exploreEntry(t, progs[0], e, cfg, h)
		if x.assumed() != "" {
			named++
			continue
		}
		silent++
		for k, prog := range progs[1:] {
			if y := exploreEntry(t, prog, prog.Entries[i], cfg, h); lines(x.outcomes) != lines(y.outcomes) {
				t.Errorf("%s names nothing, and if it begins later it has\n%s\nand not\n%s\n%s", e.Name, lines(y.outcomes), lines(x.outcomes), flowOf(dirs[k+1], e.Name))
				break
			}
		}
	}
	t.Logf("%d tests name the clock, %d do not", named, silent)
	if silent == 0 || named == 0 {
		t.Errorf("%d tests name the clock, %d do not", named, silent)
	}
}

// clockDraws are numbers computed from the clock, as int64s.
var clockDraws = []string{
	"time.Now().UnixNano()", "time.Now().UnixMicro()", "time.Now().Unix()", "int64(time.Now().Nanosecond())", "int64(time.Now().Minute())", "int64(time.Since(began))",
	"time.Since(began).Nanoseconds()", "time.Since(began).Milliseconds()", "int64(time.Since(began).Seconds()*3)", "int64(time.Since(began)) % 1000", "int64(time.Since(began) % 777)",
	"int64(time.Since(began) * 3)", "int64(time.Since(began) / 5)", "int64(time.Since(began).Round(1000))", "spanned(time.Since(began))", "int64(keep(time.Now()).took)",
	"nanotime()",
}

// writeTests writes a module with a package of tests.
func writeTests(t *testing.T, dir, text string) {
	t.Helper()
	for name, text := range map[string]string{"go.mod": "module example.com/generated\n\ngo 1.26\n", "generated_test.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestJitter is TestFlows for random durations of timers and sleeps: the outcome is their order,
// and the time that has passed.
func TestJitter(t *testing.T) { compareSeeds(t, jitters) }

func compareSeeds(t *testing.T, program func(seed int64, n int) string) {
	n := deep.N(4, 40)
	dir := t.TempDir()
	writeTests(t, dir, program(int64(deep.Seed()), n))
	prog := loadDir(t, dir)
	named, silent, long := 0, 0, 0
	const most = 2000
	for i, e := range prog.Entries {
		h := how{"optimal", oracle.None, false, 1}
		if i%2 == 0 || *every {
			h = how{"jpf", oracle.MHB, true, 2}
		}
		cfg := vm.Config{OrderedTime: true, Slack: 500e3, InTurn: i%8 == 5}
		if i%8 > 5 {
			cfg.Slack = 0
		}
		x := exploreWithin(t, prog, e, cfg, h, most)
		if x.assumed() != "" {
			named++
			continue
		}
		if !x.complete() {
			long++
			continue
		}
		silent++
		if i%3 == 2 { // among them all flows with equal goroutines
			if full := exploreWithin(t, prog, e, cfg, reference, 4*most); full.complete() && (lines(full.outcomes) != lines(x.outcomes) || full.assumed() != "") {
				t.Errorf("%s has\n%s\nand with %v\n%s\nassumed %s\n%s", e.Name, lines(x.outcomes), reference, lines(full.outcomes), full.assumed(), flowOf(dir, e.Name))
			}
		}
		for seed := range int64(8) {
			cfg.RandFixed, cfg.RandSeed = true, 1+seed*7919
			y := exploreWithin(t, prog, e, cfg, h, 4*most)
			if y.complete() && lines(x.outcomes) != lines(y.outcomes) || missing(y.outcomes, x.outcomes) != "" {
				t.Errorf("%s names nothing, and with seed %d it has\n%s\nand not\n%s\n%s", e.Name, seed, lines(y.outcomes), lines(x.outcomes), flowOf(dir, e.Name))
				break
			}
		}
	}
	t.Logf("%d tests name what is drawn, %d do not, %d take too long", named, silent, long)
	if silent == 0 || named == 0 {
		t.Errorf("%d tests name what is drawn, %d do not", named, silent)
	}
}

// flowOf returns the text of one test.
func flowOf(dir, name string) string {
	text, _ := os.ReadFile(filepath.Join(dir, "generated_test.go"))
	_, s, _ := strings.Cut(string(text), "func "+name+"(")
	s, _, _ = strings.Cut(s, "\n}\n")
	return s
}

// flowDraws are values that are drawn, as int64s.
var flowDraws = []string{
	"rand.Int63()", "rand.Int63n(1000)", "int64(rand.Uint32())", "int64(rand.Float64()*1000)", "int64(rand.Perm(9)[4])",
	"int64(randv2.Uint64()>>1)", "randv2.Int64N(500)", "int64(randv2.N(time.Hour))", "int64(rand.New(counting{}).Int31n(100))",
	"int64(randv2.Float32()*100)", "int64(rand.NormFloat64()*100)", "int64(rand.Int31())", "rand.Int63n(100)*5+3", "rand.Int63n(1<<40)",
}

// flowSteps compute Y from X, both int64.
var flowSteps = []string{
	"Y := X + 3", "Y := X*5 - 2", "Y := X >> 1", "Y := ^X", "Y := X ^ 0x55", "Y := X % 1000", "Y := int64(int32(X))", "Y := int64(uint16(X))",
	"Y := int64(int8(X))", "Y := int64(float64(X) / 3)", "Y := -X", "Y := X &^ 6", "Y := X | 8", "Y := int64(uint64(X) % 77)", "Y := X / 7",
	"Y := int64(math.Abs(float64(X%10000)))", "Y := int64(bits.OnesCount64(uint64(X)))", "Y := int64(bits.Reverse64(uint64(X)) >> 1)",
	"Y := int64(float32(X%1000) * 2)", "Y := min(X, 1<<60)", "Y := max(X, -5)", "Y := X << 2", "Y := int64(uint32(X) + 9)", "Y := int64(real(complex(float64(X%1000), 2)))",
	"var Y int64; { p := &Y; *p = X }", "Y := pair{a: 1, b: X}.b", "var Y int64; { p := &pair{b: X}; q := *p; Y = q.b }",
	"var Y int64; { s := []pair{{1, 2}, {3, X}}; u := append(s[1:], pair{}); Y = u[0].b }", "var Y int64; { a := [3]int64{1, X, 2}; b := a; Y = b[1] }",
	"var Y int64; { m := map[string]int64{\"k\": X, \"l\": 2}; Y = m[\"k\"] }", "var Y int64; { m := map[int]pair{1: {1, X}}; for _, v := range m { Y = v.b } }",
	"var Y int64; { c := make(chan int64, 2); c <- X; Y = <-c }", "var Y int64; { c := make(chan pair); go func() { c <- pair{b: X} }(); Y = (<-c).b }",
	"var Y int64; { c := make(chan int64, 1); select { case c <- X: default: }; select { case Y = <-c: default: } }",
	"var Y int64; { var i any = X; Y = i.(int64) }", "var Y int64; { var i holder = held{X}; Y = i.get() }", "var Y int64; { i := any(pair{b: X}); switch v := i.(type) { case pair: Y = v.b } }",
	"var Y int64; { f := func() int64 { return X }; Y = f() }", "var Y int64; func() { defer func(v int64) { Y = v }(X) }()", "var Y int64; { f := held{X}.get; Y = f() }",
	"var Y int64; { var a atomic.Int64; a.Store(X); Y = a.Add(1) }", "var Y int64; { var a atomic.Int32; a.Store(int32(X)); Y = int64(a.Swap(3)) }",
	"var Y int64; { var a atomic.Value; a.Store(X); Y = a.Load().(int64) }", "var Y int64; { var a atomic.Pointer[pair]; a.Store(&pair{b: X}); Y = a.Load().b }",
	"var Y int64; { var a atomic.Uint32; a.Or(uint32(X)); Y = int64(a.Load()) }", "var Y int64; { var a atomic.Int64; a.CompareAndSwap(0, X); Y = a.Load() }",
	"global = X; Y := global", "table[3] = uint32(X); Y := int64(table[3])", "var Y int64; { var mu sync.Mutex; var wg sync.WaitGroup; wg.Go(func() { mu.Lock(); Y = X; mu.Unlock() }); wg.Wait() }",
	"var Y int64; { var m sync.Map; m.Store(1, X); v, _ := m.Load(1); Y = v.(int64) }", "var Y int64; { o := sync.OnceValue(func() int64 { return X }); Y = o() }",
	"var Y int64; { p := sync.Pool{}; p.Put(&pair{b: X}); if v, ok := p.Get().(*pair); ok { Y = v.b } else { Y = X } }",
	"var Y int64; { b := binary.LittleEndian.AppendUint64(nil, uint64(X)); b = append([]byte(nil), b...); Y = int64(binary.LittleEndian.Uint64(b) >> 1) }",
	"var Y int64; { b := make([]byte, 16); binary.BigEndian.PutUint32(b[3:], uint32(X)); copy(b[1:], b[3:]); Y = int64(binary.BigEndian.Uint16(b[3:])) }",
	"var Y int64; { b := []byte{byte(X), 1}; s := string(b); Y = int64(s[0]) }", "var Y int64; { s := string([]byte{byte(X & 63)}) + \"x\"; Y = int64([]byte(s)[0]) }",
	"var Y int64; { type inner struct{ x, y int16; z int32 }; v := inner{1, int16(X), 2}; w := []inner{v, v}; Y = int64(w[1].y) }",
	"var Y int64; { p := (*[8]byte)(unsafe.Pointer(&[]int64{X}[0])); Y = int64(p[0]) + int64(p[1])<<8 }", "Y := reflect.ValueOf(X).Int()",
	"var Y int64; { v := reflect.ValueOf(&pair{b: X}).Elem(); Y = v.Field(1).Interface().(int64) }", "Y := generic(X)", "_, Y := two(X)", "Y := named(X)",
	"var Y int64; { c := list{next: &list{v: X}}; Y = c.next.v }", "var Y int64; for v := range seq(X) { Y = v }", "var Y int64; { next, stop := iter.Pull(seq(X)); Y, _ = next(); stop() }",
	"var Y int64; { ctx := context.WithValue(context.Background(), key{}, X); Y = ctx.Value(key{}).(int64) }", "var Y int64; { s := slices.Clone([]int64{1, X}); slices.Reverse(s); Y = s[0] }",
	"var Y int64; { m := maps.Clone(map[int]int64{1: X}); Y = m[1] }", "var Y int64; func() { defer func() { Y = recover().(pair).b }(); panic(pair{b: X}) }()",
	"var Y int64; { var h uint64 = 14695981039346656037; for i := range 8 { h = (h ^ uint64(byte(X>>(8*i)))) * 1099511628211 }; Y = int64(h >> 1) }",
	"var Y int64; { s := bufio.NewReader(bytes.NewReader([]byte{1, byte(X)})); s.ReadByte(); b, _ := s.ReadByte(); Y = int64(b) }",
	"var Y int64; { x := big.NewInt(X); Y = x.Add(x, big.NewInt(1)).Int64() }", "Y := int64(crc32.ChecksumIEEE([]byte{byte(X)}))", "var Y int64; { s := sha256.Sum256([]byte{byte(X)}); Y = int64(s[2]) }",
	"var Y int64; { d := time.Duration(X); Y = int64(d.Round(time.Microsecond)) }", "var Y int64; { at := time.Unix(X%1000000, 0); Y = at.Unix() }", "Y, _ := strconv.ParseInt(strconv.FormatInt(X, 10), 10, 64)",
	"Y := int64(0)", "Y := X - X + 1", "var Y int64; { b := []byte{byte(X)}; Y = int64(\"fedcba9876543210\"[b[0]>>4]) }", "Y := X & 0", "var Y int64; { a := [2]int64{X, 4}; Y = a[1] }", "var Y int64 = 2; { p := pair{a: X, b: 9}; Y = p.b }",
	"var Y int64 = 5; store(X)", "var Y int64 = 6; { m[1] = X }", "var Y int64 = 3; { c := make(chan int64, 1); c <- X }", "var Y int64 = 1; { go func(x int64) { global = x }(X) }",
}

// flowLooks show X, or something that depends on it, or nothing.
var flowLooks = []string{
	"say(X)", "say(X&1 == 0)", "if X%3 == 0 { say(1) } else { say(2) }", "say([]string{\"a\", \"b\", \"c\", \"d\"}[uint64(X)%4])", "say(map[int64]string{0: \"z\", 1: \"o\"}[X&1])",
	"switch { case X > 50: say(\"more\"); case X > 20: say(\"some\") }", "say(len(make([]int, X&7)))", "say(string(rune('a' + X&7)))", "say(strconv.Itoa(int(X & 15)))", "say(fmt.Sprint(X&3))",
	"{ s := []int64{X & 7, 3}; sort.Slice(s, func(i, j int) bool { return s[i] < s[j] }); say(s[0]) }", "{ m := map[int64]bool{X & 3: true}; m[1] = true; say(len(m)) }", "say(any(X&1) == any(int64(1)))",
	"say(pair{b: X & 1} == pair{b: 1})", "{ var p *pair; if X&1 == 0 { p = &pair{} }; say(p == nil) }", "{ c := make(chan int, X&1); select { case c <- 1: say(\"sent\"); default: say(\"full\") } }",
	"{ defer func() { say(recover() != nil) }(); var s [4]int; s[X&7]++ }", "say(strings.Repeat(\"x\", int(X&3)))", "say(bytes.Equal([]byte{byte(X & 1)}, []byte{1}))", "say(reflect.DeepEqual(X&1, int64(1)))",
	"{ for range X & 3 { print(\".\") }; say(0) }", "say(float64(X&7) > 3.5)", "say(math.IsNaN(math.Sqrt(float64(X&3 - 1))))", "say(unsafe.String(&[]byte{byte('a' + X&1)}[0], 1))", "say(slices.Contains([]int64{1, 2}, X&3))",
	"if X < -1<<62 { say(\"low\") } else { say(\"not so low\") }", "{ var wg sync.WaitGroup; for i := range 2 { wg.Go(func() { if int64(i) == X&1 { say(i) } }) }; wg.Wait() }", "time.Sleep(time.Duration(X&1) * time.Second); say(\"slept\", X&1)",
	"say(0)", "say(1)", "say(X*0)", "_ = X; say(2)", "say(X == X)",
}

// flows returns the text of n tests, which begin with the statements begin, and draw some of draws.
// In every third test two equal goroutines do the same, one after the other, and then count at the
// same time. States that differ only by an exchange of these goroutines are equal, whatever values
// they have drawn.
func flows(seed int64, n int, draws []string, begin string) string {
	var w strings.Builder
	w.WriteString(flowsHead)
	for i := range n {
		r := rand.New(rand.NewSource(seed<<20 + int64(i)))
		fmt.Fprintf(&w, "\nfunc Test%d(t *testing.T) {\n%s", i, begin)
		twins := i%3 == 2
		if twins {
			w.WriteString("\tvar all sync.WaitGroup\n\tvar in sync.Mutex\n\tvar n atomic.Int32\n\tfor range 2 {\n\t\tall.Go(func() {\n")
			w.WriteString("\tfunc() {\n\tin.Lock()\n\tdefer in.Unlock()\n")
		}
		fmt.Fprintf(&w, "\tx0 := %s\n\t_ = x0\n", draws[r.Intn(len(draws))])
		k := 1 + r.Intn(4)
		for j := range k {
			s := flowSteps[r.Intn(len(flowSteps))]
			if twins && strings.Contains(s, "go func(x int64) { global") {
				s = "Y := X" // it would race with the other one's
			}
			s = strings.NewReplacer("Y", fmt.Sprint("x", j+1), "X", fmt.Sprint("x", j)).Replace(s)
			fmt.Fprintf(&w, "\t%s\n\t_ = x%d\n", s, j+1)
		}
		fmt.Fprintf(&w, "\t%s\n", strings.ReplaceAll(flowLooks[r.Intn(len(flowLooks))], "X", fmt.Sprint("x", k)))
		if twins {
			w.WriteString("\t}()\n\tbefore := n.Load()\n\tn.Store(before + 1)\n\tin.Lock()\n\tdefer in.Unlock()\n\tsay(before)\n")
			w.WriteString("\t\t})\n\t}\n\tall.Wait()\n")
		}
		w.WriteString("}\n")
	}
	return w.String()
}

// jitters is the text of n tests with goroutines that sleep, wait for timers and tickers, queue, read the
// clock and poll. A duration is constant, or drawn from a few that are far from each other, or from many
// that are near.
func jitters(seed int64, n int) string {
	var w strings.Builder
	w.WriteString(flowsHead)
	for i := range n {
		r := rand.New(rand.NewSource(seed<<20 + int64(i)))
		wait := func() string {
			unit, d := "time.Millisecond", []int{10, 30, 60, 100, 150, 400}[r.Intn(6)]
			if r.Intn(8) == 0 {
				unit, d = "time.Microsecond", []int{90, 200, 450, 600, 900}[r.Intn(5)]
			}
			switch r.Intn(5) {
			case 0:
				return fmt.Sprintf("%d*%s+time.Duration(rand.Int63n(%d000000))", d, unit, 10+r.Intn(30))
			case 1:
				return fmt.Sprintf("%d*%s+time.Duration(rand.Int63n(%d000)/1000)*%d*%s", d, unit, 2+r.Intn(3), []int{1, 20, 70}[r.Intn(3)], unit)
			}
			return fmt.Sprintf("%d*%s", d, unit)
		}
		some := func(list ...string) string {
			s := list[r.Intn(len(list))]
			for strings.Contains(s, "WAIT") {
				s = strings.Replace(s, "WAIT", wait(), 1)
			}
			return s
		}
		fmt.Fprintf(&w, "\nfunc Test%d(t *testing.T) {\n\tvar mu sync.Mutex\n\tvar wg sync.WaitGroup\n\tvar x atomic.Int64\n", i)
		w.WriteString("\tc, order, start := make(chan string), \"\", time.Now()\n\t_, _ = c, start\n")
		w.WriteString("\tcame := func(s string) { mu.Lock(); order += s; mu.Unlock() }\n\t_ = came\n")
		for j := range 1 + r.Intn(2) + r.Intn(6)/5 {
			w.WriteString("\twg.Go(func() {\n")
			for k := range 1 + r.Intn(3) {
				fmt.Fprintf(&w, "\t\t%s\n", strings.ReplaceAll(some(jitterSteps...), "NAME", fmt.Sprintf("%c%d", 'a'+j, k)))
			}
			w.WriteString("\t})\n")
		}
		fmt.Fprintf(&w, "\twg.Wait()\n\t%s\n\tmu.Lock()\n\tsay(order, x.Load())\n\tmu.Unlock()\n}\n", some(jitterEnds...))
	}
	return w.String()
}

// jitterSteps are the statements of goroutines in the programs of jitters.
var jitterSteps = []string{
	`time.Sleep(WAIT); came("NAME")`, `time.Sleep(WAIT); x.Add(1)`, `time.Sleep(WAIT); came("NAME")`, `x.Store(x.Load() * 2)`,
	`select { case <-time.After(WAIT): came("NAMEx"); case <-time.After(WAIT): came("NAMEy") }`,
	`time.AfterFunc(WAIT, func() { came("NAMEf") })`, `{ k := time.NewTimer(WAIT); time.Sleep(WAIT); if k.Stop() { came("NAMEs") } }`,
	`{ k := time.NewTimer(WAIT); k.Reset(WAIT); select { case <-k.C: came("NAMEr"); case <-time.After(WAIT): came("NAMEt") } }`,
	`if time.Since(start) > WAIT { came("NAMEl") }`, `if s := time.Now(); true { time.Sleep(WAIT); if d := time.Since(s); d >= WAIT { came("NAMEm") } }`,
	`if time.Until(start.Add(200*time.Millisecond)) < WAIT { came("NAMEu") }`, `if at := <-time.After(WAIT); at.Sub(start) > WAIT { came("NAMEv") }`,
	`if time.Now().Before(start.Add(WAIT)) { came("NAMEb") }`, `for s := time.Now(); time.Since(s) < WAIT; { runtime.Gosched() }; came("NAMEw")`,
	`for end := start.Add(WAIT); time.Now().Before(end); { runtime.Gosched() }; came("NAMEe")`,
	`for range 3 { if x.Load() > 0 { came("NAMEp"); break }; time.Sleep(WAIT) }`,
	`{ k := time.NewTicker(WAIT); <-k.C; time.Sleep(WAIT); <-k.C; k.Stop(); came("NAMEk") }`,
	`{ ctx, stop := context.WithTimeout(context.Background(), WAIT); select { case <-ctx.Done(): came("NAMEd"); case <-time.After(WAIT): came("NAMEn") }; stop() }`,
	`select { case c <- "NAME": case <-time.After(WAIT): came("NAMEg") }`, `select { case s := <-c: came("NAME" + s); case <-time.After(WAIT): came("NAMEh") }`,
	`mu.Lock(); time.Sleep(WAIT); mu.Unlock(); came("NAMEi")`,
}

// jitterEnds are the statements after the goroutines have ended.
var jitterEnds = []string{"", "", `if time.Since(start) > WAIT { came("late") }`, `time.Sleep(WAIT)`, `if int(time.Since(start)/time.Second) > 0 { came("second") }`}

const flowsHead = `package flows

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"iter"
	"maps"
	"math"
	"math/big"
	"math/bits"
	"math/rand"
	randv2 "math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

var (
	_ = bufio.NewReader
	_ = bytes.Equal
	_ = context.Background
	_ = sha256.Sum256
	_ = binary.LittleEndian
	_ = crc32.ChecksumIEEE
	_ iter.Seq[int]
	_ = maps.Clone[map[int]int]
	_ = math.Abs
	_ = big.NewInt
	_ = bits.Len
	_ = rand.Int63
	_ = randv2.Uint64
	_ = reflect.ValueOf
	_ = runtime.Gosched
	_ = slices.Contains[[]int]
	_ = sort.Ints
	_ = strconv.Itoa
	_ = strings.Repeat
	_ sync.Mutex
	_ atomic.Int64
	_ = time.Second
	_ unsafe.Pointer
)

type pair struct{ a, b int64 }

type holder interface{ get() int64 }

type held struct{ v int64 }

func (h held) get() int64 { return h.v }

type list struct {
	v    int64
	next *list
}

type key struct{}

type counting struct{}

func (counting) Int63() int64 { return rand.Int63() }
func (counting) Seed(int64)   {}

var (
	global int64
	table  [8]uint32
	m      = map[int]int64{}
	kept   []pair
)

func say(words ...any) { fmt.Println(words...) }

//go:linkname nanotime runtime.nanotime
func nanotime() int64

var began = time.Now()

type stats struct{ took time.Duration }

func keep(at time.Time) *stats { return &stats{at.Sub(began)} }

func spanned(d time.Duration) int64 { return d.Microseconds() }

func store(x int64) { kept = append(kept, pair{b: x}) }

func generic[T any](x T) T { return x }

func two(x int64) (int, int64) { return 1, x }

func named(x int64) (y int64) {
	defer func() { y += x }()
	return x
}

func seq(x int64) iter.Seq[int64] { return func(yield func(int64) bool) { yield(x) } }
`
