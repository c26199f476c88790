package inputs

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm"
)

// TestTargets: of the programs in testdata/benchmarks/inputs each wrong version fails with an input, and each
// right one is explored to the end without a failure.
func TestTargets(t *testing.T) {
	dir, err := filepath.Abs("../../testdata/benchmarks/inputs")
	if err != nil {
		t.Fatal(err)
	}
	prog, err := load.Load(load.Config{Dir: dir, Patterns: []string{"."}, Tests: true, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, e := range prog.Entries {
		if !e.Fuzz || deep.Quick() && strings.HasPrefix(e.Name, "FuzzLimiter") { // most of the time
			continue
		}
		seen++
		entry := explore.Entry{Package: e.Path, Name: e.Name, Source: e, New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, e, vm.Config{Interrupt: interrupted, Races: true})
		}}
		opts := explore.Options{POR: explorer(t, "jpf"), Match: true}
		// json.Valid of Go 1.27 quotes the first wrong rune, which may be in hundreds of ranges of runes.
		large := e.Name == "FuzzNumberRight" && prog.Minor >= 27
		if large {
			opts.MaxExecs = 300
		}
		r, err := explore.Run(context.Background(), entry, opts)
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		switch wrong := strings.HasSuffix(e.Name, "Wrong"); {
		case wrong && (r.Verdict != explore.Fail || len(r.Bugs[0].Inputs) == 0):
			t.Errorf("%s: %s, %v, want a failure with inputs", e.Name, r.Verdict, r.Incomplete)
		case large && (r.Verdict != explore.Incomplete || len(r.Bugs) > 0):
			t.Errorf("%s: %s, %d bugs, want no bug so far", e.Name, r.Verdict, len(r.Bugs))
		case !wrong && !large && r.Verdict != explore.OK:
			t.Errorf("%s: %s, %v, %d bugs", e.Name, r.Verdict, r.Incomplete, len(r.Bugs))
		}
	}
	if seen < 22 {
		t.Errorf("%d fuzz targets", seen)
	}
}

// TestText: runes, their bytes and elements with symbolic indices have the values of the library's source
// and of plain Go, for all inputs. Each function panics if two ways differ; those called bad have a mistake
// that has to be found.
func TestText(t *testing.T) {
	prog := loadPrograms(t, strings.ReplaceAll(`package main

import (
	"strconv"
	"unicode/utf8"

	"hbcheck.dev/hbcheck/hbtest"
)

func text() string { b := hbtest.Nondet[[BYTES]byte](); return string(b[:1+hbtest.Choose(BYTES)]) }

// Range decodes as package utf8 does.
func Range() {
	s := text()
	next := 0
	for i, r := range s {
		want, n := utf8.DecodeRuneInString(s[next:])
		if i != next || r != want { panic("differ") }
		next += n
	}
	if next != len(s) { panic("end") }
}

func badRange() {
	for i, r := range text() { if i == 0 && r >= 0xd7ff && r < 0xe001 { panic("near surrogates") } }
}

// Encode makes the bytes that package utf8 makes.
func Encode() {
	r := hbtest.Nondet[rune]()
	s := string(r)
	if s != string(utf8.AppendRune(nil, r)) { panic("differ") }
	if x := int64(r) - 1<<40; string(rune(x)) != string(rune(int32(r))) { panic("not truncated") }
}

func badEncode() {
	r := hbtest.Nondet[rune]()
	if back, _ := utf8.DecodeRuneInString(string(r)); back != r { panic("no rune") }
}

// A number that has been converted to text is a separate number afterwards.
func Kept() {
	r := hbtest.Nondet[rune]()
	if s := string(r); r < 0 && s != "\uFFFD" || r < 0 && r == 0xfffd { panic("lost") }
}

type pair struct {
	a uint8
	b int32
}

func somePair() any { return pair{hbtest.Nondet[uint8](), hbtest.Nondet[int32]()} }

// Pair loads both fields, and the bytes between them, as one word.
func Pair() {
	p := somePair().(pair)
	q := any(p).(pair)
	if p.a != q.a || p.b != q.b || p != q { panic("differ") }
}

func badPair() {
	if p := somePair().(pair); p.a == 200 && p.b == -70000 { panic("found") }
}

var table = [...]int8{3, 3, 3, -7, -7, 0, 0, 0, 0, 100}

func Lookup() {
	i := hbtest.Nondet[uint8]()
	if int(i) >= len(table) { return }
	x := table[i]
	want := int8(100)
	switch { case i < 3: want = 3; case i < 5: want = -7; case i < 9: want = 0 }
	if x != want { panic("differ") }
	local := []uint16{7, hbtest.Nondet[uint16](), 9}
	k := hbtest.Nondet[uint]() % 3
	y := local[k]
	local[1]++
	if k == 0 && y != 7 || k == 2 && y != 9 || k == 1 && y != local[1]-1 { panic("differ") }
}

func badLookup() {
	if i := hbtest.Nondet[uint8](); int(i) < len(table) && table[i] == 100 { panic("hundred") }
}

func Atoi() {
	b := hbtest.Nondet[[3]byte]()
	n, err := strconv.Atoi(string(b[:]))
	if err == nil && (n > 999 || n < -99) { panic("three characters") }
	if err == nil && b[0] >= '0' && n != int(b[0]-'0')*100+int(b[1]-'0')*10+int(b[2]-'0') { panic("value") }
}

func main() {}
`, "BYTES", deep.Pick("2", "4")))
	for i, name := range []string{"Range", "badRange", "Encode", "badEncode", "Kept", "Lookup", "badLookup", "Atoi"} {
		if !deep.Every(8, i) {
			continue
		}
		r := run(t, prog, name, explore.Options{POR: explorer(t, "full"), Outcomes: true})
		panics := map[string]bool{}
		for end := range endings(r) {
			if strings.Contains(end, "panic") {
				panics[end] = true
			}
		}
		if len(r.Incomplete) > 0 {
			t.Errorf("%s: %v", name, r.Incomplete)
		}
		if bad := strings.HasPrefix(name, "bad"); bad != (len(panics) > 0) {
			t.Errorf("%s: %v", name, panics)
		}
	}
}
