package explorers

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/por/toys"
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
	// Two critical sections: x is disabled after the other lock, and chosen again.
	{"locks", []string{"optimal", "source"}, [][]toys.Instr{
		{{Op: toys.Go, A: 1}, {Op: toys.Lock}, {Op: toys.Write, A: 0, B: 1}, {Op: toys.Unlock}},
		{{Op: toys.Lock}, {Op: toys.Read, A: 0}, {Op: toys.Unlock}},
	}},
}

// TestTrace: what explorers execute, as transcripts. Tracing a search does not change it.
func TestTrace(t *testing.T) {
	for _, tt := range traced {
		for _, name := range tt.explorers {
			toy := toys.New(tt.prog...)
			var b strings.Builder
			fmt.Fprintf(&b, "%s\n", toy.Program())
			e := With(name)
			plain := e.Explore(toy, toys.NewFindings(toy), por.Config{})
			v, cfg := search.Trace(&b, toys.NewFindings(toy), por.Config{})
			traced := e.Explore(toy, v, cfg)
			if plain.Executions != traced.Executions || plain.Blocked != traced.Blocked {
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
