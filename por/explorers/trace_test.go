package explorers

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// traced are small programs whose transcripts are kept, with the traced explorers and a description of each
// transcript: quotations and line numbers are of the paper that the explorer's package names.
var traced = []struct {
	name      string
	explorers map[string]string // and the subject of the transcript
	prog      [][]toys.Instr
}{
	// The store buffer of the litmus tests: two stores and two loads, three classes.
	{"storebuffer", map[string]string{
		"full": "Every interleaving: each state with two enabled goroutines is a choice.",
		"jpf":  "A choice where a goroutine is about to synchronise, and none at the end of a goroutine.",
		"optimal": "One execution for each of the three classes. A candidate is a causal prefix of the operation of an " +
			"earlier state (docs/research/optimal.md, line 28).",
		"source": "Lines 6 to 10: a race adds a goroutine that can come first to the backtrack set of the state before " +
			"its first event. Line 18: what has been explored from a state is in its sleep set.",
		"clockvector": "Line 42: \"When a thread start or thread terminate instruction are reached, we perform the same " +
			"actions as JPF's original POR\": all goroutines are in the backtrack set after the start of g1. " +
			"There are no sleep sets, so that one of the three classes is explored twice.",
		"graph": "Algorithm 1: executeDpor walks up from each node to the last one that depends on it, and schedules " +
			"the goroutine there.",
	}, [][]toys.Instr{
		{{Op: toys.Go, A: 1}, {Op: toys.Store, A: 0, B: 1}, {Op: toys.Load, A: 1}},
		{{Op: toys.Store, A: 1, B: 1}, {Op: toys.Load, A: 0}},
	}},
	// A writer of x and two readers, which also read something else: four classes.
	{"readers", map[string]string{
		"source": "The program by which source sets are introduced. After the two starts {g0 g1} is a source set: no " +
			"execution begins with g2 that is not equivalent to one that begins with g0 or g1. A persistent set " +
			"would need all three.",
	}, [][]toys.Instr{
		{{Op: toys.Go, A: 1}, {Op: toys.Go, A: 2}, {Op: toys.Store, A: 0, B: 1}},
		{{Op: toys.Load, A: 1}, {Op: toys.Load, A: 0}},
		{{Op: toys.Load, A: 2}, {Op: toys.Load, A: 0}},
	}},
	// Two stores of the same value.
	{"samewrites", map[string]string{
		"source": "Two classes, for two dependent stores.",
		"context": "One execution: in the state before both the two are found to lead to the same state in either order " +
			"(line 13), so the other order is put to sleep (line 14). It is one of the cases in which that is sound: " +
			"what depends on one of the stores depends on the other.",
	}, [][]toys.Instr{
		{{Op: toys.Go, A: 1}, {Op: toys.Store, A: 0, B: 1}},
		{{Op: toys.Store, A: 0, B: 1}},
	}},
	// Two unrelated races, one of them in a critical section: four classes.
	{"races", map[string]string{
		"optimal": "The four combinations, each once, and nothing else is begun.",
		"source": "Line 18: what has been explored from a state is put to sleep there; lines 15 and 16: it stays so " +
			"until something that depends on it is executed.",
	}, [][]toys.Instr{
		{{Op: toys.Go, A: 1}, {Op: toys.Go, A: 2}, {Op: toys.Store, A: 0, B: 1}},
		{{Op: toys.Store, A: 1, B: 1}, {Op: toys.Load, A: 0}},
		{{Op: toys.Lock}, {Op: toys.Load, A: 1}, {Op: toys.Unlock}},
	}},
	// x is read after both orders of a race that is unrelated to x.
	{"refused", map[string]string{
		"optimal": "A candidate that lacks an event that is in a reversal is refused (docs/research/optimal.md, line 29): it is " +
			"found where that event is executed by default.",
	}, [][]toys.Instr{
		{{Op: toys.Go, A: 1}, {Op: toys.Go, A: 2}, {Op: toys.Go, A: 3}, {Op: toys.Store, A: 0, B: 1}},
		{{Op: toys.Store, A: 1, B: 1}},
		{{Op: toys.Load, A: 1}},
		{{Op: toys.Load, A: 0}},
	}},
	// Two critical sections: each lock is disabled after the other one.
	{"locks", map[string]string{
		"jpf":     "Unlocking needs no choice: nothing that the others can do before it fails to commute with it.",
		"optimal": "A Lock that is disabled after another one is found as a candidate when its goroutine arrives at it.",
		"source": "Not in the paper, whose processes are always enabled: g1's Lock is pending while g0's is executed, " +
			"and is tried in its place.",
	}, [][]toys.Instr{
		{{Op: toys.Go, A: 1}, {Op: toys.Lock}, {Op: toys.Write, A: 0, B: 1}, {Op: toys.Unlock}},
		{{Op: toys.Lock}, {Op: toys.Read, A: 0}, {Op: toys.Unlock}},
	}},
}

// objects are the names of a toy's objects, by number.
var objects = []string{"?", "v", "a", "m", "wg", "c"}

// TestTrace compares transcripts of searches. Tracing a search does not change it.
func TestTrace(t *testing.T) {
	for _, tt := range traced {
		for name, about := range tt.explorers {
			toy := toys.New(tt.prog...)
			var b strings.Builder
			fmt.Fprintf(&b, "%s\n%s\n", comment(about), toy.Program())
			e := With(name)
			plain := e.Explore(toy, toys.NewFindings(toy), por.Config{})
			traced := e.Explore(toy, toys.NewFindings(toy), por.Config{Trace: &b, Describe: func(op trace.Op) string {
				var names []string
				for _, a := range op.Access[:op.N] {
					names = append(names, fmt.Sprint(objects[a.Obj%uint32(len(objects))], a.Off))
				}
				return strings.Join(names, " ")
			}})
			if plain.Executions != traced.Executions || plain.Blocked != traced.Blocked || plain.Transitions != traced.Transitions {
				t.Errorf("%s: %d executions, and %d when it is traced", name, plain.Executions, traced.Executions)
			}
			fmt.Fprintf(&b, "\nexecutions: %d, abandoned: %d\n", traced.Executions, traced.Blocked)
			golden := filepath.Join("testdata", "trace", tt.name+"."+name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("%s of %s: got\n%s\nwant (-update rewrites it)\n%s", name, tt.name, &b, want)
			}
		}
	}
}

// comment breaks text into lines that begin with #.
func comment(text string) string {
	var b strings.Builder
	line := "#"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > 90 {
			b.WriteString(line + "\n")
			line = "#"
		}
		line += " " + word
	}
	return b.String() + line + "\n"
}
