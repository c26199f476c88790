package compile_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/compile"
)

const functions = `package main

import (
	"fmt"
	"strings"
)

type pair struct{ a, b int }

func sum(s []int) (n int) {
	for _, v := range s {
		n += v
	}
	return n
}

func scale(s []uint64) {
	for i := range s {
		s[i] *= 0x9e3779b97f4a7c15
	}
}

func field(p *pair) int { return p.b }

func late(p *pair) int {
	x := p.a
	p.b = x
	return p.a
}

func indices(p *[4]int) (n int) {
	for i := range *p {
		n += i
	}
	return n
}

func capture() func() int {
	final, changed := 1, 2
	f := func() int { return final + changed }
	changed = 3
	return f
}

func named() (n int, err error) {
	defer func() { println(n) }()
	n = 1
	return n, err
}

func main() { fmt.Println(strings.Fields("a b")) }
`

// code compiles functions with a linker that links nothing.
type code struct {
	t    *testing.T
	prog *load.Program
	k    *linker
}

func newCode(t *testing.T) *code {
	return &code{t, vmtest.Load(t, functions), newLinker()}
}

func (c *code) of(fn *ssa.Function) *bytecode.Func {
	c.t.Helper()
	c.prog.EnsureBuilt(fn)
	f, err := compile.Compile(fn, 1, c.k)
	if err != nil {
		c.t.Fatalf("%s: %v", fn, err)
	}
	return f
}

// named compiles a function of the program.
func (c *code) named(name string) *bytecode.Func {
	return c.of(c.prog.Entries[0].Package.SSA.Func(name))
}

// An instr is a line of a listing.
type instr struct {
	pc     int
	op     string
	target int // of a branch, or -1
}

var listed = regexp.MustCompile(`(?m)^ *(\d+)  (\w+)(?:.*→ (\d+))?`)

func instrs(f *bytecode.Func) (list []instr) {
	for _, m := range listed.FindAllStringSubmatch(f.Disassemble(), -1) {
		i := instr{op: m[2], target: -1}
		i.pc, _ = strconv.Atoi(m[1])
		if m[3] != "" {
			i.target, _ = strconv.Atoi(m[3])
		}
		list = append(list, i)
	}
	return list
}

// count returns how many instructions have names that begin with one of the prefixes.
func count(list []instr, prefixes ...string) (n int) {
	for _, i := range list {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(i.op, p) }) {
			n++
		}
	}
	return n
}

// loop returns the instructions of a function's loop.
func loop(t *testing.T, list []instr) []instr {
	t.Helper()
	for at, i := range list {
		if i.target >= 0 && i.target < i.pc {
			from := slices.IndexFunc(list, func(j instr) bool { return j.pc == i.target })
			return list[from : at+1]
		}
	}
	t.Fatalf("no loop in %v", list)
	return nil
}

// TestLoops: phis share registers with their operands, so that a loop needs no moves, and constants are
// made before it.
func TestLoops(t *testing.T) {
	c := newCode(t)
	if l := loop(t, instrs(c.named("sum"))); count(l, "Mov") != 0 {
		t.Errorf("sum moves: %v", l)
	}
	all := instrs(c.named("scale"))
	if l := loop(t, all); count(l, "Const", "Mov") != 0 || count(all, "Mul") != 1 {
		t.Errorf("scale makes constants: %v", all)
	}
}

// TestFused: the address of a field is a part of the load, and operands that the language does not evaluate
// are not loaded.
func TestFused(t *testing.T) {
	c := newCode(t)
	f := c.named("field")
	if list := instrs(f); list[0].op != "Ld64" || list[1].op != "Ret1" {
		t.Errorf("field: %v", list)
	}
	if f.NParam != 1 || f.NResult != 1 {
		t.Errorf("field has %d words of parameters and %d of results", f.NParam, f.NResult)
	}
	if list := instrs(c.named("indices")); count(list, "Ld", "CopyMem") != 0 {
		t.Errorf("indices loads: %v", list)
	}
	// The deferred function sees n. The return assigns n to itself, which is not a store.
	if list := instrs(c.named("named")); count(list, "St") != 1 {
		t.Errorf("named has other stores than n = 1: %v", list)
	}
}

