package report

import (
	"bytes"
	"cmp"
	"slices"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/trace"
)

// A Line is one line of a bug's schedule, as in the lane diagram, for other forms of drawing.
type Line struct {
	describe.Event        // for the failure of a test, which is not an event, only G and Name are set
	Lane           string // the goroutine's name, or that of the lane of all timers
	Step           int    // counted from 1; 0: not a step
	Kind           string // of the operation, as it is drawn
	What           string // its object, and its result
	Note           string // a remark
	Overwrites     int    // the step of another goroutine whose value it overwrites without having read it; 0: none
	Wrong          bool   // the bug happens here
	Left           string // why the lane diagram leaves the line out; empty: it has the line
}

// outNames are the reasons for leaving out lines, in words.
var outNames = [numOuts]string{internal: "inside a library", folded: "inside a library",
	uninvolved: "of goroutines that share nothing with these", untold: "not shown", afterwards: "until the test has ended"}

// Lines returns the lines of b's schedule, all of them, and the names of its lanes from left to right.
func Lines(b *bug.Bug) (lines []Line, lanes []string) {
	if len(b.Events) == 0 {
		return nil, nil
	}
	rows, left := makeRows(b.Events, b), makeRows(b.Events, b)
	leaveOut(left, b)
	all := make([]bool, len(rows))
	for i := range rows {
		r := &rows[i]
		all[i] = true
		name := r.laneName
		if r.lane == trace.NoGID {
			name = b.G
		}
		r.Effect = shortened(r.Effect, mostWhat)
		lines = append(lines, Line{Event: r.Event, Lane: name, Step: r.step, Kind: r.kind, What: r.what, Note: r.note, Overwrites: r.overwrites,
			Wrong: r.wrong, Left: outNames[left[i].out]})
	}
	for _, c := range columns(rows, all) {
		lanes = append(lanes, c.name)
	}
	return lines, lanes
}

// SortLanes sorts names of lanes: main, its children, their children, and then lanes that are not
// goroutines of the program.
func SortLanes(names []string) {
	path := func(name string) (other int, path []int) {
		path = spawnPath(name)
		if name != "main" && (len(path) == 0 || name[0] != 'g') {
			return 1, nil
		}
		return 0, path
	}
	slices.SortStableFunc(names, func(a, b string) int {
		x, p := path(a)
		y, q := path(b)
		return cmp.Or(x-y, cmp.Compare(len(p), len(q)), slices.Compare(p, q))
	})
}

// FailureKind is the Kind of the Line that is the failure of a test.
const FailureKind = failureKind

// Why explains in a sentence or two how b's schedule leads to b; it may be empty.
func Why(b *bug.Bug) string { return why(b) }

// InputTexts returns the inputs that b needs, each in words.
func InputTexts(b *bug.Bug) (list []string) {
	shown := shownInputs(b.Inputs)
	for i := range shown {
		list = append(list, inputText(&shown[i]))
	}
	return list
}

// BugText returns the whole text about b.
func BugText(paths Paths, b *bug.Bug) string {
	var out bytes.Buffer
	t := &Text{Paths: paths}
	t.bug(&out, b)
	return Printable(out.String())
}

// Search returns the text about the progress of the search that found r's bugs.
func Search(r *explore.Result) string { return search(r) }
