package link

import (
	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/static/observable"
)

// Ordered reports whether the order in which the loop visits the entries of a map is a choice.
func (k *Linker) Ordered(r *ssa.Range) bool {
	ordered, ok := k.ordered[r]
	if !ok {
		ordered = k.orderMatters(r)
		k.ordered[r] = ordered
	}
	return ordered
}

// Untried is observable.Untried for the code of the program.
func (k *Linker) Untried(mk *ssa.MakeChan) bool { return observable.Untried(mk, k.bodies) }

// ReadsOutput reports whether the program may read its own output or log.
func (k *Linker) ReadsOutput() bool { return k.variables.ReadsOutput() }

// Clocked reports whether the operations of fn on times matter: comparisons, and conversions to numbers. In
// the standard library these operations do not matter.
func (k *Linker) Clocked(fn *ssa.Function) bool {
	return k.options.Clock && !k.options.Run && !k.prog.InLibrary(original(fn))
}

// Puns reports whether to check the types that pointers get in fn, and whether fn may move the
// pointers. Package sync/atomic returns pointers with their original types.
func (k *Linker) Puns(fn *ssa.Function) (check, walks bool) {
	if !k.options.Clock || k.options.Run || !k.options.Shifted {
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
// by key, or treat each entry separately, or copy the map, entry by entry.
//
// mutant: headers are sorted in vain [env TestPrograms/httpheader]: "\"(net/http.Header).sortedKeyValues\": true, " -> ""
// mutant: templates' functions have an order [env TestPrograms/templatefuncs]: "\"text/template.hbAdd\": true, " -> ""
// mutant: copies of headers have an order [env TestPrograms/httpheader]: " \"(net/http.Header).Clone\": true," -> ""
var hidesOrder = map[string]bool{"text/template.hbAdd": true, "(net/http.Header).sortedKeyValues": true, "(net/http.Header).Clone": true,
	"net/http.http2cloneHeader": true, "net/http/internal/http2.cloneHeader": true,
	"text/template.addFuncs": true, "text/template.hbAccepts": true,
	"(*text/template.Template).Clone": true, "encoding/json/v2.makeStructFields": true}

func (k *Linker) orderMatters(r *ssa.Range) bool {
	if k.options.Run {
		return false
	}
	//mutant: loops that insert have no order [env TestSlots]: false
	if k.options.Slots && observable.Inserts(r, k.bodies) {
		return true // the entries are put into slots one after the other
	}
	p := k.prog.PackageOf(original(r.Parent()))
	if p == nil || p.Std && (!showsOrder[p.Path] || hidesOrder[original(r.Parent()).String()]) {
		return false
	}
	return k.options.Orders || observable.OrderMatters(r, k.bodies)
}

// bodies returns the code of fn, if it is the program's own and is executed unchanged. Models of
// the library do more than their code shows.
func (k *Linker) bodies(fn *ssa.Function) []*ssa.BasicBlock {
	if p := k.prog.PackageOf(original(fn)); p == nil || p.Std || k.prog.InHarness(original(fn)) {
		return nil
	}
	if _, ok := k.Native(fn); ok {
		return nil
	}
	k.prog.EnsureBuilt(fn)
	return fn.Blocks
}

// VisitMatters reports whether fn, which is called for each entry of a map, may notice their order.
func (k *Linker) VisitMatters(fn *ssa.Function) bool {
	return k.bodies(fn) == nil || observable.VisitMatters(fn, k.bodies)
}

// ShowsOrder reports whether the package of the standard library with that path reveals the order of a map.
func ShowsOrder(path string) bool { return showsOrder[path] }
