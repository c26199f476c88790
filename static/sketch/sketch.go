package sketch

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
)

// A Program has the data that runs need about a program.
type Program struct {
	Prog *load.Program
	// User reports whether fn has a body that is to be executed.
	User func(fn *ssa.Function) bool
	// Steps bounds the instructions of a run.
	Steps int

	natives map[*ssa.Function]*native                       // see nativeOf
	simples map[*ssa.Function]bool                          // see simple
	loops   map[[2]*ssa.BasicBlock]map[*ssa.BasicBlock]bool // see startsIn
}

// Unlikely is the number of inputs as which an unlikely input counts.
const Unlikely = 20

// A Run is one execution of a function.
type Run struct {
	*Program
	Root     *ssa.Function
	Guesses  int       // inputs that were made up and could have other values
	Blocked  []Blocked // when no goroutine can move any more: the waiting goroutines, the root first
	Returned bool      // the root has
	Races    []Race
	Crash    *Crash // the reason why it stopped
	Gaps     bool   // something was executed whose model is imprecise
	Failed   bool   // a test has failed

	rng      *rand.Rand
	gs       []*goroutine
	timers   []*timer
	spent    []*timer // timers that would have continued
	globals  map[*ssa.Global]*obj
	opaques  int
	outsides []*obj
	given    []value      // values that code outside of the run may call or use
	inits    *ssa.Package // the package being initialised
	cleanups []*closure   // of the test
	steps    int
	changes  []int // steps at which the running goroutine gets the least priority
	least    int
	stopped  bool
	shared   bool // other code uses the variables of packages
	walk     bool // each step is made by a random goroutine that can move
	result   value
	fired    int
}

// Blocked is a goroutine that waits forever.
type Blocked struct {
	Root  bool
	At    ssa.Instruction   // the operation that waits
	Chain []ssa.Instruction // the calls that led there, in the goroutine, the innermost first
	Go    ssa.Instruction   // the go statement that started it; nil for the root
	Op    Op
	Holds []Held // locks that the goroutine holds
	For   []ssa.Instruction
}

// Held is a lock that is held.
type Held struct {
	At ssa.Instruction // where it was acquired
}

// An Op is an operation at which a goroutine waits.
type Op uint8

// The operations that wait.
const (
	NoOp Op = iota
	LockOp
	SendOp
	RecvOp
	SelectOp
	JoinOp
	CondOp
	OnceOp
)

// A Crash is a panic that was not recovered, or a fatal error.
type Crash struct {
	At    ssa.Instruction
	Chain []ssa.Instruction
	Kind  CrashKind
	Go    ssa.Instruction
}

// A CrashKind is a kind of mistake.
type CrashKind uint8

// The kinds.
const (
	ClosedTwice CrashKind = iota + 1
	SentClosed
	NilClosed
	BadUnlock
	NegativeCounter
	NilUse
	OtherPanic
)

// goroutine is one of a run.
type goroutine struct {
	id       int
	frames   []*frame
	prio     int
	site     ssa.Instruction // the go statement that started it
	clock    clock
	op       Op // the operation for which it waits, according to the last check
	held     []heldLock
	panicked *panicking
	done     bool
	cond     *condPhase
	// after is called when it ends in any way. ends has the objects that after refers to: the WaitGroup
	// that counts the goroutine.
	after   func()
	calling *ssa.Call // being executed
	ends    value
}

// giveUp ends a run that reaches something that cannot be executed.
type giveUp struct {
	why     string
	forever bool // the run was only too long
}

// Execute executes root once, with a schedule and inputs that depend on seed. If whole is set, root is the
// whole program, so the variables of its package have their initial values. shared is set if other
// functions, which are not part of the run, may use the variables of packages at the same time.
func (p *Program) Execute(root *ssa.Function, seed uint64, whole, shared bool) (r *Run) {
	r = &Run{Program: p, Root: root, rng: rand.New(rand.NewPCG(seed, 17)), globals: map[*ssa.Global]*obj{}, walk: seed%2 == 1, shared: shared}
	for range 1 + r.rng.IntN(3) {
		r.changes = append(r.changes, r.rng.IntN(40))
	}
	defer func() {
		switch x := recover().(type) {
		case nil:
		case giveUp:
			r.Gaps, r.stopped = true, true
			if x.forever {
				r.end()
			}
		default:
			panic(x)
		}
	}()
	g := r.start(nil, nil)
	args := make([]value, len(root.Params))
	for i, prm := range root.Params {
		args[i] = r.parameter(prm)
	}
	r.push(g, root, args, nil, nil)
	if whole && root.Pkg != nil {
		if init := root.Pkg.Func("init"); init != nil {
			r.inits = root.Pkg
			r.push(g, init, nil, nil, nil)
		}
	}
	r.schedule()
	return r
}

