package vm

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/link"
)

// visitsMaps has the packages whose code visits maps on behalf of its caller. encoding/json/v2 sorts for
// encoding/json, and for other users on request.
var visitsMaps = map[string]bool{"maps": true, "slices": true, "iter": true, "reflect": true, "internal/runtime/maps": true, "sync": true,
	"encoding/json/v2": true}

// showsOrder reports whether the loop over a map that g is in reveals the order. The order does not show in
// a library function that sorts, even if its code may depend on it, such as those of fmt and encoding/json,
// nor in slices.Sorted(maps.Keys(m)). If maps have slots, loops of the library that are compiled with an
// order reveal it: they may insert the entries into other maps.
func (m *Machine) showsOrder(g *goroutine, code bool) bool {
	if m.unseen(g) {
		return false
	}
	shows, seen := false, false
	var visitors []*ssa.Function
	m.eachLogicalFrame(g, func(id uint32, pc int32, _ uint32) bool {
		f := m.code(id)
		if id == 0 || f.SSA == nil || f.Wrapper && f.SSA.Synthetic != "" {
			return true
		}
		if p := m.prog.PackageOf(original(f.SSA)); p != nil && !(p.Std && visitsMaps[p.Path]) {
			shows, seen = !p.Std || link.ShowsOrder(p.Path), true
			return false
		}
		visitors = append(visitors, f.SSA)
		return true
	})
	return (shows || !seen || code && m.hasSlots()) && !sortsKeys(visitors)
}

// visitsForItself reports whether g is in a loop over a map of code that does not visit maps on behalf of its
// caller.
func (m *Machine) visitsForItself(g *goroutine) bool {
	if g.Fn.SSA == nil {
		return false
	}
	p := m.prog.PackageOf(original(g.Fn.SSA))
	return p != nil && !(p.Std && visitsMaps[p.Path])
}

// takesForLibrary reports whether g takes an object out of a sync.Pool, called by code that is not the
// reader's own.
func (m *Machine) takesForLibrary(g *goroutine) (takes bool) {
	if g.Fn.SSA == nil || g.Fn.SSA.String() != "(*sync.Pool).Get" {
		return false
	}
	m.eachFrame(g, func(fn *bytecode.Func, _ int32) bool {
		if fn == g.Fn || fn.Wrapper {
			return true
		}
		//mutant: whole calls: pools of the reader return the object put last [test ./internal/progen TestWholeCallsByHand]: "!fn.Own" -> "true"
		takes = !fn.Own
		return false
	})
	return takes
}

// unseen reports whether g is in a loop of text/template, or of html/template, that adds each parsed
// template separately, with a lock for each. Only another goroutine could notice the order of the loop, and
// there is no other one, because packages are being initialised.
func (m *Machine) unseen(g *goroutine) (unseen bool) {
	//mutant: templates are added unseen by others [models TestConfluent/parsed]: "!m.auto && !m.confluent || m.alive > 1" -> "false"
	if !m.auto && !m.confluent || m.alive > 1 || m.hasSlots() {
		return false
	}
	listed := false
	m.eachLogicalFrame(g, func(id uint32, _ int32, _ uint32) bool {
		f := m.code(id)
		if id == 0 || f.SSA == nil || f.Wrapper && f.SSA.Synthetic != "" {
			return true
		}
		switch f.SSA.String() {
		case "(*text/template.Template).Templates":
			listed = true
			return true
		case "(*text/template.Template).Parse":
			unseen = !listed
		case "(*html/template.Template).Parse", "(*html/template.Template).Clone":
			unseen = listed
		}
		return false
	})
	return unseen
}

// sortsKeys reports whether these are the frames of slices.Sorted(maps.Keys(m)), or of its values,
// with elements that are indistinguishable if equal.
func sortsKeys(frames []*ssa.Function) bool {
	want := []string{"slices.AppendSeq", "slices.Collect", "slices.Sorted"}
	i := 0
	for _, fn := range frames {
		if fn = original(fn); i < len(want) && fn.String() == want[i] {
			i++
		} else if fn.Parent() == nil {
			return false // there is another visitor in between
		}
	}
	if i < len(want) {
		return false
	}
	args := frames[len(frames)-1].TypeArgs()
	if len(args) != 1 {
		return false
	}
	b, ok := args[0].Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsString) != 0
}

// hasSlots reports whether maps have slots: see package orders.
// mutant: the order of insertion is that of slots [env TestSlots/TestDeleted]: drop 2
func (m *Machine) hasSlots() bool { return m.cfg.InTurn && m.cfg.Maps != MapsInsertion }
