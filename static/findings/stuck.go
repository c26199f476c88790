package findings

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/static/sketch"
)

// Functions that start goroutines are executed on made-up inputs, with random schedules (package sketch).
// Such runs show goroutines that wait forever, panics, and accesses that nothing orders.

const (
	entryRuns   = 300 // runs of each test and main function
	libraryRuns = 40  // runs of each other function that starts goroutines
	sketchSteps = 4000
	// With more than maxGuesses made-up inputs, the inputs of a run probably contradict each other.
	maxGuesses = 16
	// sketchBudget bounds the instructions of all runs together.
	sketchBudget = 6_000_000
)

// A shownAt is a mistake that runs showed at one place.
type shownAt struct {
	code    string
	at      ssa.Instruction
	text    string
	related []Place
	guesses int // the fewest
	runs    int
	order   int
}

// checkStuck executes functions (HBA109, HBA112, HBA201, HBA202, HBA207, HBA208, HBA302, HBA306, HBA401,
// HBA405).
func checkStuck(p *pass) {
	sk := &sketch.Program{Prog: p.Prog, User: p.user, Steps: sketchSteps}
	left := sketchBudget
	entries := map[*ssa.Function]bool{}
	for _, r := range p.Roots {
		if !r.Library {
			entries[r.Fn] = true
		}
	}
	var list []*ssa.Function
	for _, fn := range p.Functions {
		if entries[fn] || p.user(fn) && fn.Parent() == nil && p.concurrent(fn) {
			list = append(list, fn)
		}
	}
	for _, fn := range list {
		if left <= 0 {
			return
		}
		left -= p.sketch(sk, fn, entries[fn])
	}
}

// concurrent reports whether fn itself starts goroutines.
func (p *pass) concurrent(fn *ssa.Function) bool {
	if len(p.startsOf(fn)) > 0 {
		return true
	}
	return slices.ContainsFunc(fn.AnonFuncs, p.concurrent)
}

// sketch executes fn several times, reports mistakes, and returns the number of executed instructions.
func (p *pass) sketch(sk *sketch.Program, fn *ssa.Function, entry bool) int {
	n := libraryRuns
	if entry {
		n = entryRuns
	}
	steps, crashes, clean, whole := 0, 0, 0, entry
	list, sketched := map[string]*shownAt{}, map[string]ssa.Instruction{}
	note := func(x shownAt, guesses int) {
		key := x.code + fmt.Sprintf("%p", x.at)
		old := list[key]
		if old == nil {
			x.guesses, x.order = guesses, len(list)
			list[key] = &x
			old = &x
		}
		old.runs++
		if guesses < old.guesses {
			old.guesses, old.related, old.text = guesses, x.related, x.text
		}
	}
	for seed := range n {
		r := sk.Execute(fn, uint64(seed), whole, !entry)
		if whole && seed == 0 && r.Gaps && r.Alone() { // the package cannot be initialised
			whole = false
			r = sk.Execute(fn, uint64(seed), whole, !entry)
		}
		steps += r.Executed()
		if seed == 8 && r.Alone() && len(list) == 0 {
			break // the function starts no goroutine
		}
		if r.Crash != nil {
			crashes++
			p.crashed(r, note)
		} else if !r.Gaps {
			clean++
		}
		p.blocked(r, entry, note)
		for _, x := range r.Races {
			p.racing(r, x, sketched, note)
		}
		if steps > sketchBudget/20 {
			break
		}
	}
	found := make([]*shownAt, 0, len(list))
	for _, x := range list {
		found = append(found, x)
	}
	slices.SortFunc(found, func(x, y *shownAt) int { return cmp.Compare(x.order, y.order) })
	for _, x := range found {
		c := High
		if x.guesses > 0 {
			c = Medium
		}
		//mutant: findings: inputs that were made up never contradict each other [test ./static/findings TestWant]: "x.guesses > maxGuesses" -> "false"
		if x.guesses > maxGuesses {
			c = Low
		}
		if x.code == "HBA405" && (clean == 0 || x.guesses > 0) {
			continue // the finding does not depend on the order
		}
		if x.code == "HBA401" && p.raceAt[x.at] {
			continue
		}
		p.raceAt[x.at] = p.raceAt[x.at] || x.code == "HBA401"
		p.report(x.code, c, x.at, x.text, x.related...).Entry = fn
	}
	return steps
}

