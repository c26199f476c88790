package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"hbcheck.dev/hbcheck/debug"
	"hbcheck.dev/hbcheck/debug/console"
	"hbcheck.dev/hbcheck/internal/deep"
)

// walked are the transcripts whose bugs TestDebugWalk walks through.
var walked = []string{"deadlock", "race", "leak", "misuse", "choices", "inputs", "spin", "net", "signal", "interactive"}

// recordings explores the programs of a transcript and returns the replay files.
func recordings(t *testing.T, name string) (files []string) {
	ar, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, must(txtar.FS(ar))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	n := 0
	for line := range strings.Lines(string(ar.Comment)) {
		cmd, ok := strings.CutPrefix(strings.TrimSpace(line), "$ hbcheck ")
		cmd = strings.TrimPrefix(strings.TrimPrefix(cmd, "explore "), "-o out ")
		if first, _, _ := strings.Cut(cmd, " "); !ok || strings.ContainsAny(cmd, "$<") || !strings.HasPrefix(first, "-") && !strings.HasSuffix(first, ".go") {
			continue
		}
		n++
		run(append([]string{"explore", "-o", fmt.Sprint("out", n)}, strings.Fields(cmd)...), strings.NewReader(""), io.Discard, io.Discard)
	}
	files, _ = filepath.Glob(filepath.Join(dir, "out*", "*.hbr"))
	return files
}

// shown is everything that a debugger shows at one place.
func shown(s *debug.Session, c *console.Console) string {
	var b strings.Builder
	fmt.Fprintln(&b, c.Where())
	for _, g := range s.Goroutines() {
		fmt.Fprintln(&b, g.Name, c.State(&g), s.Held(g.Name), s.Clocks(g.Name))
		for _, f := range s.Frames(g.ID) {
			fmt.Fprintln(&b, "  ", f.Func, f.Pos, f.Unwound)
			for _, scope := range s.Scopes(&f) {
				for _, v := range scope.List {
					fmt.Fprintln(&b, "    ", scope.Name, v.Name, s.TypeText(v.Value), s.Text(v.Value))
					if scope.Name != "Results" {
						parts(&b, s, &f, v.Name, v.Value, 4)
					}
				}
			}
		}
	}
	return b.String()
}

// parts reports the parts of v whose paths evaluate to another value than the part.
func parts(b *strings.Builder, s *debug.Session, f *debug.Frame, path string, v debug.Value, deep int) {
	for _, c := range s.Children(v, 0, 4) {
		p := debug.PartPath(path, &v, c.Name)
		if p == "" {
			continue
		}
		x, err := s.Eval(f, p)
		if err != nil || s.Text(x) != s.Text(c.Value) {
			fmt.Fprintf(b, "BUG: %s is %s (%v), and as a part %s\n", p, s.Text(x), err, s.Text(c.Value))
		}
		if deep > 1 {
			parts(b, s, f, p, c.Value, deep-1)
		}
	}
}

// TestDebugWalk walks at random through the schedules of bugs of all kinds: each place can be reached, and
// looks the same on every way to it.
func TestDebugWalk(t *testing.T) {
	steps := deep.N(8, 40)
	for i, name := range walked {
		if !deep.Every(18, i) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			files := recordings(t, name)
			if len(files) == 0 {
				t.Fatal("no bugs")
			}
			most := deep.N(1, 2)
			files = files[:min(len(files), most)]
			for i, file := range files {
				walk(t, file, rand.New(rand.NewSource(int64(i))), steps)
			}
		})
	}
}

func walk(t *testing.T, file string, rnd *rand.Rand, steps int) {
	r, err := openFor(file, true)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	s, err := r.session(nil)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var out bytes.Buffer
	c := console.New(s, r.paths, &out)
	seen := make(map[debug.Place]string)
	var way []string
	for range steps {
		commands := []string{"step", "next", "out", "back", "back-step", "back-out", "move", "undo", "move 3", "undo 2", "continue", "reverse-continue", "goto end", "goto start",
			fmt.Sprint("goto ", 1+rnd.Intn(s.Steps()+1)), "choices", "who-waits x", "why", "schedule", "g main", "g g1"}
		cmd := commands[rnd.Intn(len(commands))]
		way = append(way, cmd)
		c.Do(cmd)
		got := shown(s, c)
		if i := strings.Index(got, "BUG:"); i >= 0 {
			t.Fatalf("%s: %s: at %v: %s", file, strings.Join(way, ", "), s.Place(), got[i:])
		}
		switch before, ok := seen[s.Place()]; {
		case !ok:
			seen[s.Place()] = got
		case before != got:
			t.Fatalf("%s: %s: at %v there is\n%s\nand was\n%s", file, strings.Join(way, ", "), s.Place(), got, before)
		}
	}
	if len(seen) < 3 && s.Steps() > 3 {
		t.Errorf("%s: only %d places", file, len(seen))
	}
}
