package selection

import "hbcheck.dev/hbcheck/load"

// maxPairs is how many pairs of the parallel tests of a package are explored together.
const maxPairs = 8

// Pairs returns the entries that are two parallel tests which share memory, of those that are
// selected: at most maxPairs of a package. left is how many more a package has.
func Pairs(prog *load.Program, sel Options) (pairs []*load.Entry, left map[string]int) {
	n := make(map[string]int)
	left = make(map[string]int)
	for _, e := range prog.Together() {
		switch {
		case !Selected(sel.Run, sel.Skip, e.Name):
		case n[e.Path] < maxPairs:
			n[e.Path]++
			pairs = append(pairs, e)
		default:
			left[e.Path]++
		}
	}
	return pairs, left
}

// withPairs returns the entries with the pairs of each package after its last one.
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
