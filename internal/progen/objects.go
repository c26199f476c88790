package progen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Text is a program without a reference: only the machine can execute it. The outcomes of reductions are
// compared with those of a full search.
type Text struct {
	Name, Source string
	Copies       bool // copies mutexes, or overwrites them
}

// Objects returns a random program about objects that are reached through arrays, maps,
// lists, interfaces, channels and atomic pointers, and about their guards. It is
// for tests of static reasoning about locks and approximated memory.
func Objects(name string, rng *rand.Rand) Text {
	o := &objects{rng: rng, prefix: strings.ToLower(name), used: map[string]bool{}}
	o.copies = o.chance(6)
	o.timers = o.chance(6)
	for range 2 + o.n(3) {
		o.flavours = append(o.flavours, o.n(numFlavours))
	}
	var body strings.Builder
	o.w = &body
	o.main()
	return Text{Name: name, Source: o.declarations(name) + body.String() + "}\n", Copies: o.copies}
}

// FromBytes is a source of randomness that fuzzing can control: each choice
// takes a byte. After the last one choices are 0 for a while, which makes for
// short programs, and then a fixed sequence: an endless sequence of 0 might be refused forever.
type FromBytes struct {
	Bytes  []byte
	behind uint64
}

// Uint64 implements rand.Source.
func (b *FromBytes) Uint64() uint64 {
	if len(b.Bytes) > 0 {
		x := b.Bytes[0]
		b.Bytes = b.Bytes[1:]
		return uint64(x) << 56
	}
	if b.behind++; b.behind < 64 {
		return 0
	}
	x := b.behind * 0x9e3779b97f4a7c15
	return (x ^ x>>29) * 0x94d049bb133111eb
}

type objects struct {
	rng      *rand.Rand
	prefix   string // of the names of types and package variables
	copies   bool
	timers   bool
	flavours []int
	used     map[string]bool
	w        *strings.Builder
	depth    int
	closures int
}

func (o *objects) n(n int) int         { return o.rng.IntN(n) }
func (o *objects) chance(pct int) bool { return o.n(100) >= 100-pct } // 0 is no, so that bytes run out in short programs

// ln prints a line in which T, U, I and G stand for the program's own types and variable.
func (o *objects) ln(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	for _, name := range []string{"a", "b", "arr", "fix", "om", "is", "conds", "ch", "och", "fch", "ap", "wg", "once", "sl", "im", "x", "done"} {
		if mentions(s, name) {
			o.used[name] = true
		}
	}
	o.w.WriteString(o.own(s))
	o.w.WriteByte('\n')
}

// own puts the program's own names for T, U, I and G.
func (o *objects) own(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if strings.IndexByte("TUIG", c) >= 0 && (i == 0 || !letter(s[i-1])) && (i+1 == len(s) || s[i+1] == '.' || !letter(s[i+1])) {
			b.WriteString(o.prefix + "_")
		}
		b.WriteByte(c)
	}
	return b.String()
}

