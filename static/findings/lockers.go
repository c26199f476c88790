package findings

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// A lock may be a value of an interface:
//
//	type Mutex interface{ Lock(); Unlock() }
//
// with implementations such as *sync.Mutex, and a type that contains a sync.Mutex and logs. Then all calls on
// a path of a function are of methods of one implementation. A fact says which: its key has the word type.

// lockerOf returns the receiver of a call of a method of an interface with a method Lock; nil if instr is no
// such call.
func lockerOf(instr ssa.Instruction) ssa.Value {
	site, ok := instr.(ssa.CallInstruction)
	if !ok || !site.Common().IsInvoke() {
		return nil
	}
	recv := site.Common().Value
	i, ok := recv.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	for k := range i.NumMethods() {
		if i.Method(k).Name() == "Lock" {
			return recv
		}
	}
	return nil
}

// ofType returns those of states in which instr may call a method with receiver type t, with that fact. Code
// outside of the program has the type nil.
func (f *lockFlow) ofType(instr ssa.Instruction, callees []static.Callee, t types.Type, states []*state) []*state {
	recv := lockerOf(instr)
	if recv == nil {
		return states
	}
	name := f.cond.operand(recv)
	if f.cond.lockers[name] < 2 {
		return states
	}
	key := f.cond.typeKey(name, t)
	return slices.DeleteFunc(states, func(s *state) bool {
		for _, x := range s.facts {
			//mutant: findings: a lock has another type at each call [test ./static/findings TestWant]: " || x.key == key" -> " || true"
			if !strings.HasPrefix(x.key, name+" type ") || x.key == key {
				continue
			}
			// The call graph may not have this method of the other type.
			return slices.ContainsFunc(callees, func(c static.Callee) bool { return f.cond.typeKey(name, c.Recv) == x.key })
		}
		s.facts = with(s.facts, fact{key, true})
		return false
	})
}

// typeKey returns the condition that the interface called name has dynamic type t.
func (c *conditions) typeKey(name string, t types.Type) string {
	s := ""
	if t != nil {
		s = types.TypeString(t, nil)
	}
	n, ok := c.types[s]
	if !ok {
		n = len(c.types)
		c.types[s] = n
	}
	return fmt.Sprintf("%s type t%d", name, n)
}

// movesOn reports whether the iterations of the loop with the given head have different variables called
// name, a path in terms of values that the loop computes. Otherwise it is one variable, and its type stays
// until something is assigned to it.
func (c *conditions) movesOn(head *ssa.BasicBlock, name string) bool {
	return slices.ContainsFunc(c.paths.Values(c.lockerAt[name]), func(v ssa.Value) bool {
		i, ok := v.(ssa.Instruction)
		return ok && head.Dominates(i.Block())
	})
}
