package findings

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// Branches on the same condition go the same way, as in
//
//	if shared { mu.Lock() }
//	...
//	if shared { mu.Unlock() }
//
// A condition is identified by its operands: values, constants, and loads, by the path that they load from.
// The analysis ignores changes of the memory between two loads, because the paths with such a change are very
// unlikely.

// fact says whether a condition holds.
type fact struct {
	key string
	is  bool
}

// conditions has the names of the conditions of a function.
type conditions struct {
	paths   *static.Paths
	nums    map[ssa.Value]int
	counts  map[string]int // number of branches on the condition
	tracked map[*ssa.Phi]bool
	params  map[string]bool
	// compares has the conditions whose values assignments may determine.
	compares map[string]bool
	equals   map[string]int // comparisons of an operand with constants
	// defined has the blocks that compute the operands of conditions; nil: they do not change in the
	// function.
	defined map[string]*ssa.BasicBlock
	// loads has the blocks that load the values of operands from memory.
	loads map[string]map[*ssa.BasicBlock]bool
	// lockers has the interfaces with a method Lock of which the function calls methods, with the number of
	// calls, the paths of those in memory, and the numbers of their dynamic types.
	lockers  map[string]int
	lockerAt map[string]static.Path
	types    map[string]int
	// uses has, for each block, the operands of conditions that it or a later block needs; nil: not yet known.
	uses []map[string]bool
}

func newConditions(paths *static.Paths, fn *ssa.Function) *conditions {
	c := &conditions{paths, map[ssa.Value]int{}, map[string]int{}, map[*ssa.Phi]bool{}, map[string]bool{}, map[string]bool{}, map[string]int{}, map[string]*ssa.BasicBlock{}, map[string]map[*ssa.BasicBlock]bool{}, map[string]int{}, map[string]static.Path{}, map[string]int{}, nil}
	for _, prm := range fn.Params {
		c.params[c.operand(prm)] = true
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if recv := lockerOf(instr); recv != nil {
				name := c.operand(recv)
				c.lockers[name]++
				if load, ok := recv.(*ssa.UnOp); ok && name[0] == '*' {
					c.lockerAt[name] = c.paths.Of(load.X)
				}
			}
		}
		if key, ok := c.told(b); ok {
			c.counts[key]++
		}
		if br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
			key, _ := c.key(br.Cond)
			c.counts[key]++
			if left, ok := c.equality(br.Cond); ok {
				c.equals[left]++
			}
			c.phisOf(br.Cond)
		}
	}
	return c
}

// told returns the condition that b returns as the last result.
func (c *conditions) told(b *ssa.BasicBlock) (key string, ok bool) {
	r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
	if !ok || len(r.Results) == 0 || !isBool(r.Results[len(r.Results)-1]) {
		return "", false
	}
	key, _ = c.key(result(r, len(r.Results)-1))
	return key, true
}

// phisOf records the phis on which a condition depends.
func (c *conditions) phisOf(v ssa.Value) {
	switch x := v.(type) {
	case *ssa.Phi:
		if c.tracked[x] {
			return
		}
		c.tracked[x] = true
		for _, e := range x.Edges { // a flag of a loop is a phi at its head, and another one where it is set
			//mutant: findings: a flag that is set in a loop is unknown [test ./static/findings TestWant]: "ok {" -> "ok && false {"
			if y, ok := e.(*ssa.Phi); ok {
				c.phisOf(y)
			}
		}
	case *ssa.UnOp:
		if x.Op == token.NOT {
			c.phisOf(x.X)
		}
	case *ssa.BinOp:
		c.phisOf(x.X)
		c.phisOf(x.Y)
	}
}

// wanted reports whether a branch on key is worth remembering.
func (c *conditions) wanted(key string) bool {
	left, _, ok := strings.Cut(key, " == ")
	return c.counts[key] > 1 || c.compares[key] || ok && c.equals[left] > 1
}

// equality returns the operand that condition v compares with a constant other than nil.
func (c *conditions) equality(v ssa.Value) (left string, ok bool) {
	x, isBin := v.(*ssa.BinOp)
	if !isBin || x.Op != token.EQL && x.Op != token.NEQ {
		return "", false
	}
	k, isConst := x.Y.(*ssa.Const)
	return c.operand(x.X), isConst && k.Value != nil
}

// excluded reports whether v compares an operand with a constant, and by facts it equals another constant.
func (c *conditions) excluded(v ssa.Value, facts []fact) bool {
	left, ok := c.equality(v)
	if !ok {
		return false
	}
	key, _ := c.key(v)
	return slices.ContainsFunc(facts, func(f fact) bool {
		return f.is && f.key != key && strings.HasPrefix(f.key, left+" == ") && f.key != left+" == nil"
	})
}

// needed returns the facts that a branch after the beginning of b may need, and, if params is set, those
// about parameters, which callers want to know. So fewer states have to be distinguished.
func (c *conditions) needed(b *ssa.BasicBlock, facts []fact, params bool) []fact {
	if len(facts) == 0 {
		return facts
	}
	if c.uses == nil {
		c.findUses(b.Parent())
	}
	return slices.DeleteFunc(slices.Clone(facts), func(f fact) bool {
		return !(params && c.params[f.key]) && !slices.ContainsFunc(strings.Fields(f.key), func(word string) bool { return c.uses[b.Index][word] })
	})
}

