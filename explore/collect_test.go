package explore

import (
	"go/token"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/internal/faketest"
)

// TestProgressBugs: progress does not count warnings as bugs.
func TestProgressBugs(t *testing.T) {
	c := &collector{bugs: []*bug.Bug{{Warning: true}, {}, {Warning: true}}}
	if n := c.numErrors(); n != 1 {
		t.Errorf("%d bugs, want 1", n)
	}
}

// TestSetAside: when a search begins again, bugs that it finds again are its own, and the others are kept.
func TestSetAside(t *testing.T) {
	c := newCollector(nil, new(faketest.Machine), Options{})
	add := func(kind bug.Kind, line int) {
		b := &bug.Bug{Kind: kind, Pos: token.Position{Line: line}}
		c.bugs, c.known[b.Key()] = append(c.bugs, b), true
	}
	accept := func(line int) {
		k := (&bug.Bug{Pos: token.Position{Line: line}}).Key()
		c.baseline, c.known[k] = append(c.baseline, k), true
	}
	add(bug.Race, 1)
	add(bug.Panic, 2)
	accept(7)
	accept(8)
	c.Restart()
	if list := c.found(); len(list) != 2 || c.accepted() != 2 {
		t.Errorf("%d bugs and %d accepted ones after the search began again, want 2 and 2", len(list), c.accepted())
	}
	add(bug.Panic, 2)
	add(bug.Misuse, 3)
	accept(8)
	c.Restart()
	add(bug.Misuse, 3)
	accept(8)
	var lines []int
	for _, b := range c.found() {
		lines = append(lines, b.Pos.Line)
	}
	if !slices.Equal(lines, []int{3, 2, 1}) || c.accepted() != 2 {
		t.Errorf("bugs of lines %v and %d accepted ones, want lines 3, 2, 1, and 2", lines, c.accepted())
	}
}
