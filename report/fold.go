package report

import (
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
)

// Folding. Most steps of a schedule are in libraries, or in layers of the reader's own code, and
// irrelevant. Consecutive steps of one goroutine inside of one call are one row with the name of the call:
//
//	2  │  ▸●   call  (*Router).Publish (118 steps)   router_test.go:31
//
// unless one of them is relevant: the place of the bug, a step that its explanation names, a value
// that is overwritten. Calls of libraries by the reader's code are always folded. Calls within the
// reader's code are folded only in schedules of more than mostRows rows, and only if no step of the
// call is relevant.

// foldRows replaces rows by rows of calls, and reports whether the calls are known.
func foldRows(rows []row, bug *bug.Bug) bool {
	if bug == nil || len(bug.Calls) == 0 || bug.Loop >= 0 {
		return false
	}
	f := folder{rows, bug}
	f.eachStretch(f.libraries)
	if numDrawn(rows) > mostRows {
		f.eachStretch(func(list []int) { f.own(list, 0) })
	}
	return true
}

// folder folds the rows of a bug.
type folder struct {
	rows []row
	bug  *bug.Bug
}

// eachStretch calls g with the numbers of the rows of each stretch of one goroutine, as far as they
// are drawn.
func (f *folder) eachStretch(g func(list []int)) {
	var list []int
	for i := range f.rows {
		r := &f.rows[i]
		if r.out != drawn {
			continue
		}
		if n := len(list); n > 0 && f.rows[list[n-1]].G != r.G {
			g(list)
			list = nil
		}
		list = append(list, i)
	}
	if len(list) > 0 {
		g(list)
	}
}

// groups calls g for each run of rows with the same call, unless that is -1.
func (f *folder) groups(list []int, call func(i int) int, g func(same []int)) {
	for len(list) > 0 {
		c, n := call(list[0]), 1
		for n < len(list) && call(list[n]) == c {
			n++
		}
		if c >= 0 {
			g(list[:n])
		}
		list = list[n:]
	}
}

// decides reports whether row i has to be drawn as it is.
func (f *folder) decides(i int) bool {
	r := &f.rows[i]
	//mutant: what decides is folded [test ./cmd/hbcheck TestScripts/folded]: "r.decides || " -> ""
	return r.wrong || r.decides || r.overwrites > 0 || r.kind == failureKind || r.Event.Call == 0
}

// path returns the calls of row i, outermost first, as indices into Bug.Calls.
func (f *folder) path(i int) (path []int) {
	for c := f.rows[i].Call - 1; c >= 0 && c < len(f.bug.Calls); c = f.bug.Calls[c].Up {
		path = append(path, c)
	}
	slices.Reverse(path)
	return path
}

// synchronises are the packages whose calls are operations by themselves.
var synchronises = []string{"sync.", "sync/atomic.", "time.", "runtime.", "testing."}

// isOperation reports whether a call is a single operation. Such a call is not folded, because the
// name of the operation says more than that of the call.
func isOperation(callee *bug.Call) bool {
	return callee.Std && slices.ContainsFunc(synchronises, func(p string) bool { return strings.HasPrefix(callee.Func, p) })
}

// library returns the place and the depth of the call from the reader's code into a library that contains
// row i; -1 if there is none, or the row is relevant.
func (f *folder) library(i int) (call, depth int) {
	if f.decides(i) || f.rows[i].Blocked || f.rows[i].calls > 0 {
		return -1, 0
	}
	path := f.path(i)
	for k := len(path) - 1; k >= 0; k-- {
		if !f.bug.Calls[path[k]].Own {
			continue
		}
		if k == len(path)-1 {
			break
		}
		callee := &f.bug.Calls[path[k+1]]
		if isOperation(callee) {
			break
		}
		return path[k], k
	}
	return -1, 0
}

// libraries folds the rows of a stretch that are inside of libraries.
func (f *folder) libraries(list []int) {
	f.groups(list, func(i int) int { call, _ := f.library(i); return call }, func(same []int) {
		_, depth := f.library(same[0])
		f.replace(same, depth)
	})
}

// own folds the rows of a stretch with the same calls up to depth: consecutive rows in one call of the
// reader's code, if none of them is decisive.
func (f *folder) own(list []int, depth int) {
	at := func(i int) int {
		if path := f.path(i); depth < len(path) && f.rows[i].kind != failureKind {
			return path[depth]
		}
		return -1
	}
	f.groups(list, at, func(same []int) {
		if len(same) < 2 {
			return
		}
		if slices.ContainsFunc(same, f.decides) {
			f.own(same, depth+1)
			return
		}
		k := depth
		for f.share(same, k+1) {
			k++
		}
		for ; k >= depth; k-- { // the innermost call by the reader's code that contains all of them
			path := f.path(same[0])
			inside := !slices.ContainsFunc(same, func(i int) bool { return len(f.path(i)) <= k+1 })
			if f.bug.Calls[path[k]].Own && inside && !isOperation(&f.bug.Calls[path[k+1]]) {
				f.replace(same, k)
				return
			}
		}
		f.own(same, depth+1)
	})
}

// share reports whether rows have the same call at depth k.
func (f *folder) share(same []int, k int) bool {
	first := f.path(same[0])
	return k < len(first) && !slices.ContainsFunc(same, func(i int) bool {
		path := f.path(i)
		return k >= len(path) || path[k] != first[k]
	})
}

// replace leaves out some rows of one goroutine that all belong to one call, made at depth, except for the
// first: that becomes the row of the call.
func (f *folder) replace(same []int, depth int) {
	if len(same) < 2 {
		return
	}
	path := f.path(same[0])
	caller, callee := &f.bug.Calls[path[depth]], &f.bug.Calls[path[depth+1]]
	first, n := &f.rows[same[0]], 0
	note := first.note
	for _, i := range same {
		r := &f.rows[i]
		if r.step > 0 {
			n += max(1, r.calls)
			if first.step == 0 {
				first.step = r.step
			}
		}
		r.out = folded
	}
	if first.Blocked {
		note = ""
	}
	if f.rows[same[len(same)-1]].Blocked {
		note = strings.TrimPrefix(note+"; then blocked", "; ")
	}
	first.kind, first.what = "call", callee.Func[strings.LastIndexByte(callee.Func, '/')+1:]
	if callee.Own {
		first.what = describe.ShortFunc(callee.Func)
	}
	first.pos, first.note, first.calls, first.Blocked, first.out = line(caller.Pos), note, n, false, drawn
}
