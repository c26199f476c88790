package vm

import (
	"slices"
	"sync"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/link"
	"hbcheck.dev/hbcheck/vm/loops"
	"hbcheck.dev/hbcheck/vm/native"
)

// nativeTables lists the natives of all areas.
var nativeTables = [][]Native{
	machineNatives,
	runtimeNatives,
	bytealgNatives,
	leakNatives,
	computedNatives(),
	fileNatives,
	finalizerNatives,
	effectNatives,
	syncNatives,
	atomicNatives(),
	timeNatives,
	reflectNatives,
	reflectMapNatives,
	reflectTypeNatives,
	reflectCallNatives,
	reflectChanNatives,
	testingNatives,
	choiceNatives,
	linNatives,
	fuzzNatives,
	synctestNatives,
	signalNatives,
	netNatives,
}

// computedNatives returns the natives of package native.
func computedNatives() []Native {
	var list []Native
	for _, f := range native.All() {
		list = append(list, Native{Name: f.Name, Peek: peekUses(f.Uses), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
			f.Fn(m.heap, r.Words)
			return Next
		}})
	}
	return list
}

// peekUses returns the Peek of a native that accesses slices; nil if it accesses none. If the
// native only reads them, calls by trusted code are local work.
func peekUses(uses []native.Slice) func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	if len(uses) == 0 {
		return nil
	}
	writes := slices.ContainsFunc(uses, func(s native.Slice) bool { return s.Write })
	return func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		if g.Fn.Trusted && !writes {
			return 1
		}
		for _, s := range uses {
			n := s.Array
			if n == 0 {
				n = r.U(s.At + 1)
			}
			m.plain(op, r.U(s.At), n*s.Elem, s.Write)
		}
		return 1
	}
}

// machineNatives are the machine's own entry points.
var machineNatives = []Native{
	{Name: "runtime.hbInitDone", Fn: func(m *Machine, g *goroutine, _ Regs) Ctl {
		if m.heap.Based { // an initialiser has started a goroutine
			if m.paused = m.confluent; m.confluent {
				return Stop
			}
			return Next
		}
		m.initDone()
		return Stop
	}},
	{Name: "runtime.hbEntry", Symbolic: true, Makes: entryMakes, Fn: callEntry},
}

// allNatives returns the natives by number, and their numbers.
var allNatives = sync.OnceValues(func() ([]Native, *link.Natives) {
	var list []Native
	numbers := &link.Natives{Numbers: map[string]int{}, Unused: map[int]int{}}
	for _, t := range nativeTables {
		for _, n := range t {
			if _, dup := numbers.Numbers[n.Name]; dup {
				panic("BUG: two natives for " + n.Name)
			}
			numbers.Numbers[n.Name] = len(list)
			n.effect = loops.EffectOf(n.Name)
			list = append(list, n)
			if n.PeekUnused != nil {
				numbers.Unused[len(list)-1] = len(list)
				n.Peek = n.PeekUnused
				list = append(list, n)
			}
		}
	}
	return list, numbers
})

// NativeNames returns the SSA names of all functions that the machine implements, in no particular
// order. Static analyses have a model of each (static/pointer).
func NativeNames() []string {
	var names []string
	for _, t := range nativeTables {
		for _, n := range t {
			names = append(names, n.Name)
		}
	}
	return names
}
