package pointer

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// ownLibrary has the packages of the library that AnalyzeOwn analyses: their functions pass on their
// arguments, or synchronise goroutines.
var ownLibrary = map[string]bool{"bytes": true, "container/heap": true, "container/list": true, "container/ring": true, "context": true,
	"errors": true, "iter": true, "maps": true, "slices": true, "sort": true, "strings": true, "sync": true, "sync/atomic": true,
	"internal/sync": true, "internal/synctest": true, "testing": true, "testing/synctest": true, "time": true, "unique": true, "weak": true,
	"runtime": true, "golang.org/x/sync/errgroup": true, "golang.org/x/sync/semaphore": true, "golang.org/x/sync/singleflight": true}

// leavesOut reports whether fn is one of the functions that AnalyzeOwn does not analyse. Opaque code is among
// them: it may often keep and return all values, and large modules have too many.
func (a *analysis) leavesOut(fn *ssa.Function) bool {
	if !a.own {
		return false
	}
	p := a.prog.PackageOf(fn)
	return p != nil && !p.Main && !ownLibrary[p.Path] && a.model(fn) == nil
}

// leftOut adds the constraints for a function that is not analysed. It calls the functions among its
// arguments, and the methods of interfaces that have some, with all of its arguments; in an analysis with few
// contexts, with arguments that point to nothing.
func (a *analysis) leftOut(inst *instance) {
	var w *external
	if !a.few {
		w = a.external("", inst.fn.String())
	}
	sig := inst.fn.Signature
	for i, t := range params(sig)[1-(len(inst.info.args)-sig.Params().Len()):] {
		if isFunc(t) || types.IsInterface(t) && t.Underlying().(*types.Interface).NumMethods() > 0 {
			if a.few {
				//mutant: functions of other modules call nothing at last [test ./static/pointer TestOwn]: remove
				a.on(inst.arg(i), &calledOutside{})
			} else {
				w.escape(t, inst.arg(i))
			}
		}
	}
	if w != nil {
		//mutant: functions of other modules call nothing [test ./static/pointer TestOwn]: remove
		w.enable(calls)
	}
}

// calledOutside calls functions, and the exported methods of interface values, with arguments that point to
// nothing.
type calledOutside struct{}

func (c *calledOutside) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		o := a.objectOf(n)
		switch {
		case o.fn != nil && !a.policy.NeedsReceiver(o.fn):
			inst := a.instance(o.fn, a.policy.enter(0, nil, false, o.fn, o.made, Origin{}))
			a.link(nil, nil, inst)
			if o.Kind == Closure {
				a.capture(inst, o)
			}
		case o.isBox():
			for sel := range a.prog.SSA.MethodSets.MethodSet(o.Type).Methods() {
				fn := a.prog.SSA.MethodValue(sel)
				if fn == nil || !sel.Obj().Exported() {
					continue
				}
				inst := a.instance(a.resolve(fn), 0)
				a.link(nil, nil, inst)
				a.receiver(inst, o)
			}
		}
	}
}
