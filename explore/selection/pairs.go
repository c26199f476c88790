package selection

import (
	"strings"

	"hbcheck.dev/hbcheck/load"
)

// maxPairs bounds the pairs of parallel tests of a package that are explored together.
const maxPairs = 8

// Pairs returns the selected entries that consist of two parallel tests which share memory: at most
// maxPairs of a package. left has the number of further pairs of each package.
func Pairs(prog *load.Program, sel Options) (pairs []*load.Entry, left map[string]int) {
	n := make(map[string]int)
	left = make(map[string]int)
	for _, e := range prog.Together() {
		switch {
		case !sel.selects(e):
		case n[e.Path] < maxPairs:
			n[e.Path]++
			pairs = append(pairs, e)
		default:
			left[e.Path]++
		}
	}
	return pairs, left
}

// selects reports whether --run and --skip select e. They select a pair if they select both of its
// tests, or if --run has the plus sign between the names: a user who asks for one test need not
// wait for its pairs.
func (sel *Options) selects(e *load.Entry) bool {
	if e.Beside == nil || sel.Run.namesPairs() {
		return Selected(sel.Run, sel.Skip, e.Name)
	}
	//mutant: one test selects its pairs [test ./explore/selection TestPairsAreFew]: "&&" -> "||"
	return Selected(sel.Run, sel.Skip, e.TestName()) && Selected(sel.Run, sel.Skip, e.Beside.Name)
}

// SelectedIn reports whether to execute the subtest of that name in e.
func SelectedIn(e *load.Entry, run, skip *Filter, name string) bool {
	//mutant: subtests of a pair are those of two tests [test ./explore/selection TestPairsAreFew]: "e.Beside != nil" -> "false"
	if e.Beside != nil && run.namesPairs() {
		_, sub, _ := strings.Cut(name, "/")
		name = e.Name + "/" + sub
	}
	return Selected(run, skip, name)
}

// namesPairs reports whether f has a plus sign, as the names of pairs have.
func (f *Filter) namesPairs() bool { return f != nil && strings.Contains(f.text, `\+`) }

// withPairs returns the entries with the pairs of each package after the package's last entry.
func withPairs(entries, pairs []*load.Entry) (all []*load.Entry) {
	last := make(map[string]int)
	for i, e := range entries {
		last[e.Path] = i
	}
	for i, e := range entries {
		all = append(all, e)
		for _, p := range pairs {
			if last[e.Path] == i && p.Path == e.Path {
				all = append(all, p)
			}
		}
	}
	return all
}