// findUses computes uses.
func (c *conditions) findUses(fn *ssa.Function) {
	c.uses = make([]map[string]bool, len(fn.Blocks))
	var deferred []string
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if d, ok := instr.(*ssa.Defer); ok && lockerOf(d) != nil {
				deferred = append(deferred, c.operand(lockerOf(d)))
			}
		}
	}
	for i, b := range fn.Blocks {
		own := map[string]bool{}
		c.uses[i] = own
		add := func(key string) {
			for _, word := range strings.Fields(key) {
				if word[0] == 'v' || word[0] == '*' {
					own[word] = true
				}
			}
		}
		if key, ok := c.told(b); ok {
			add(key)
		}
		for _, instr := range b.Instrs {
			switch x := instr.(type) {
			case *ssa.Call:
				if recv := lockerOf(x); recv != nil {
					add(c.operand(recv))
				}
			case *ssa.RunDefers:
				for _, key := range deferred {
					add(key)
				}
			case *ssa.If:
				key, _ := c.key(x.Cond)
				add(key)
			case *ssa.Phi:
				if c.tracked[x] {
					for _, e := range x.Edges {
						add(c.operand(e))
					}
				}
			case *ssa.Store:
				add(c.operand(x.Val))
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range slices.Backward(fn.Blocks) {
			n := len(c.uses[i])
			for _, s := range fn.Blocks[i].Succs {
				for word := range c.uses[s.Index] {
					c.uses[i][word] = true
				}
			}
			changed = changed || len(c.uses[i]) > n
		}
	}
}

// key returns the name of a condition; not is set if v is the negation of the named condition.
func (c *conditions) key(v ssa.Value) (key string, not bool) {
	switch x := v.(type) {
	case *ssa.UnOp:
		if x.Op == token.NOT {
			key, not = c.key(x.X)
			return key, !not
		}
	case *ssa.BinOp:
		op := x.Op
		switch op {
		case token.NEQ:
			op, not = token.EQL, true
		case token.GEQ:
			op, not = token.LSS, true
		case token.GTR:
			op, not = token.LEQ, true
		case token.EQL, token.LSS, token.LEQ:
		default:
			return c.operand(v), false
		}
		return fmt.Sprintf("%s %s %s", c.operand(x.X), op, c.operand(x.Y)), not
	}
	return c.operand(v), false
}

func (c *conditions) operand(v ssa.Value) string {
	switch x := v.(type) {
	case *ssa.Const:
		if x.Value == nil {
			return "nil"
		}
		return x.Value.ExactString()
	case *ssa.UnOp:
		if x.Op == token.MUL {
			if p := c.paths.Of(x.X); p != static.Unknown {
				name := fmt.Sprintf("*%d", p)
				if c.loads[name] == nil {
					c.loads[name] = map[*ssa.BasicBlock]bool{}
				}
				c.loads[name][x.Block()] = true
				if a, ok := x.X.(*ssa.Alloc); ok && assignedOnce(a) {
					c.defined[name] = a.Block()
				}
				return name
			}
		}
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
			return "len " + c.operand(x.Call.Args[0])
		}
	case *ssa.ChangeType:
		return c.operand(x.X)
	}
	n, ok := c.nums[v]
	if !ok {
		n = len(c.nums)
		c.nums[v] = n
	}
	name := fmt.Sprintf("v%d", n)
	if i, ok := v.(ssa.Instruction); ok {
		c.defined[name] = i.Block()
	} else {
		c.defined[name] = nil
	}
	return name
}

// assignedOnce reports whether variable a has one assignment, and the literals that capture it only read it.
func assignedOnce(a *ssa.Alloc) bool {
	n := 0
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Val == a {
				return false
			}
			n++
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			for k, bound := range r.Bindings {
				//mutant: findings: literals do not assign to captured variables [test ./static/findings TestWant]: "bound == a" -> "bound == a && false"
				if bound == a && slices.ContainsFunc(*r.Fn.(*ssa.Function).FreeVars[k].Referrers(), func(u ssa.Instruction) bool {
					_, isLoad := u.(*ssa.UnOp)
					_, isDebug := u.(*ssa.DebugRef)
					return !isLoad && !isDebug
				}) {
					return false
				}
			}
		default:
			return false
		}
	}
	return n == 1
}

// next returns the facts that still hold in the next iteration of the loop with the given head: those about
// values computed or loaded before the loop.
func (c *conditions) next(head *ssa.BasicBlock, facts []fact) []fact {
	return slices.DeleteFunc(slices.Clone(facts), func(f fact) bool {
		if name, _, ok := strings.Cut(f.key, " type "); ok && name[0] == '*' {
			return c.movesOn(head, name)
		}
		return slices.ContainsFunc(strings.Fields(f.key), func(word string) bool {
			at, known := c.defined[word]
			//mutant: findings: an iteration does not compute anything anew [test ./static/findings TestWant]: "at != nil && head.Dominates(at)" -> "at != nil && head == nil"
			//mutant: findings: a value that was loaded before a loop changes in it [test ./static/findings TestWant]: "c.loadedFrom(head, word)" -> "true"
			return known && at != nil && head.Dominates(at) || !known && (word[0] == '*' && c.loadedFrom(head, word) || word == "len")
		})
	})
}

