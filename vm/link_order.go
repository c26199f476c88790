package vm

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/static/observable"
)

// Ordered reports whether the order in which the loop visits the entries of a map is a choice.
func (k *linker) Ordered(r *ssa.Range) bool {
	ordered, ok := k.ordered[r]
	if !ok {
		ordered = k.orderMatters(r)
		k.ordered[r] = ordered
	}
	return ordered
}

// ReadsOutput reports whether the program may read its own output or log.
func (k *linker) ReadsOutput() bool { return k.variables.ReadsOutput() }

// Clocked reports whether the operations of fn on times matter: comparisons, and conversions to
// numbers. In the standard library they do not.
func (k *linker) Clocked(fn *ssa.Function) bool {
	return k.clockUsed && !k.m.cfg.Run && !k.prog.InLibrary(original(fn))
}

// Puns reports whether to check the types that pointers get in fn, and whether fn may move the
// pointers. Package sync/atomic returns pointers with their original types.
func (k *linker) Puns(fn *ssa.Function) (check, walks bool) {
	if !k.clockUsed || k.m.cfg.Run || k.m.cfg.AbsoluteTime {
		return false, false
	}
	p := k.prog.PackageOf(original(fn))
	if p == nil {
		return true, true
	}
	return p.Path != "sync/atomic", !p.Std
}

// showsOrder has the packages of the standard library that reveal the order of a map: to a function
// they call, or by the order in which they wake other goroutines. The other packages sort the entries that
// they collect from a map, search for an entry, or copy the map.
var showsOrder = map[string]bool{"maps": true, "context": true, "os/signal": true, "text/template": true, "html/template": true,
	"net/http": true, "net/http/internal/http2": true, "database/sql": true, "encoding/gob": true, "go/ast": true, "encoding/json/v2": true}

// hidesOrder has functions of these packages that do not reveal the order: they sort the collected entries
// by key, or treat each entry separately, or copy the map, entry by entry. mutant: headers are sorted in
// vain [env TestPrograms/httpheader]: "\"(net/http.Header).sortedKeyValues\": true, " -> "" mutant:
// templates' functions have an order [env TestPrograms/templatefuncs]: "\"text/template.hbAdd\": true, " ->
// "" mutant: copies of headers have an order [env TestPrograms/httpheader]: " \"(net/http.Header).Clone\":
// true," -> ""
var hidesOrder = map[string]bool{"text/template.hbAdd": true, "(net/http.Header).sortedKeyValues": true, "(net/http.Header).Clone": true,
	"net/http.http2cloneHeader": true, "net/http/internal/http2.cloneHeader": true,
	"text/template.addFuncs": true, "text/template.hbAccepts": true,
	"(*text/template.Template).Clone": true, "encoding/json/v2.makeStructFields": true}

// visitsMaps has the packages whose code visits maps on behalf of its caller. encoding/json/v2 sorts for
// encoding/json, and for other users on request.
var visitsMaps = map[string]bool{"maps": true, "slices": true, "iter": true, "reflect": true, "internal/runtime/maps": true, "sync": true,
	"encoding/json/v2": true}

func (k *linker) orderMatters(r *ssa.Range) bool {
	if k.m.cfg.Run {
		return false
	}
	//mutant: loops that insert have no order [env TestSlots]: false
	if k.m.hasSlots() && observable.Inserts(r, k.bodies) {
		return true // the entries are put into slots one after the other
	}
	p := k.prog.PackageOf(original(r.Parent()))
	if p == nil || p.Std && (!showsOrder[p.Path] || hidesOrder[original(r.Parent()).String()]) {
		return false
	}
	return k.m.cfg.Maps == MapsEvery || observable.OrderMatters(r, k.bodies)
}

// visitOrder is orderOf for the n entries of a sync.Map for which the func value f is called.
// During the initialisation of packages, before a goroutine has been started, f may be a function
// that does not notice the order.
func (m *Machine) visitOrder(g *goroutine, n, f uint64) int {
	//mutant: callbacks are alone [env TestPrograms/syncmapinitmain]: drop 1
	if k := m.link; m.auto && m.alive == 1 && f != 0 && m.cfg.Maps != MapsEvery && !m.hasSlots() {
		if fn, _ := m.closureOf(f); k.bodies(fn) != nil && !observable.VisitMatters(fn, k.bodies) {
			return orderOne
		}
	}
	return m.orderOf(g, n, false)
}

// bodies returns the code of fn, if it is the program's own and is executed as it is. Models of the
// library do more than their code shows.
func (k *linker) bodies(fn *ssa.Function) []*ssa.BasicBlock {
	if p := k.prog.PackageOf(original(fn)); p == nil || p.Std || k.prog.InHarness(original(fn)) {
		return nil
	}
	if _, ok := k.Native(fn); ok {
		return nil
	}
	k.prog.EnsureBuilt(fn)
	return fn.Blocks
}

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
		if p := m.link.prog.PackageOf(original(f.SSA)); p != nil && !(p.Std && visitsMaps[p.Path]) {
			shows, seen = !p.Std || showsOrder[p.Path], true
			return false
		}
		visitors = append(visitors, f.SSA)
		return true
	})
	return (shows || !seen || code && m.hasSlots()) && !sortsKeys(visitors)
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
			return false // another visitor is in between
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
