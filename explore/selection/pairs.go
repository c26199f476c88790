package selection

import "hbcheck.dev/hbcheck/load"

// maxPairs bounds the pairs of parallel tests of a package that are explored together.
const maxPairs = 8

// Pairs returns the selected entries that consist of two parallel tests which share memory: at most
// maxPairs of a package. left has the number of further pairs of each package.
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