// loadedFrom reports whether a block from head on loads the value of an operand.
func (c *conditions) loadedFrom(head *ssa.BasicBlock, name string) bool {
	for b := range c.loads[name] {
		if head.Dominates(b) {
			return true
		}
	}
	return false
}

// decided returns whether a condition on constants holds.
func decided(v ssa.Value) (is, ok bool) {
	if k, isConst := v.(*ssa.Const); isConst && k.Value != nil && k.Value.Kind() == constant.Bool {
		return constant.BoolVal(k.Value), true
	}
	return false, false
}

// about returns the facts about v after w has been assigned to it.
func (c *conditions) about(v string, w ssa.Value, facts []fact) (list []fact) {
	if is, ok := decided(w); ok {
		return []fact{{v, is}}
	}
	switch x := w.(type) {
	case *ssa.Const:
		if x.Value == nil && !isBasic(x.Type()) {
			return []fact{{v + " == nil", true}}
		}
	case *ssa.MakeInterface, *ssa.Alloc, *ssa.MakeClosure, *ssa.MakeChan, *ssa.MakeMap, *ssa.FieldAddr, *ssa.Function:
		return []fact{{v + " == nil", false}}
	}
	old := c.operand(w)
	for _, f := range facts {
		switch f.key {
		case old:
			list = append(list, fact{v, f.is})
		case old + " == nil":
			list = append(list, fact{v + " == nil", f.is})
		}
	}
	return list
}

func isBasic(t types.Type) bool { _, ok := t.Underlying().(*types.Basic); return ok }

// with returns facts with f in place of earlier facts about the same condition.
func with(facts []fact, f fact) []fact {
	list := make([]fact, 0, len(facts)+1)
	for _, x := range facts {
		if x.key != f.key {
			list = append(list, x)
		}
	}
	list = append(list, f)
	slices.SortFunc(list, func(a, b fact) int {
		if a.key < b.key {
			return -1
		}
		if a.key > b.key {
			return 1
		}
		return 0
	})
	return list
}

// known reports whether key holds according to facts.
func known(facts []fact, key string) (is, ok bool) {
	for _, f := range facts {
		if f.key == key {
			return f.is, true
		}
	}
	return false, false
}

// without removes the facts about v.
func without(facts []fact, v string) []fact {
	return slices.DeleteFunc(slices.Clone(facts), func(f fact) bool { return f.key == v || f.key == v+" == nil" || strings.HasPrefix(f.key, v+" type ") })
}

// branch returns the facts on the edge from b to its succ-th successor, and false if the facts rule out
// that edge.
func (c *conditions) branch(b *ssa.BasicBlock, succ int, facts []fact) ([]fact, bool) {
	if br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		if is, ok := decided(br.Cond); ok {
			return facts, is == (succ == 0)
		}
		key, not := c.key(br.Cond)
		is := (succ == 0) != not
		//mutant: branches on one condition are independent [test ./static/findings TestWant]: "was != is" -> "was != was"
		if was, ok := known(facts, key); ok && was != is {
			return facts, false
		}
		//mutant: findings: a value may equal two constants [test ./static/findings TestWant]: "is && c.excluded(br.Cond, facts)" -> "false"
		if is && c.excluded(br.Cond, facts) {
			return facts, false
		}
		//mutant: findings: a switch over all constants has a default [test ./static/findings TestWant]: "!is && c.exhausted(br.Cond, facts)" -> "false"
		if !is && c.exhausted(br.Cond, facts) {
			return facts, false
		}
		if c.params[key] || c.wanted(key) {
			facts = with(facts, fact{key, is})
		}
	}
	to, old := b.Succs[succ], facts
	if to.Dominates(b) {
		//mutant: findings: an iteration forgets all conditions [test ./static/findings TestWant]: "c.next(to, facts)" -> "nil"
		facts = c.next(to, facts)
	}
	from := slices.Index(to.Preds, b)
	for _, instr := range to.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		if !c.tracked[phi] {
			continue
		}
		name := c.operand(phi)
		facts = without(facts, name)
		for _, f := range c.about(name, phi.Edges[from], old) {
			facts = with(facts, f)
		}
	}
	return facts, true
}

// store returns the facts after a store.
func (c *conditions) store(st *ssa.Store, facts []fact) []fact {
	p := c.paths.Of(st.Addr)
	if p == static.Unknown {
		return facts
	}
	name := fmt.Sprintf("*%d", p)
	if c.counts[name] == 0 && c.counts[name+" == nil"] == 0 && c.lockers[name] == 0 {
		return facts
	}
	list := without(facts, name)
	for _, f := range c.about(name, st.Val, facts) {
		list = with(list, f)
	}
	return list
}
