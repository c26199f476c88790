package ignore

import (
	"errors"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
)

func loadSource(t *testing.T, src string) *load.Program {
	t.Helper()
	name := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	prog, err := load.Load(load.Config{Patterns: []string{name}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

func TestIgnores(t *testing.T) {
	prog := loadSource(t, `package main

func main() {
	//hbcheck:ignore HB003 runs as long as the process
	go func() {}()
	x := 1 //hbcheck:ignore HB002 a statistic
	_ = x
}
`)
	list, err := Comments(prog)
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	file := list[0].Pos.Filename
	at := func(line int) token.Position { return token.Position{Filename: file, Line: line, Column: 1} }
	for _, tt := range []struct {
		bug  bug.Bug
		want int // ignore that accepts it, or -1
	}{
		{bug.Bug{Kind: bug.Leak, Pos: at(99), Related: []describe.Related{{Pos: at(5)}}}, 0},
		{bug.Bug{Kind: bug.Leak, Pos: at(4)}, 0},
		{bug.Bug{Kind: bug.Leak, Pos: at(6)}, -1},
		{bug.Bug{Kind: bug.Race, Pos: at(5)}, -1},
		{bug.Bug{Kind: bug.Race, Pos: at(6)}, 1},
		{bug.Bug{Kind: bug.Race, Pos: token.Position{Filename: "other.go", Line: 6}}, -1},
	} {
		got := -1
		for i, ig := range list {
			if ig.Accepts(&tt.bug) {
				got = i
			}
		}
		if got != tt.want {
			t.Errorf("%v at %v: accepted by %d, want %d", tt.bug.Kind, tt.bug.Pos, got, tt.want)
		}
	}
}

func TestIgnoreErrors(t *testing.T) {
	for text, want := range map[string]bug.Kind{
		"//hbcheck:ignore":             0,
		"//hbcheck:ignore HB999 since": 0,
		"//hbcheck:ignore HB003":       bug.Leak,
	} {
		_, err := Comments(loadSource(t, "package main\n\n"+text+"\nfunc main() {}\n"))
		var bad *Bad
		if !errors.As(err, &bad) || bad.Kind != want || bad.Pos.Line != 3 {
			t.Errorf("%s: error %v, want one with kind %v", text, err, want)
		}
	}
}
