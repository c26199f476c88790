package environment

import (
	"flag"
	"path/filepath"
	"testing"

	"hbcheck.dev/hbcheck/internal/mutation"
)

var (
	mutants = flag.Bool("mutants", false, "execute the tests on each mutant")
	every   = flag.Bool("every", false, "explore with every explorer and all static facts, and execute each program 200 times")
)

// TestMutants takes away one choice of the environment, or one word about what is not tried, at a time.
// Without -mutants it sees only that the fragments are of the present code.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		mutation.Mutant
		test string
	}{
		{mutation.Mutant{Name: "one order", File: "vm/step_order.go", Old: "case n <= maxOrdered && m.tryOrders", New: "case false && m.tryOrders"}, "TestPrograms/maporder"},
		{mutation.Mutant{Name: "one order is not named", File: "vm/step_order.go", Old: "		m.assume(g, MapOrder)\n", New: ""}, "TestPrograms/mapmany"},
		{mutation.Mutant{Name: "starting points are not named", File: "vm/step_order.go", Old: "		m.assume(g, MapStarts)\n", New: ""}, "TestPrograms/mapstarts"},
		{mutation.Mutant{Name: "what is inserted is not visited", File: "vm/step_order.go", Old: "w[orMode/8]&orderMode == orderAll {\n		e, s", New: "false {\n		e, s"}, "TestPrograms/mapinserted"},
		{mutation.Mutant{Name: "a loop may end when entries follow", File: "vm/step_order.go", Old: "orderAll && w[orMust/8] == 0 && w[orMay/8] > 0:", New: "orderAll && w[orMay/8] > 0:"}, "TestPrograms/mapinsertedearly"},
		{mutation.Mutant{Name: "any loop may end early", File: "vm/compile/order.go", Old: "return len(l.early) == 0 || l.exits()", New: "return true"}, "TestOrderMatters"},
		{mutation.Mutant{Name: "slices need not be sorted", File: "vm/compile/order_fold.go", Old: "		if !l.sorted(p) {\n			return false\n		}\n", New: ""}, "TestOrderMatters"},
		{mutation.Mutant{Name: "panics do not count", File: "vm/compile/order.go", Old: "if l.panics || l.effects", New: "if l.effects"}, "TestOrderMatters"},
		{mutation.Mutant{Name: "folds are mixed", File: "vm/compile/order_fold.go", Old: "return a.fold.op == f.op && ", New: "return "}, "TestOrderMatters"},
		{mutation.Mutant{Name: "signals do not arrive", File: "vm/native_signal.go", Old: "r.SetBool(0, !m.auto && n < maxSignals)", New: "r.SetBool(0, false)"}, "TestPrograms/signalbug"},
		{mutation.Mutant{Name: "waiting for a signal is a deadlock", File: "explore/bugs.go", Old: "return g.Signal })", New: "return false })"}, "TestPrograms/signalwait"},
		{mutation.Mutant{Name: "pools keep everything", File: "vm/native_sync.go", Old: "tries := !m.auto && ", New: "tries := false && "}, "TestPrograms/pool"},
		{mutation.Mutant{Name: "waiting for a finalizer is a deadlock", File: "vm/query_assumed.go", Old: "		m.collects = true\n", New: ""}, "TestPrograms/finalizer"},
		{mutation.Mutant{Name: "addresses are not named", File: "vm/link_address.go", Old: "!addressAsNumber(i) || ", New: "true || "}, "TestPrograms/address"},
	} {
		t.Run(x.Name, func(t *testing.T) {
			file, text, ok := x.Source(t, root)
			if !ok || !*mutants {
				return
			}
			if mutation.Kills(t, root, file, text, "./internal/environment", "-short", "-run", x.test) == "" {
				t.Error("no test has noticed")
			}
		})
	}
}