// visible returns the innermost of the places of a goroutine at which findings are shown.
func (p *pass) visible(at ssa.Instruction, chain []ssa.Instruction) ssa.Instruction {
	for _, instr := range append([]ssa.Instruction{at}, chain...) {
		if instr != nil && p.shown(p.pos(instr)) {
			return instr
		}
	}
	return nil
}

var waitsTo = map[sketch.Op]string{
	sketch.LockOp: "lock", sketch.SendOp: "send", sketch.RecvOp: "receive", sketch.SelectOp: "select",
	sketch.JoinOp: "wait for a WaitGroup", sketch.CondOp: "wait for a Cond", sketch.OnceOp: "enter a Once",
}

// blocked reports the goroutines that wait forever at the end of a run.
func (p *pass) blocked(r *sketch.Run, entry bool, note func(shownAt, int)) {
	if len(r.Blocked) == 0 || r.Failed && r.Returned {
		return
	}
	// The most informative first: locks, then channels, then goroutines that wait for others to end.
	rank := map[sketch.Op]int{sketch.LockOp: 0, sketch.OnceOp: 0, sketch.SendOp: 1, sketch.CondOp: 2, sketch.RecvOp: 3, sketch.SelectOp: 4, sketch.JoinOp: 5}
	list := slices.Clone(r.Blocked)
	slices.SortStableFunc(list, func(a, b sketch.Blocked) int { return cmp.Compare(rank[a.Op], rank[b.Op]) })
	locks, others := 0, 0
	root := false
	for _, b := range list {
		if b.Op == sketch.LockOp {
			locks++
		} else {
			others++
		}
		root = root || b.Root
	}
	place := func(b sketch.Blocked) (Place, bool) {
		at := p.visible(b.At, b.Chain)
		if at == nil {
			return Place{}, false
		}
		who := "a goroutine waits here to " + waitsTo[b.Op]
		if b.Root {
			who = b.At.Parent().Name() + " waits here to " + waitsTo[b.Op]
		}
		return p.place(at, who), true
	}
	for i, b := range list {
		at := p.visible(b.At, b.Chain)
		if at == nil {
			continue
		}
		var rel []Place
		for j, o := range list {
			if x, ok := place(o); ok && j != i && len(rel) < 6 {
				rel = append(rel, x)
			}
			if j == i && o.Go != nil {
				rel = append(rel, p.place(o.Go, "the goroutine is started here"))
			}
		}
		for _, h := range b.Holds {
			if p.shown(p.pos(h.At)) {
				rel = append(rel, p.place(h.At, "it holds the lock acquired here"))
			}
		}
		code, text := "", ""
		together := "while others wait for it"
		if !root {
			together = "after the function that started it has returned"
		}
		switch b.Op {
		case sketch.LockOp, sketch.OnceOp:
			code, text = "HBA112", "a goroutine may wait here forever for a lock that is never released: a deadlock"
			if others > 0 {
				code, text = "HBA109", "a goroutine may wait here forever for a lock that another one holds while it waits for something else: a deadlock"
			}
		case sketch.SendOp:
			code, text = "HBA201", "this send may wait forever, "+together+": no goroutine that receives may be left; a buffer or a select ends the wait"
		case sketch.RecvOp:
			code, text = "HBA202", "this receive may wait forever, "+together+": no goroutine that sends or closes may be left"
		case sketch.SelectOp:
			code, text = "HBA207", "this select may wait forever, "+together+": no goroutine may be left that makes a case ready"
		case sketch.JoinOp:
			code, text = "HBA302", "this Wait may never return: on some path Done is called less often than Add counts"
		case sketch.CondOp:
			code, text = "HBA306", "this Cond.Wait may wait forever: the signal may come before it, or wake another goroutine"
		default:
			continue
		}
		if b.Op == sketch.JoinOp && len(list) > 1 {
			continue // the goroutine waits for the others in list
		}
		note(shownAt{code: code, at: at, text: text, related: rel}, r.Guesses)
		if root && (b.Op == sketch.LockOp || b.Op == sketch.SendOp) || locks > 0 {
			return // the others in list wait for this goroutine
		}
		if root && i == 0 {
			return
		}
	}
}