func letter(c byte) bool {
	return c == '_' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func mentions(s, name string) bool {
	for i := 0; ; {
		k := strings.Index(s[i:], name)
		if k < 0 {
			return false
		}
		i += k
		end := i + len(name)
		if (i == 0 || !letter(s[i-1])) && (end == len(s) || !letter(s[end]) || s[end] == '.') {
			return true
		}
		i = end
	}
}

// declarations prints the code before the statements of main.
func (o *objects) declarations(name string) string {
	body := o.w
	var b strings.Builder
	o.w = &b
	b.WriteString("package main\n\nimport (\n\t\"sync\"\n\t\"sync/atomic\"\n")
	if o.timers {
		b.WriteString("\t\"time\"\n")
	}
	b.WriteString(")\n")
	if o.timers {
		b.WriteString("var _ time.Duration\n")
	}
	for _, l := range []string{
		"type T struct { mu sync.Mutex; f, g int; next *T; n atomic.Int32; p int32; rw sync.RWMutex }",
		"func (t *T) inc() { t.mu.Lock(); t.f++; t.mu.Unlock() }",
		"func (t *T) get() int { t.mu.Lock(); defer t.mu.Unlock(); return t.f }",
		"func (t *T) addLocked(d int) { t.f += d }",
		"func (t *T) lock() { t.mu.Lock() }",
		"func (t *T) unlock() { t.mu.Unlock() }",
		"type U struct { f int; mu sync.Mutex }",
		"func (u *U) inc() { u.mu.Lock(); u.f += 2; u.mu.Unlock() }",
		"func (u *U) get() int { u.mu.Lock(); defer u.mu.Unlock(); return u.f }",
		"type I interface { inc(); get() int }",
		"var G *T",
		"var _ atomic.Int32",
		"func " + name + "() {",
	} {
		b.WriteString(o.own(l) + "\n")
	}
	local := func(name, init string) {
		if o.used[name] {
			o.ln("%s", init)
			o.ln("_ = %s", name)
		}
	}
	uses := func(name string, others ...string) {
		if o.used[name] {
			for _, x := range others {
				o.used[x] = true
			}
		}
	}
	for _, name := range []string{"arr", "fix", "om", "is", "conds", "ap"} {
		uses(name, "a", "b")
	}
	o.used["a"], o.used["b"] = true, true
	local("a", "a := new(T)")
	local("b", "b := &T{f: 1}")
	o.ln("a.next, b.next, G = b, a, a")
	local("arr", "arr := []*T{a, b}")
	local("fix", "fix := [2]*T{b, a}")
	local("om", "om := map[int]*T{0: a, 1: b}")
	local("is", "is := []I{a, new(U)}")
	local("conds", "conds := []*sync.Cond{sync.NewCond(&a.mu), sync.NewCond(&b.mu)}")
	local("ch", fmt.Sprintf("ch := make(chan %s, %d)", o.prefix+"_e", o.n(3)))
	local("och", fmt.Sprintf("och := make(chan *T, %d)", o.n(2)))
	local("fch", "fch := make(chan func(), 1)")
	local("ap", "var ap atomic.Pointer[T]")
	if o.used["ap"] {
		o.ln("ap.Store(a)")
	}
	if o.used["wg"] {
		o.ln("var wg sync.WaitGroup")
	}
	if o.used["once"] {
		o.ln("var once sync.Once")
	}
	local("sl", "sl := make([]int, 1, 2)")
	local("im", "im := map[int]int{}")
	local("x", "x := 0")
	local("done", "done := make(chan bool, 3)")
	b.WriteString(fmt.Sprintf("type %s_e int\n", o.prefix))
	o.w = body
	s := b.String()
	// The type of ch's elements is needed before it.
	decl := fmt.Sprintf("type %s_e int\n", o.prefix)
	s = strings.TrimSuffix(s, decl)
	return strings.Replace(s, "var _ atomic.Int32\n", "var _ atomic.Int32\n"+decl, 1)
}

// main makes the statements of the main function.
func (o *objects) main() {
	n := 1 + o.n(2)
	if o.chance(50) {
		n = 2
	}
	join := o.n(3) // nothing, WaitGroup, channel
	if o.chance(30) {
		o.ln("r := 0")
		o.statement()
	} else {
		o.ln("r := 0")
	}
	if join == 1 && o.chance(70) {
		o.ln("wg.Add(%d)", n)
	} else if join == 1 {
		join = 3 // wg.Go
	}
	for range n {
		arg := ""
		if o.chance(30) {
			arg = o.path()
		}
		switch {
		case join == 3:
			o.ln("wg.Go(func() {")
			arg = ""
		case arg != "":
			o.ln("go func(o *T) {")
		default:
			o.ln("go func() {")
		}
		o.ln("r := 0")
		if join == 1 && o.chance(60) {
			o.ln("defer wg.Done()")
			o.statements()
		} else {
			o.statements()
			switch join {
			case 1:
				o.ln("wg.Done()")
			case 2:
				o.ln("done <- true")
			}
		}
		if arg != "" {
			o.ln("r += o.f")
		}
		if o.chance(60) {
			o.ln("say(r)")
		} else {
			o.ln("_ = r")
		}
		switch {
		case join == 3:
			o.ln("})")
		default:
			o.ln("}(%s)", arg)
		}
	}
	for range 1 + o.n(2) {
		o.statement()
	}
	switch join {
	case 1, 3:
		o.ln("wg.Wait()")
	case 2:
		for range n {
			o.ln("<-done")
		}
	}
	final := "r, a.f, a.g, b.f, b.g, int(a.n.Load())"
	for _, x := range []struct{ name, text string }{{"sl", "sl[0]"}, {"im", "im[0], len(im)"}, {"x", "x"}, {"arr", "arr[0].f"}} {
		if o.used[x.name] {
			final += ", " + x.text
		}
	}
	o.ln("say(%s)", final)
}

func (o *objects) statements() {
	for range 1 + o.n(3) {
		o.statement()
	}
}

// path returns an expression for an object.
func (o *objects) path() string {
	all := []string{"a", "b", "arr[0]", "arr[1]", "arr[r&1]", "fix[0]", "fix[r&1]", "om[0]", "om[1]", "a.next", "b.next", "a.next.next", "ap.Load()", "G", "&T{f: 3}"}
	return all[o.n(len(all))]
}

// guarded makes accesses to o, with its lock held or not.
func (o *objects) guarded() {
	for range 1 + o.n(2) {
		o.access()
	}
}

func (o *objects) access() {
	i := o.n(2)
	switch o.n(14) {
	case 0, 1:
		o.ln("o.f++")
	case 2, 3:
		o.ln("r += o.f")
	case 4:
		o.ln("o.f = %d", 1+i)
	case 5:
		o.ln("o.g += o.f")
	case 6:
		o.ln("o.addLocked(%d)", 1+i)
	case 7:
		o.ln("r += o.next.f")
	case 8:
		o.ln("sl[0]++")
	case 9:
		o.ln("im[%d]++", i)
	case 10:
		o.ln("x += o.f + 1")
	case 11:
		o.ln("r += o.g")
	case 12:
		o.ln("o.next.g++")
	case 13:
		switch o.n(5) {
		case 0:
			o.ln("arr[%d] = o", i)
		case 1:
			o.ln("o.next = a")
		case 2:
			o.ln("om[%d] = &T{f: 7}", i)
		case 3:
			o.ln("sl = append(sl, r)")
		case 4:
			o.ln("arr[%d] = &T{f: 5}", i)
		}
	}
}

// statement makes one statement, of a flavour that the program has.
func (o *objects) statement() {
	if o.depth > 2 {
		o.ln("r++")
		return
	}
	o.depth++
	defer func() { o.depth-- }()
	if o.copies && o.chance(30) {
		o.ln("*%s = T{f: %d}", []string{"a", "b", "arr[0]"}[o.n(3)], o.n(3))
		return
	}
	if o.timers && o.chance(30) {
		o.timer()
		return
	}
	if o.chance(12) {
		o.object()
		o.access() // without a lock
		o.ln("}")
		return
	}
	o.flavour(o.flavours[o.n(len(o.flavours))])
}

// object begins a block in which o is an object.
func (o *objects) object() { o.ln("{ o := %s; _ = o", o.path()) }

func (o *objects) timer() {
	if o.chance(50) {
		o.ln("select { case v := <-ch: r += int(v); case <-time.After(1): r++ }")
		return
	}
	o.object()
	o.ln("time.AfterFunc(1, func() { o.mu.Lock(); o.f++; o.mu.Unlock() }) }")
}

// method returns an object for calls of methods.
func (o *objects) method() string {
	p := o.path()
	if slices.Contains([]string{"&T{f: 3}"}, p) {
		return "(" + p + ")"
	}
	return p
}
