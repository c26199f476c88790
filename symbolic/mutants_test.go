package symbolic

import (
	"flag"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/mutation"
)

var mutantsFlag = flag.String("mutants", "", "build the mutants whose name contains this (all: every one) and see whether their tests fail")

// mutants are conditions that answers rest on, each taken away: the test has to notice.
var mutants = []struct{ name, file, old, new, test string }{
	// Terms.
	{"sums do not wrap", "forward.go", "if carryLo == carryHi && lo&^m == hi&^m {", "if carryLo <= 1 && carryHi <= 1 {", "Terms"},
	{"signed sums do not wrap", "forward.go", "if wrapLow == wrapHigh {", "if wrapLow <= wrapHigh {", "Terms"},
	{"products do not wrap", "forward.go", "hi == 0 && lo <= f.MaxU {", "hi == 0 {", "Terms"},
	{"signed products do not wrap", "forward.go", " || p[i] < f.MinS || p[i] > f.MaxS {", " {", "Terms"},
	{"comparisons are unsigned", "eval.go", "r = truth(sx < sy)", "r = truth(x < y)", "Terms"},
	{"division is unsigned", "eval.go", "r = uint64(sx / sy)", "r = x / y", "Terms"},
	{"remainders have no sign", "eval.go", "r = uint64(sx % sy)", "r = uint64((sx%sy + sy) % sy)", "Terms"},
	{"shifts to the right have no sign", "eval.go", "r = uint64(sx >> min(y, 63))", "r = x >> min(y, 63)", "Terms"},
	{"counts of shifts wrap", "build.go", "return c.Ite(fits, c.shift(op, a, c.Trunc(n, a.width), nil), beyond)", "return c.Ite(fits, c.shift(op, a, c.Trunc(n, a.width), nil), c.shift(op, a, c.Trunc(n, a.width), nil))", "Terms"},
	{"nothing is lost on the left", "build.go", " && a.arg[0].bound.MaxU <= mask(a.width)>>a.arg[1].value:", ":", "Small"},
	{"what is negative is extended by zeros", "build.go", "case a.bound.MinS >= 0: // its sign is 0", "case a.bound.MaxS >= 0:", "Terms"},
	{"division of negative numbers is unsigned", "build.go", "\tcase a.bound.MinS >= 0 && b.bound.MinS >= 0 && a.width > 1:\n\t\treturn c.DivU(a, b)", "\tcase a.bound.MinS >= 0:\n\t\treturn c.DivU(a, b)", "Terms"},
	{"signs do not matter to <", "build.go", "\tcase a.bound.MinS >= 0 && b.bound.MinS >= 0 && a.width > 1:\n\t\treturn c.LtU(a, b)", "\tcase a.bound.MinS >= 0:\n\t\treturn c.LtU(a, b)", "Terms"},
	{"a constant always fits", "build.go", "return apply(t.op, t.width, from, x&mask(from), 0) == x", "return from > 0", "Terms"},
	{"widths are not part of a structure", "term.go", "k := key{op: op, width: width, value: value}", "k := key{op: op, value: value}", "Terms"},
	{"ranges of two signs", "range.go", "case r.MaxU < half || r.MinU >= half:", "case r.MaxU < half || r.MaxU >= half:", "Terms"},
	{"arguments in the order of their numbers", "build.go", "\tif before(b, a) {", "\tif b.op != OpConst && (a.op == OpConst || b.id < a.id) {", "Intern"},
	// Scopes and what is remembered.
	{"the cache forgets scopes", "solver.go", "s.sums[len(s.stack)].plus(t.hash))", "t.hash)", "Brute"},
	{"scopes stay in the sum", "solver.go", "s.sums[:s.marks[n]+1]", "append(s.sums[:s.marks[n]], s.sums[len(s.sums)-1])", "Brute"},
	{"what a scope had is there for good", "solver.go", "\t\ts.on[t.id] = false\n", "\t\t_ = t\n", "Brute"},
	{"assumptions stay", "solver.go", "\tdefer s.Pop()\n\tfor _, t := range assumed {", "\tfor _, t := range assumed {", "Brute"},
	{"the model of the stack does for all", "solver.go", "&& s.c.Holds(known.values(), assumed...)", "", "Brute"},
	{"parts have no variables in common", "solver.go", "\t\t\tcase into < 0:\n\t\t\t\tinto = p\n", "\t\t\tcase true:\n\t\t\t\tinto = p\n", "Brute"},
	{"one part is enough", "solver.go", "\t\tcase a.result == Unsat:\n\t\t\treturn a\n", "", "Brute"},
	{"all conditions are common", "least.go", "path[n] == s.path[n] {", "true {", "Align"},
	{"models are believed", "solver.go", "if r == Sat && !s.c.Holds(m, set...) {", "if false {", "Trouble"},
	// The built-in layer.
	{"propagation knows no sign", "arith.go", "case op == OpLtS:", "case op == OpLtS && nx.MinS == 0:", "Brute"},
	{"<= is <", "arith.go", "step := truth(holds)", "step := uint64(1)", "Brute"},
	{"what differs is less", "arith.go", "\tif r.MaxU == v {\n\t\tn.MaxU--\n\t}", "\tn.MaxU--", "Brute"},
	{"a few values are all", "arith.go", "\tif size > mostValues {\n\t\tresult = Unknown\n\t}", "", "Layers"},
	{"negation of everything", "arith.go", "\tcase r.MinU > 0:\n", "\tdefault:\n", "Layers"},
	{"a range is undone halfway", "arith.go", "for i := len(a.trail) - 1; i >= n; i-- {", "for i := len(a.trail) - 1; i > n; i-- {", "Brute"},
	{"one order for both signs", "order.go", "\t\tif t.op == lt || t.op == OpEq {\n\t\t\to.compared(a, t)", "\t\tif _, ok := o.where[t.arg[0]]; ok && o.has(t) {\n\t\t\to.compared(a, t)", "Layers"},
	{"sums keep the order", "order.go", "!wraps(ry, k, x.width, lt) && ", "ry.MinU <= ry.MaxU && ", "Layers"},
	{"sums of differences wrap", "order.go", "\tcase x > 0 && y > 0 && s < 0:\n\t\treturn infinite\n", "", "Layers"},
	// Circuits.
	{"circuits compare without signs", "blast.go", "x[last], y[last] = x[last].not(), y[last].not()", "_ = last", "Bits"},
	{"circuits shift by a few bits", "blast.go", "\t\t\tbeyond = b.or(beyond, bit)\n", "", "Bits"},
	{"quotients have no sign", "blast.go", "return b.negate(b.xor(sx, sy), q)", "return q", "Bits"},
	{"no bit more than the divisor", "blast.go", "wide := append(append([]literal(nil), y...), no)\n\tremainder = b.constant(0, n+1)", "wide := append([]literal(nil), y...)\n\tremainder = b.constant(0, n)", "Layers"},
	{"a variable has no sign bit", "blast.go", "uint64(max(r.MaxS, ^r.MinS))) + 1; s <= low", "uint64(max(r.MaxS, ^r.MinS))); s <= low", "Bits"},
	{"7 is 8", "linear.go", "row, carry = b.not(row), yes", "row, carry = b.not(row), no", "Bits"},
	{"what two sums differ by is added", "linear.go", "right.constant = -l.constant & mask(l.width)", "right.constant = l.constant & mask(l.width)", "Bits"},
	{"a sum bit of two", "circuit.go", "f(a^x, b^y, d^z, o^x^y^z^1)", "f(a^x, b^y, d^z, o^x^y^1)", "Bits"},
	{"signs of a carry", "circuit.go", "return c.hashed(gateMajority, a^sign, b^sign, d^sign) ^ sign", "return c.hashed(gateMajority, a^sign, b^sign, d) ^ sign", "Bits"},
	// The search.
	{"conflicts have few literals", "sat_learn.go", "\t\t\t\ta.clause = append(a.clause, l)\n", "\t\t\t\tif len(a.clause) < 4 {\n\t\t\t\t\ta.clause = append(a.clause, l)\n\t\t\t\t}\n", "Problems"},
	{"what has a reason follows", "sat_learn.go", "\t\tif !s.implied(l) {", "\t\tif !s.implied(l) && s.nodes[l.node()].reason == 0 {", "Problems"},
	{"gates are forgotten", "sat.go", "case *glue > 2:", "case *glue != 1:", "Problems"},
	{"forgotten clauses are all", "sat.go", "glue == forgotten || ", "glue == forgotten || glue == 0 || ", "Problems"},
	{"the answer depends on what was asked before", "blast.go", "b.circuit, b.bits = newCircuit(), make(map[*Term][]literal)", "if b.circuit == nil {\n\t\tb.circuit, b.bits = newCircuit(), make(map[*Term][]literal)\n\t}", "Problems"},
	// Pipes.
	{"integers do not wrap", "integers.go", "return low == 0 && high == 0", "return low <= 1 && high <= 1", "Layers z3"},
	{"integers have no sign", "integers.go", "\tcase OpLtU:\n\t\treturn x.MinS >= 0 && y.MinS >= 0\n", "\tcase OpLtU:\n\t\treturn true\n", "Layers z3"},
	{"integers are extended as they are", "integers.go", "\tcase OpZExt:\n\t\treturn x.MinS >= 0\n", "\tcase OpZExt:\n\t\treturn true\n", "Layers z3"},
	{"integers are in half of their range", "integers.go", "number(r.MinS), name, name, number(r.MaxS))", "number(r.MinS/2), name, name, number(r.MaxS/2))", "Layers z3"},
}

// few are the mutants that are always built.
var few = []string{"signed sums do not wrap", "the cache forgets scopes", "circuits compare without signs"}

// TestMutants: every mutant is one of the present code; those that are built do not pass their
// tests.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range mutants {
		file, text, ok := (&mutation.Mutant{Name: x.name, File: "symbolic/" + x.file, Old: x.old, New: x.new}).Source(t, root)
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
		if strings.Contains(x.new, "o.has(") {
			text += "\nfunc (o *order) has(t *Term) bool {\n\t_, ok := o.where[t.arg[1]]\n\treturn ok && t.width == Bool && t.op != OpBoolAnd\n}\n"
		}
		test, program, _ := strings.Cut(x.test, " ")
		if _, err := exec.LookPath(program); program != "" && err != nil {
			t.Logf("%s: no %s", x.name, program)
			continue
		}
		if killer := mutation.Kills(t, root, file, text, "./symbolic", "-run", "^Test"+test+"$"); killer != "" {
			t.Logf("%s: %s", x.name, killer)
		} else {
			t.Errorf("%s: survives", x.name)
		}
	}
}