var crashTexts = map[sketch.CrashKind]string{
	sketch.ClosedTwice:     "close of a channel that another goroutine may have closed: a panic",
	sketch.SentClosed:      "send on a channel that another goroutine may have closed: a panic",
	sketch.NilClosed:       "close of a nil channel: a panic",
	sketch.BadUnlock:       "unlock of a lock that is not held: a fatal error",
	sketch.NegativeCounter: "Done more often than Add: a panic",
	sketch.NilUse:          "use of a nil pointer, map or function if this goroutine comes before the one that sets it",
	sketch.OtherPanic:      "a panic if this goroutine comes before another one",
}

// crashed reports a panic.
func (p *pass) crashed(r *sketch.Run, note func(shownAt, int)) {
	at := p.visible(r.Crash.At, r.Crash.Chain)
	if at == nil {
		return
	}
	var code string
	switch r.Crash.Kind {
	case sketch.ClosedTwice, sketch.SentClosed, sketch.NilClosed:
		code = "HBA208"
	case sketch.BadUnlock:
		code = "HBA104"
	case sketch.NegativeCounter:
		code = "HBA302"
	default:
		code = "HBA405"
	}
	if code == "HBA405" && r.Alone() || r.Crash.Kind == sketch.NilClosed && r.Guesses > 0 {
		return
	}
	var rel []Place
	if r.Crash.Go != nil {
		rel = append(rel, p.place(r.Crash.Go, "the goroutine is started here"))
	}
	note(shownAt{code: code, at: at, text: crashTexts[r.Crash.Kind], related: rel}, r.Guesses)
}

// outermost returns the declared function that fn is in.
func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// racing reports a pair of accesses; sketched has the first access of each variable that was reported.
func (p *pass) racing(r *sketch.Run, x sketch.Race, sketched map[string]ssa.Instruction, note func(shownAt, int)) {
	a, b := x.First, x.Second
	if !x.FirstWrite {
		a, b = b, a
	}
	verb := "read"
	if x.FirstWrite && x.SecondWrite {
		verb = "written"
	}
	if !p.shown(p.pos(a)) || p.raceAt[a] || p.raceAt[b] {
		return
	}
	what, class := "memory", ""
	for _, instr := range []ssa.Instruction{b, a} {
		if path, _, ok := p.ownAccess(instr); ok && path != static.Unknown {
			what, class = p.name(path), p.Base.Paths.Class(path)
			if p.raceOf[raceName{outermost(instr.Parent()), what}] {
				return
			}
		}
	}
	if class != "" { // report one race for each variable or field
		//mutant: findings: each access to a variable is news [test ./static/findings TestWant]: "known && first != a" -> "known && first != a && false"
		if first, known := sketched[class]; known && first != a {
			return
		}
		sketched[class] = a
	}
	text := fmt.Sprintf("data race: %s is written here and %s at %s, and nothing orders the two", what, verb, p.line(b))
	if a == b {
		text = fmt.Sprintf("data race: %s is written here by several goroutines, and nothing orders them", what)
	}
	note(shownAt{code: "HBA401", at: a, text: text, related: []Place{p.place(b, "it is "+verb+" here")}}, r.Guesses)
}
