package symbolic

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTrouble: programs that die, write nonsense, are silent or give wrong answers change no answer, and
// their fault is reported.
func TestTrouble(t *testing.T) {
	for _, test := range []struct {
		name, script, trouble string
		wrong                 bool
	}{
		{"dies", "exit 3", "has ended", false},
		{"dies after the first answer", "read -r line; echo sat; exit 3", "has ended", false},
		{"nonsense", "while read -r line; do echo '(error \"what?\")'; done", "unexpected answer of the solver: (error", false},
		{"unbalanced", "while read -r line; do echo '((sat'; done", "does not answer", false},
		{"floods", "while :; do echo '(((((((((((((((((((((((((((((((((((((((((('; done", "solver: ", false},
		{"silent", "while read -r line; do :; done", "does not answer", false},
		{"deaf", "exec sleep 100", "does not answer", false},
		{"no model", "while read -r line; do case $line in *check-sat*) echo sat;; *get-value*) echo '((v1 what))';; esac; done", "unexpected model", false},
		{"lies", "while read -r line; do case $line in *check-sat*) echo sat;; *get-value*) echo '((v1 #x00) (v2 #x00))';; esac; done", "answers are wrong", true},
		{"says no", "while read -r line; do case $line in *check-sat*) echo unsat;; esac; done", "answers are wrong", false},
		{"does not know", "while read -r line; do case $line in *check-sat*) echo unknown;; esac; done", "", false},
		{"does not exist", "", "no such file", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "solver")
			if test.script != "" {
				if err := os.WriteFile(program, []byte("#!/bin/sh\n"+test.script+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			c := NewContext()
			pipe := newSMT(c, program, 1)
			pipe.patience = 300 * time.Millisecond
			if test.trouble != "does not answer" {
				pipe.patience = time.Minute
			}
			s := newSolver(c, pipe, newBlaster(c, 1<<30))
			defer s.Close()
			x, y := c.Var(1, 8, "x"), c.Var(2, 8, "y")
			product := c.Mul(x, y)
			for k := range uint64(2 * mostFailures) {
				s.Push()
				s.Assert(c.LtU(c.Const(8, 1), x))
				s.Assert(c.LtU(x, c.Const(8, 16)))
				s.Assert(c.LtU(y, c.Const(8, 16)))
				want := Sat
				if k%2 == 1 {
					s.Assert(c.LtU(x, y))
					s.Assert(c.LtU(y, x))
					want = Unsat
				}
				if got := s.Check(c.Eq(product, c.Const(8, 2*k+6))); got != want {
					t.Errorf("check %d: %v, want %v", k, got, want)
				}
				s.Pop()
			}
			stats := s.Stats()
			if got := stats.Layers[0].Trouble; (got == "") != (test.trouble == "") || !strings.Contains(got, test.trouble) {
				t.Errorf("said to be wrong: %q, want %q", got, test.trouble)
			}
			if (stats.Layers[0].Wrong > 0) != test.wrong {
				t.Errorf("%d wrong models", stats.Layers[0].Wrong)
			}
		})
	}
}