// TestLive: registers that are not used any more are not part of a state.
func TestLive(t *testing.T) {
	f := newCode(t).named("late")
	var live [][]uint16
	for _, i := range instrs(f) {
		if l, ok := f.Live(i.pc); ok {
			live = append(live, l)
		}
	}
	// The parameter is a pointer in register 0 all along; x is live where it is stored.
	if len(live) != 3 || !slices.Equal(live[0], []uint16{1}) || len(live[1]) != 2 || live[1][0] != 1 || !slices.Equal(live[2], live[0]) {
		t.Errorf("live at the accesses: %v\n%s", live, f.Disassemble())
	}
}

// TestCaptures: a closure captures by value the variable that never changes.
func TestCaptures(t *testing.T) {
	c := newCode(t)
	fn := c.prog.Entries[0].Package.SSA.Func("capture")
	c.of(fn)
	closure := fn.AnonFuncs[0]
	for i, v := range closure.FreeVars {
		if got, want := c.k.captures.ByValue(closure, i), v.Name() == "final"; got != want {
			t.Errorf("%s is captured by value: %t, want %t", v.Name(), got, want)
		}
	}
	if f := c.of(closure); f.NCap != 2 || count(instrs(f), "Ld") != 1 {
		t.Errorf("want two words and one load:\n%s", f.Disassemble())
	}
}

// TestInvariants: in the code of all called functions branches lead to instructions, live
// registers are in the frame, once, and positions ascend.
func TestInvariants(t *testing.T) {
	c := newCode(t)
	seen := make(map[*ssa.Function]bool)
	var check func(fn *ssa.Function)
	check = func(fn *ssa.Function) {
		if seen[fn] {
			return
		}
		seen[fn] = true
		c.prog.EnsureBuilt(fn)
		if fn.Blocks == nil {
			return
		}
		f := c.of(fn)
		list := instrs(f)
		starts := make(map[int]bool)
		for _, i := range list {
			starts[i.pc] = true
		}
		for _, i := range list {
			if i.target >= 0 && !starts[i.target] {
				t.Errorf("%s: %d: %s leads to %d, where no instruction begins", fn, i.pc, i.op, i.target)
			}
			l, _ := f.Live(i.pc)
			once := make(map[uint16]bool)
			for _, r := range l {
				if int(r>>1) >= f.Window || once[r>>1] {
					t.Errorf("%s: %d: live %v in a window of %d", fn, i.pc, l, f.Window)
				}
				once[r>>1] = true
			}
		}
		if f.NParam+f.NCap > f.NRegs || f.NRegs > f.Window {
			t.Errorf("%s: %d parameters, %d captured, %d registers, window %d", fn, f.NParam, f.NCap, f.NRegs, f.Window)
		}
		if !slices.IsSortedFunc(f.Pos, func(a, b bytecode.PosEntry) int { return int(a.PC - b.PC) }) {
			t.Errorf("%s: positions are in no order", fn)
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for _, op := range i.Operands(nil) {
					if called, ok := (*op).(*ssa.Function); ok {
						check(called)
					}
				}
			}
		}
	}
	check(c.prog.Entries[0].Func)
	if len(seen) < 200 {
		t.Errorf("only %d functions", len(seen))
	}
}

// TestLikeGc: the compiler corrects differences of package ssa from gc.
func TestLikeGc(t *testing.T) {
	for name, x := range map[string]struct{ src, want string }{
		"moves of phis at the same time": {`
func swap(a, b, n int) (int, int) {
	for range n {
		a, b = b, a
	}
	return a, b
}

func main() { println(swap(1, 2, 3)) }`, "2 1\n"},
		"lengths out of range": {`
func length() int { return -1 }

func main() {
	defer func() { println(recover().(error).Error()) }()
	_ = make([]int, length())
}`, "runtime error: makeslice: len out of range\n"},
		"defer two loops over functions deep": {`
func twice(yield func() bool) { _ = yield() && yield() }

func f() {
	for range twice {
		for range twice {
			defer print(".")
		}
	}
	print("f")
}

func main() { f(); println() }`, "f....\n"},
		"a body that has returned false": {`
func stubborn(yield func() bool) { yield(); yield() }

func main() {
	defer func() { println(recover().(error).Error()) }()
	for range stubborn {
		break
	}
}`, "runtime error: range function continued iteration after function for loop body returned false\n"},
	} {
		m := vmtest.Run(t, "package main\n"+x.src+"\n")
		if got := m.Report().Output(2); got != x.want {
			t.Errorf("%s: prints %q, want %q", name, got, x.want)
		}
	}
}
