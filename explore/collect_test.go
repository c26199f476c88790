package explore

import "testing"

// TestProgressBugs: progress does not count warnings as bugs.
func TestProgressBugs(t *testing.T) {
	c := &collector{bugs: []*Bug{{Warning: true}, {}, {Warning: true}}}
	if n := c.numErrors(); n != 1 {
		t.Errorf("%d bugs, want 1", n)
	}
}
