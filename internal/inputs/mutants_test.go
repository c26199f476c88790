package inputs

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/mutation"
)

var mutantsFlag = flag.String("mutants", "", "build the mutants whose name contains this (all: every one) and see whether their tests fail")

// mutants are single conditions that are taken away: the test of that name has to notice.
var mutants = []struct{ name, file, old, new, test string }{
	// What is undone.
	{"memory's shadows stay", "vm/symbolic.go", "for len(s.log) > k.log {", "for false {", "Ways"},
	{"the path condition stays", "vm/symbolic.go", "s.path, s.inputs = s.path[:k.path], s.inputs[:k.inputs]", "s.inputs = s.inputs[:k.inputs]", "Ways"},
	{"registers' shadows stay", "vm/symbolic_slow.go", "\tif int(lo) < len(g.shadow) {\n", "\tif false {\n", "Ways"},
	// What is hashed.
	{"the path condition is not in the hash", "vm/symbolic_hash.go", "ws = append(ws, 1<<62, sum[0], sum[1])", "ws = append(ws, 1<<62, 0*sum[0], 0)", "Concurrent"},
	{"registers' terms are not in the hash", "vm/symbolic_hash.go", "ws = append(ws, uint64(i), h[0], h[1])", "ws = append(ws, uint64(i), 0*h[0], 0)", "Named"},
	{"memory's terms are not in the hash", "vm/symbolic_hash.go", "uint64(c.off)<<32|uint64(c.size), h[0], h[1])", "uint64(c.off)<<32|uint64(c.size), 0*h[0], 0)", "Named"},
	// Decisions.
	{"what others have decided is known", "vm/symbolic.go", "s.possible(g, &s.own, g.facts, conds[w])", "s.possible(g, &s.global, nil, conds[w])", "Named"},
	{"outcomes contradict nothing", "vm/symbolic.go", "\tcase symbolic.Unsat:\n\t\ts.m.cut", "\tcase symbolic.Unsat + 10:\n\t\ts.m.cut", "Ways"},
	{"a decision is for the first outcome", "vm/symbolic.go", "k = left[g.choice]\n\tg.choice = 0", "k = left[0]\n\tg.choice = 0", "Sequential"},
	{"what is enumerated is its least value", "vm/symbolic_concrete.go", "v = list[g.choice]\n\tg.choice = 0", "v = list[0]\n\tg.choice = 0", "Ways"},
	{"one value of many is not named", "vm/symbolic_concrete.go", "\t\tm.assume(g, Concretised)\n", "", "Named"},
	{"a value that is made concrete is forgotten", "vm/symbolic_concrete.go", "s.assume(g, s.ctx.Eq(t, s.ctx.Const(t.Width(), v)))", "s.assume(g, s.ctx.Bool(true))", "Named"},
	{"random values have labels beside inputs", "load/program.go", "return p.Path == hbtest })", "return false })", "Refused"},
	// Unwinding.
	{"each frame is unwound anew", "vm/symbolic_unwind.go", "return uint64(g.fn.ID)<<32 | uint64(uint32(g.pc))", "return uint64(g.fn.ID)<<32 | uint64(uint32(g.pc)) | uint64(g.fp)<<48", "Unwind"},
	{"counts are no part of a state", "vm/symbolic_hash.go", "uint64(g.nvars), g.facts.hashOfPlaces())", "uint64(g.nvars))", "Unwind"},
	{"a cut is not named", "vm/query_ending.go", "m.cut.Cause == CutInfeasible {\n\t\treturn \"\"", "m.cut.Cause == CutInfeasible || m.cut.Cause == CutUnwound {\n\t\treturn \"\"", "Unwind"},
	// Terms.
	{"a compare-and-swap succeeds", "vm/symbolic_atomic.go", "store(c.Ite(same, swap, old))", "store(swap)", "Named"},
	{"conversions have no sign", "vm/symbolic_exec.go", "return c.SExt(c.Trunc(x, 8), 64)", "return c.ZExt(c.Trunc(x, 8), 64)", "Sequential"},
	{"32 bits do not wrap", "vm/symbolic_exec.go", "\tcase AddU32:\n\t\treturn narrow(c.Add, 32, false)", "\tcase AddU32:\n\t\treturn c.Add(x, y)", "Named"},
	{"signed comparisons are unsigned", "vm/symbolic_exec.go", "\tcase LtS:\n\t\treturn c.LtS(x, y)", "\tcase LtS:\n\t\treturn c.LtU(x, y)", "Sequential"},
	{"division by zero", "vm/symbolic_exec.go", "\t\t\tif zero {\n\t\t\t\ts.fix(g, C, 0)\n\t\t\t\treturn in\n\t\t\t}\n", "\t\t\t_ = zero\n", "Sequential"},
}

// few are the mutants that are always built.
var few = []string{"the path condition stays", "outcomes contradict nothing", "one value of many is not named"}

// TestMutants: every mutant is one of the present code; those that are built do not pass their tests.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range mutants {
		file, text, ok := (&mutation.Mutant{Name: x.name, File: x.file, Old: x.old, New: x.new}).Source(t, root)
		if !ok {
			continue
		}
		switch *mutantsFlag {
		case "all":
		case "":
			if deep.Quick() || !slices.Contains(few, x.name) {
				continue
			}
		default:
			if !strings.Contains(x.name, *mutantsFlag) {
				continue
			}
		}
		if killer := mutation.Kills(t, root, file, text, "./internal/inputs", "-run", "^Test"+x.test+"$"); killer != "" {
			t.Logf("%s: %s", x.name, killer)
		} else {
			t.Errorf("%s: survives", x.name)
		}
	}
}
