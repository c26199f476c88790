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

// traced are small programs whose transcripts are kept, and the explorers that are traced.
var traced = []struct {
	name      string
	explorers []string
	prog      [][]toys.Instr
}{
	// Two stores and two loads, three classes (the store buffer of the litmus tests).
	{"storebuffer", []string{"full", "jpf", "optimal", "source", "clockvector", "graph"}, [][]toys.Instr{
		{{Op: toys.Go, A: 1}, {Op: toys.Store, A: 0, B: 1}, {Op: toys.Load, A: 1}},
		{{Op: toys.Store, A: 1, B: 1}, {Op: toys.Load, A: 0}},
	}},
	// Two races that have nothing to do with each other, one of them in a critical section: four classes.
	{"races", []string{"optimal", "source"}, [][]toys.Instr{
		{{Op: toys.Go, A: 1}, {Op: toys.Go, A: 2}, {Op: toys.Store, A: 0, B: 1}},
		{{Op: toys.Store, A: 1, B: 1}, {Op: toys.Load, A: 0}},
		{{Op: toys.Lock}, {Op: toys.Load, A: 1}, {Op: toys.Unlock}},
	}},
	// x is read after both orders of a race that has nothing to do with x: one of them is refused.
	{"refused", []string{"optimal"}, [][]toys.Instr{
		{{Op: toys.Go, A: 1}, {Op: toys.Go, A: 2}, {Op: toys.Go, A: 3}, {Op: toys.Store, A: 0, B: 1}},
		{{Op: toys.Store, A: 1, B: 1}},
		{{Op: toys.Load, A: 1}},
		{{Op: toys.Load, A: 0}},
	}},
	// Two critical sections: x is disabled after the other lock, and chosen again.
	{"locks", []string{"optimal", "source"}, [][]toys.Instr{
		{{Op: toys.Go, A: 1}, {Op: toys.Lock}, {Op: toys.Write, A: 0, B: 1}, {Op: toys.Unlock}},
		{{Op: toys.Lock}, {Op: toys.Read, A: 0}, {Op: toys.Unlock}},
	}},
}

// objects are the names of a toy's objects, by number.
var objects = []string{"?", "v", "a", "m", "wg", "c"}

// TestTrace: what explorers execute, as transcripts. Tracing a search does not change it.
func TestTrace(t *testing.T) {
	for _, tt := range traced {
		for _, name := range tt.explorers {
			toy := toys.New(tt.prog...)
			var b strings.Builder
			fmt.Fprintf(&b, "%s\n", toy.Program())
			e := With(name)
			plain := e.Explore(toy, toys.NewFindings(toy), por.Config{})
			traced := e.Explore(toy, toys.NewFindings(toy), por.Config{Trace: &b, Describe: func(op trace.Op) string {
				text := op.Kind.String()
				for _, a := range op.Access[:op.N] {
					text += fmt.Sprintf(" %s%d", objects[a.Obj%uint32(len(objects))], a.Off)
				}
				return text
			}})
			if plain.Executions != traced.Executions || plain.Blocked != traced.Blocked || plain.Transitions != traced.Transitions {
				t.Errorf("%s: %d executions, and %d when it is traced", name, plain.Executions, traced.Executions)
			}
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
