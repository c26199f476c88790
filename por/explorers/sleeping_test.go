package explorers

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestSleeping: where goroutines sleep, each explorer finds all endings. Time passes when all goroutines
// wait, and a little before that.
func TestSleeping(t *testing.T) {
	allEndings(t, deep.Seeds(t, 60, 3000), 48, toys.Sleeping, nil)
}