// start returns a new goroutine without frames.
func (r *Run) start(by *goroutine, site ssa.Instruction) *goroutine {
	g := &goroutine{id: len(r.gs), site: site, prio: r.rng.IntN(1000) + 1000}
	if by != nil {
		g.clock = append(clock{}, by.clock...)
		by.tick()
	}
	g.tick()
	r.gs = append(r.gs, g)
	if len(r.gs) > 24 {
		panic(giveUp{why: "too many goroutines"})
	}
	return g
}

// schedule executes goroutines until none can move.
func (r *Run) schedule() {
	turns := 0
	for !r.stopped {
		var best *goroutine
		n := 0
		for _, g := range r.gs {
			if g.done || !r.enabled(g) {
				continue
			}
			// Choose a random one, or the one with the highest priority.
			if n++; best == nil || r.walk && r.rng.IntN(n) == 0 || !r.walk && g.prio > best.prio {
				best = g
			}
		}
		if len(r.timers) > 0 && (best == nil || r.rng.IntN(12) == 0) {
			if best != nil || r.fired < 40 {
				r.fire()
				continue
			}
			break
		}
		if best == nil {
			break
		}
		if turns++; !r.walk && slices.Contains(r.changes, turns) || !r.walk && turns > 200 && turns%7 == 0 {
			r.least--
			best.prio = r.least
			continue
		}
		r.step(best)
	}
	r.end()
}

// end records the goroutines that are blocked forever: no goroutine that can still move, no timer and no
// outside code can reach the objects that they wait for.
func (r *Run) end() {
	if r.Crash != nil {
		return
	}
	r.Returned = r.gs[0].done
	live := map[*obj]bool{}
	for _, o := range r.outsides {
		reach(&ptr{o, ""}, live)
	}
	for _, o := range r.globals {
		//mutant: sketch: variables of packages have one user [test ./static/findings TestWant]: "r.shared" -> "false"
		if r.shared {
			reach(&ptr{o, ""}, live)
		}
	}
	reach(r.result, live)
	reach(tuple(r.given), live)
	for _, t := range append(r.spent, r.timers...) {
		if !t.off {
			reach(t.reaches, live)
		}
	}
	moves := make([]bool, len(r.gs))
	for changed := true; changed; {
		changed = false
		for i, g := range r.gs {
			if g.done || moves[i] || !r.enabled(g) && !r.mayWake(g, live, moves) {
				continue
			}
			moves[i], changed = true, true
			//mutant: sketch: the goroutine of WaitGroup.Go has no WaitGroup [test ./static/findings TestWant]: "g.ends" -> "nil"
			reach(g.ends, live)
			for _, fr := range g.frames {
				for _, v := range fr.env {
					reach(v, live)
				}
				for _, d := range fr.defers {
					reach(tuple(append(d.t.args, d.t.bind...)), live)
				}
			}
		}
	}
	for i, g := range r.gs {
		if g.done || moves[i] {
			continue
		}
		r.enabled(g) // for g.op
		b := Blocked{Root: g.id == 0, Go: g.site, Op: g.op, At: r.userAt(g)}
		for i := len(g.frames) - 2; i >= 0; i-- {
			b.Chain = append(b.Chain, g.frames[i].at())
		}
		for _, h := range g.held {
			b.Holds = append(b.Holds, Held{h.at})
		}
		if b.At != nil {
			r.Blocked = append(r.Blocked, b)
		}
	}
}

// userAt returns the instruction at which g is.
func (r *Run) userAt(g *goroutine) ssa.Instruction {
	if len(g.frames) == 0 {
		return nil
	}
	return g.frames[len(g.frames)-1].at()
}

// crash ends the run.
func (r *Run) crash(g *goroutine, k CrashKind) {
	c := &Crash{At: r.userAt(g), Kind: k, Go: g.site}
	for i := len(g.frames) - 2; i >= 0; i-- {
		c.Chain = append(c.Chain, g.frames[i].at())
	}
	r.Crash, r.stopped = c, true
}

func (r *Run) trusted(instr ssa.Instruction) bool { return instr == nil || !r.User(instr.Parent()) }

func (r *Run) count() {
	if r.steps++; r.steps > r.Steps {
		panic(giveUp{fmt.Sprintf("more than %d steps", r.Steps), true})
	}
}

// Executed returns the number of executed instructions.
func (r *Run) Executed() int { return r.steps }

// Alone reports whether there was only one goroutine.
func (r *Run) Alone() bool { return len(r.gs) < 2 }
