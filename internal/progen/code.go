package progen

import "fmt"

// mapKeys is the number of keys programs use: 0, 1, ...
const mapKeys = 3

// The reference executes flat code: one list of instructions per function
// body. Besides the statements' own operations, with compound ones
// divided, there are these.
const (
	jump       Op = numOps + iota // to
	jumpIfNot                     // unless l[A] == B, to
	loadTmp                       // tmp = x[B]
	addTmp                        // x[B] = tmp + E
	jumpTmpNot                    // unless tmp == C, to
	condAdd                       // start to wait on cond A
	condWake                      // wait to be notified by cond A
	wlockWait                     // the pending writer waits for readers
	wgWoken                       // a waiter continues
	mapIter                       // start of a range over map A
	mapNext                       // next entry of map A, or to
	printCell                     // append x[B] to the line to print
	printAtom                     // append atom B
	printMap                      // append map A[B]
	printLine                     // append the locals, print
	onceLeave                     // leave once A
	crash                         // an unrecovered panic ends the program
)

type instr struct {
	op      Op
	a, b, c int
	e       Expr
	to      int // jump target; of try operations and once: the target on failure
	fn      int // function started or called
	cases   []kase
	line    int
}

// kase is a select's case in flat code.
type kase struct {
	Case
	to int
}

// compiler flattens a program.
type compiler struct {
	p    *Prog
	code [][]instr
	fn   int // function being compiled
}

// flatten returns the code of p's functions; function 0 is the entry. Lines
// are set by Source, which must have been called.
func flatten(p *Prog) [][]instr {
	c := &compiler{p: p}
	c.function(p.Main)
	return c.code
}

func (c *compiler) function(body []Stmt) int {
	old := c.fn
	c.fn = len(c.code)
	me := c.fn
	c.code = append(c.code, nil)
	c.body(body)
	c.fn = old
	return me
}

func (c *compiler) emit(i instr) int {
	c.code[c.fn] = append(c.code[c.fn], i)
	return len(c.code[c.fn]) - 1
}

func (c *compiler) here() int { return len(c.code[c.fn]) }

// land makes the jump at pc lead here.
func (c *compiler) land(pc int) { c.code[c.fn][pc].to = c.here() }

func (c *compiler) body(list []Stmt) {
	for i := range list {
		c.stmt(&list[i])
	}
}

// branch compiles a statement that has a body for success and one for failure; last, if
// not Nothing, ends the body for success.
func (c *compiler) branch(x *Stmt, at int, last Op) {
	c.body(x.Body)
	if last != Nothing {
		// Source has put it on the line after the body.
		c.emit(instr{op: last, a: x.A, line: -1})
	}
	end := c.emit(instr{op: jump})
	c.land(at)
	c.body(x.Else)
	c.land(end)
}

func (c *compiler) stmt(x *Stmt) {
	i := instr{op: x.Op, a: x.A, b: x.B, c: x.C, e: x.E, line: x.line}
	with := func(op Op) instr { j := i; j.op = op; return j }
	switch x.Op {
	case Add:
		c.emit(with(loadTmp))
		c.emit(with(addTmp))
	case If:
		c.branch(x, c.emit(with(jumpIfNot)), Nothing)
	case Loop:
		for range x.A {
			c.body(x.Body)
		}
	case TryLock:
		c.branch(x, c.emit(i), Unlock)
	case TryRLock:
		c.branch(x, c.emit(i), RUnlock)
	case TryWLock:
		c.branch(x, c.emit(i), WUnlock)
	case AtomCAS:
		c.branch(x, c.emit(i), Nothing)
	case WLock:
		c.emit(i)
		c.emit(with(wlockWait))
	case Wait:
		c.wait(x.A, x.line)
	case WaitWhile:
		top := c.here()
		c.emit(with(loadTmp))
		out := c.emit(with(jumpTmpNot))
		c.wait(x.A, x.line)
		c.emit(instr{op: jump, to: top})
		c.land(out)
	case WgWait:
		c.emit(i)
		c.emit(with(wgWoken))
	case Once:
		i.fn = c.function(x.Body)
		c.emit(i)
	case Go, Call, Defer:
		i.fn = c.function(x.Body)
		c.emit(i)
	case Range:
		top := c.here()
		out := c.emit(i)
		c.body(x.Body)
		c.emit(instr{op: jump, to: top})
		c.land(out)
	case Select:
		c.selectStmt(x, i)
	case MapSum:
		c.emit(with(mapIter))
		top := c.here()
		out := c.emit(with(mapNext))
		c.emit(instr{op: jump, to: top})
		c.land(out)
	case Final:
		for k := range c.p.cells {
			c.emit(instr{op: printCell, b: k, line: x.line})
		}
		for k := range c.p.Atoms {
			c.emit(instr{op: printAtom, b: k, line: x.line})
		}
		for m := range c.p.Maps {
			for k := range mapKeys {
				c.emit(instr{op: printMap, a: m, b: k, line: x.line})
			}
		}
		c.emit(with(printLine))
	case Nothing:
		panic("progen: empty statement")
	default:
		if x.Op >= numOps {
			panic(fmt.Sprintf("progen: no code for operation %d", x.Op))
		}
		c.emit(i)
	}
}

// wait compiles Cond.Wait according to its documentation: it "atomically unlocks
// c.L and suspends execution": the waiter is known to Signal before the unlock.
func (c *compiler) wait(cond, line int) {
	c.emit(instr{op: condAdd, a: cond, line: line})
	c.emit(instr{op: Unlock, a: c.p.Conds[cond], line: line})
	c.emit(instr{op: condWake, a: cond, line: line})
	c.emit(instr{op: Lock, a: c.p.Conds[cond], line: line})
}

func (c *compiler) selectStmt(x *Stmt, i instr) {
	if len(x.Cases) == 1 && x.A == 0 {
		i.line++ // one case alone is that operation, on its own line
	}
	at := c.emit(i)
	var ends []int
	cases := make([]kase, len(x.Cases))
	for k := range x.Cases {
		cases[k] = kase{x.Cases[k], c.here()}
		c.body(x.Cases[k].Body)
		ends = append(ends, c.emit(instr{op: jump}))
	}
	c.code[c.fn][at].cases = cases
	if x.A != 0 {
		c.land(at)
		c.body(x.Body)
	}
	for _, e := range ends {
		c.land(e)
	}
}
