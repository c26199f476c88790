package load

import "bytes"

// Whether a program can seed the global functions of math/rand decides whether what they return can be
// a sequence that it knows. The standard library does not do it.

// linksSeed reports whether the text of p links to the function that does by its name.
func (p *Package) linksSeed() bool {
	for _, file := range p.files {
		if bytes.Contains(file.src, []byte(" math/rand.Seed\n")) {
			return true
		}
	}
	return false
}

// SeedsRand reports whether a package that is linked for e mentions that function.
func (prog *Program) SeedsRand(e *Entry) bool {
	for _, p := range closure(e.roots) {
		if p.facts.seedsRand {
			return true
		}
	}
	return false
}
