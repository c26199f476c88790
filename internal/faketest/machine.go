// Package faketest has a small machine for tests of the code that uses machines: searches, schedules,
// reports.
//
//	f := faketest.New("go 1; join 1; assert x==1", "load x; inc x")
package faketest

import (
	"fmt"
	"go/token"
	"hash/fnv"
	"strings"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A Machine is a describe.Machine whose goroutines are lists of words such as
// "lock a", "read x", "go 1", "fail". Line n of goroutine g is at file.go:100g+n.
type Machine struct {
	bare
	code  [][]string
	State State
	Marks []State
	last  string
	Steps uint64
}

// A State is the state of a Machine, except for its marks.
type State struct {
	pc     [4]int
	on     [4]bool
	reg    [4]int
	vars   [3]int // x, y, z
	locks  [2]int // 1 + owner
	out    string
	Failed string
	Crash  string
	who    int
	over   por.Status
}

// New returns a machine with a goroutine for each code; the first one is main.
func New(code ...string) *Machine {
	f := &Machine{}
	for _, c := range code {
		var lines []string
		for _, l := range strings.Split(c, ";") {
			lines = append(lines, strings.TrimSpace(l))
		}
		f.code = append(f.code, lines)
	}
	f.State.on[0] = true
	return f
}

func (f *Machine) word(g int) (op, arg string) {
	if f.State.pc[g] >= len(f.code[g]) {
		return "end", ""
	}
	op, arg, _ = strings.Cut(f.code[g][f.State.pc[g]], " ")
	return op, arg
}

func (f *Machine) ended(g int) bool { return f.State.pc[g] > len(f.code[g]) }

func (f *Machine) Can(g int) bool {
	op, arg := f.word(g)
	switch {
	case !f.State.on[g] || f.ended(g) || f.State.over != por.Running:
		return false
	case op == "lock":
		return f.State.locks[arg[0]-'a'] == 0
	case op == "await": // until a variable is not 0
		return f.State.vars[arg[0]-'x'] != 0
	case op == "join": // until goroutine has ended
		return f.ended(int(arg[0] - '0'))
	case op == "hang":
		return false
	}
	return true
}

func (f *Machine) Enabled(buf []trace.GID) []trace.GID {
	for g := range f.code {
		if f.Can(g) {
			buf = append(buf, trace.GID(g))
		}
	}
	return buf
}

var fakeKinds = map[string]trace.Kind{"lock": trace.Lock, "unlock": trace.Unlock, "read": trace.Read, "write": trace.Write, "inc": trace.Write,
	"load": trace.AtomicLoad, "store": trace.AtomicStore, "go": trace.Go, "end": trace.End, "await": trace.AtomicLoad, "join": trace.WgWait,
	"print": trace.Output, "choose": trace.Choose, "fail": trace.Output, "panic": trace.Crash, "assert": trace.Output, "hang": trace.Recv,
	"refuse": trace.SyncAccess, "spin": trace.AtomicLoad, "assume": trace.SyncAccess}

func (f *Machine) Next(gid trace.GID) trace.Op {
	g := int(gid)
	op := trace.Op{G: gid, Func: uint32(g), PC: uint32(f.State.pc[g])}
	if !f.State.on[g] || f.ended(g) {
		return op
	}
	word, arg := f.word(g)
	op.Kind = fakeKinds[word]
	if op.Kind.Plain() {
		op.N = 1
		op.Access[0] = trace.Access{Obj: uint32(arg[0] - 'x'), Size: 8, Write: op.Kind == trace.Write}
	}
	return op
}

func (f *Machine) Alternatives(g trace.GID) int {
	if op, arg := f.word(int(g)); op == "choose" {
		return int(arg[0] - '0')
	}
	return 1
}

func (f *Machine) Step(gid trace.GID, choice int) {
	g := int(gid)
	if !f.Can(g) {
		panic("fake: not enabled")
	}
	f.Steps++
	f.last = ""
	op, arg := f.word(g)
	f.State.pc[g]++
	s := &f.State
	switch op {
	case "lock":
		s.locks[arg[0]-'a'] = 1 + g
	case "unlock":
		s.locks[arg[0]-'a'] = 0
	case "read", "load":
		s.reg[g] = s.vars[arg[0]-'x']
		f.last = fmt.Sprintf("= %d", s.reg[g])
	case "write", "store":
		s.vars[arg[0]-'x'] = int(arg[2] - '0')
		f.last = "= " + arg[2:]
	case "inc": // reg+1 into a variable
		s.vars[arg[0]-'x'] = s.reg[g] + 1
		f.last = fmt.Sprintf("= %d", s.reg[g]+1)
	case "go":
		s.on[arg[0]-'0'] = true
		f.last = "→ g" + arg
	case "print":
		s.out += arg
	case "choose":
		s.reg[g] = choice
	case "fail":
		s.Failed, s.who = arg, g
	case "panic":
		s.Crash, s.who, s.over = arg, g, por.Ended
	case "assert": // x==2 else fail
		if s.vars[arg[0]-'x'] != int(arg[3]-'0') {
			s.Failed, s.who = fmt.Sprintf("%s: %c is %d", arg, arg[0], s.vars[arg[0]-'x']), g
		}
	case "spin":
		if s.vars[arg[0]-'x'] == 0 {
			s.pc[g]--
		}
	case "refuse", "assume":
		s.over = por.Cut
		if op == "refuse" {
			s.Crash = arg
		}
	}
}

func (f *Machine) Mark() por.Mark {
	f.Marks = append(f.Marks, f.State)
	return por.Mark(len(f.Marks) - 1)
}

func (f *Machine) Rewind(m por.Mark) {
	if int(m) != len(f.Marks)-1 {
		panic("fake: marks out of order")
	}
	f.State = f.Marks[m]
}

func (f *Machine) Release(m por.Mark) {
	if int(m) != len(f.Marks)-1 {
		panic("fake: marks out of order")
	}
	f.Marks = f.Marks[:m]
}

func (f *Machine) Hash() por.Hash {
	h := fnv.New128a()
	fmt.Fprint(h, f.State)
	var b [16]byte
	h.Sum(b[:0])
	var x por.Hash
	for i := range 8 {
		x[0] = x[0]<<8 | uint64(b[i])
		x[1] = x[1]<<8 | uint64(b[8+i])
	}
	return x
}

func (f *Machine) Status() por.Status {
	if f.State.over != por.Running {
		return f.State.over
	}
	if len(f.Enabled(nil)) > 0 {
		return por.Running
	}
	if len(f.Goroutines()) > 0 {
		return por.Stuck
	}
	return por.Ended
}

func (f *Machine) Name(g trace.GID) string {
	if g == 0 {
		return "main"
	}
	return fmt.Sprintf("g%d", g)
}

func (f *Machine) pos(g int) token.Position {
	return token.Position{Filename: "file.go", Line: 100*g + f.State.pc[g] + 1, Column: 2}
}

func (f *Machine) Describe(g trace.GID) describe.Event {
	_, arg := f.word(int(g))
	name, _, _ := strings.Cut(arg, " ")
	return describe.Event{G: g, Name: f.Name(g), Kind: f.Next(g).Kind, What: name, Func: f.fn(int(g)), Pos: f.pos(int(g))}
}

func (f *Machine) fn(g int) string { return fmt.Sprintf("example.com/fake.f%d", g) }

func (f *Machine) Effect() string { return f.last }

func (f *Machine) Goroutines() (gs []describe.Goroutine) {
	if f.State.over == por.Ended {
		return nil
	}
	for g := range f.code {
		if !f.State.on[g] || f.ended(g) {
			continue
		}
		x := describe.Goroutine{ID: trace.GID(g), Name: f.Name(trace.GID(g)), Parent: trace.NoGID, Stack: []describe.Frame{{Func: f.fn(g), Pos: f.pos(g)}}}
		if g > 0 {
			x.Parent = 0
			for i, w := range f.code[0] {
				if w == fmt.Sprintf("go %d", g) {
					x.Created = []describe.Frame{{Func: f.fn(0), Pos: token.Position{Filename: "file.go", Line: i + 1, Column: 2}}}
				}
			}
		}
		if op, arg := f.word(g); !f.Can(g) {
			x.For, x.On = op, arg
			if op == "lock" {
				x.For = "sync.Mutex.Lock"
				x.Holders = []trace.GID{trace.GID(f.State.locks[arg[0]-'a'] - 1)}
			}
		}
		gs = append(gs, x)
	}
	return gs
}

func (f *Machine) Ending() describe.Ending {
	e := describe.Ending{Text: "exit 0", Output: []byte(f.State.out)}
	pos := func() token.Position { p := f.pos(f.State.who); p.Line--; return p }
	switch {
	case f.State.over == por.Cut:
		e.Unsupported = f.State.Crash
	case f.State.Crash != "":
		e.Text = "panic: " + f.State.Crash
		e.Fault = &describe.Fault{Kind: vm.GoPanic, Message: f.State.Crash, Pos: pos(), G: trace.GID(f.State.who)}
	case f.State.Failed != "":
		e.Text = "exit 1"
		e.Failure = &describe.Fault{Kind: vm.TestFailure, Message: f.State.Failed, Pos: token.Position{Filename: "file.go", Line: 1 + 100*f.State.who}, G: trace.GID(f.State.who)}
	}
	return e
}

func (f *Machine) Counters() describe.Counters {
	return describe.Counters{Instructions: f.Steps, Goroutines: len(f.code)}
}

// Schedule returns the schedule of events as "main*2 g1*3".
func Schedule(events []describe.Event) string {
	var parts []string
	for i := 0; i < len(events); {
		if events[i].Blocked {
			i++
			continue
		}
		n, name := 0, events[i].Name
		for i < len(events) && (events[i].Name == name || events[i].Blocked) {
			if !events[i].Blocked {
				n++
			}
			i++
		}
		parts = append(parts, fmt.Sprintf("%s*%d", name, n))
	}
	return strings.Join(parts, " ")
}

var _ describe.Machine = (*Machine)(nil)

// Pending returns the next operation of goroutine g.
func (f *Machine) Pending(g int) string {
	op, arg := f.word(g)
	return op + " " + arg
}

// Take executes the next operation.
func (f *Machine) Take(g int) trace.Step {
	f.Step(trace.GID(g), 0)
	return trace.Step{G: trace.GID(g)}
}
