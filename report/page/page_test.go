package page

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// explored explores a program and returns the data of its page.
func explored(t testing.TB, file string) *Schedule { return exploredWith(t, file, oracle.None) }

// exploredWith is explored with static facts.
func exploredWith(t testing.TB, file string, facts oracle.Kind) *Schedule {
	t.Helper()
	prog, err := load.Load(load.Config{Patterns: []string{file}, Tests: !strings.HasSuffix(file, ".go"), Implicit: []string{"runtime"}, Cache: &cache})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := selection.Select(prog, selection.Options{}, func(prog *load.Program, e *load.Entry, interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, e, vm.Config{Interrupt: interrupted, Races: true})
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := explore.Run(context.Background(), entries[0], explore.Options{POR: explorers.Lookup("jpf"), Match: true, Observe: true, Hybrid: facts})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Bugs) == 0 {
		t.Fatalf("%s: no bug", file)
	}
	return &Schedule{Package: r.Package, Entry: r.Entry, Bug: r.Bugs[0], Search: report.Search(r), Replay: "x/main.1.hbr", Paths: report.Paths{Base: prog.Dir}}
}

var cache load.Cache

// programs are those of testdata/bugs, each with a bug of the kind that it is named after.
func programs(t testing.TB) []string {
	files, err := filepath.Glob("testdata/bugs/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	return files
}

// goroot returns the directory of the library with which programs are loaded.
func goroot(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestData: the scripts' data for each kind of bug, a field per line.
func TestData(t *testing.T) {
	kinds := make(map[bug.Kind]bool)
	for _, file := range programs(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".go"), func(t *testing.T) {
			s := explored(t, file)
			kinds[s.Bug.Kind] = true
			got := bytes.ReplaceAll(fields(t, newData(s)), []byte(goroot(t)), []byte("$GOROOT"))
			name := strings.TrimSuffix(file, ".go") + ".json"
			if *update {
				if err := os.WriteFile(name, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
				for i := range min(len(g), len(w)) {
					if g[i] != w[i] {
						t.Fatalf("%s:%d:\n got %s\nwant %s\n(-update rewrites it)", name, i+1, g[i], w[i])
					}
				}
				t.Errorf("%s: %d lines, want %d", name, len(g), len(w))
			}
			again, err := HTML(explored(t, file))
			if err != nil {
				t.Fatal(err)
			}
			if first, err := HTML(s); err != nil || !bytes.Equal(first, again) {
				t.Errorf("the page is another one the second time (%v)", err)
			}
		})
	}
	for _, k := range bug.Kinds() {
		if !kinds[k] && k != bug.LeftRunning { // which is a warning, and has no page
			t.Errorf("no program with a bug of kind %v", k)
		}
	}
}

// fields writes JSON with a field in each line, those of lines too.
func fields(t *testing.T, d *data) []byte {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`,"[a-z]+":|"lines":\{|\},"enabled"`).ReplaceAllFunc(append(text, '\n'), func(m []byte) []byte {
		if i := bytes.IndexByte(m, '"'); m[0] != '"' {
			return append(append(m[:i:i], '\n'), m[i:]...)
		}
		return append(m, '\n')
	})
}

// TestObservation: properties of pages that have to hold for every program.
func TestObservation(t *testing.T) {
	for _, file := range programs(t) {
		s := explored(t, file)
		d, o := newData(s), s.Bug.Observation
		steps := 0
		for _, n := range d.Lines.Step {
			steps = max(steps, n)
		}
		if len(o.States) != steps+1 {
			t.Errorf("%s: %d states of %d steps", file, len(o.States), steps)
		}
		pending, can := make(map[int]int), make(map[int]int) // by lane
		at, moves := 0, 0
		for i, step := range d.Lines.Step {
			if step == 0 {
				continue
			}
			for ; at < len(d.Pending) && d.Pending[at][0] < step; at++ {
				pending[d.Pending[at][1]] = d.Pending[at][2]
			}
			for ; moves < len(d.Enabled) && d.Enabled[moves][0] < step; moves++ {
				can[d.Enabled[moves][1]] = d.Enabled[moves][2]
			}
			lane := d.Lines.Lane[i]
			if got := pending[lane]; d.Lanes[lane] != "timers" && got != d.Lines.Site[i] && d.Kinds[d.Lines.Kind[i]][0] != "crash" {
				t.Errorf("%s: step %d of %s is at site %d, but %d is pending", file, step, d.Lanes[lane], d.Lines.Site[i], got)
			}
			if d.Lanes[lane] != "timers" && can[lane] == 0 {
				t.Errorf("%s: step %d of %s, which cannot move", file, step, d.Lanes[lane])
			}
		}
		for _, e := range d.Edges {
			if e[0] >= e[1] {
				t.Errorf("%s: step %d happens before step %d", file, e[0], e[1])
			}
		}
	}
}

// TestEdges: the edges of synchronisation, for programs with edges determined by hand.
func TestEdges(t *testing.T) {
	d := newData(explored(t, "testdata/bugs/wait.go"))
	describe := func(step int) string {
		i := slices.Index(d.Lines.Step, step)
		return d.Lanes[d.Lines.Lane[i]] + " " + d.Kinds[d.Lines.Kind[i]][0]
	}
	var got []string
	for _, e := range d.Edges {
		got = append(got, describe(e[0])+" → "+describe(e[1]))
	}
	for _, want := range []string{"g1 park → main lock", "main unlock → g2 lock"} {
		if !slices.Contains(got, want) {
			t.Errorf("no edge %s among %q", want, got)
		}
	}
	if race := newData(explored(t, "testdata/bugs/race.go")); len(race.Edges) != 0 || len(race.Pairs) != 1 {
		t.Errorf("race: edges %v, pairs %v; want no edge and a pair", race.Edges, race.Pairs)
	}
}

// TestConflicts: a send conflicts with one on another channel, if a select could have received either.
func TestConflicts(t *testing.T) {
	d := newData(explored(t, "testdata/bugs/choice.go"))
	for _, c := range d.Conflicts {
		if c[0] == 4 && slices.Contains(c[2:], 2) {
			return
		}
	}
	t.Errorf("step 4, the send on b, does not conflict with step 2, the one on a: %v", d.Conflicts)
}

// TestFacts: with --hybrid a page marks the steps that need no choice. These are the steps after the
// other goroutines have ended, and not the steps with which another goroutine conflicts.
func TestFacts(t *testing.T) {
	d := newData(exploredWith(t, "testdata/bugs/failure.go", oracle.Full))
	facts := 0
	for i, f := range d.Lines.Fact {
		step := d.Lines.Step[i]
		if f >= 0 {
			facts++
		}
		if f >= 0 && (step == 2 || step == 3 || step == 4) {
			t.Errorf("step %d needs no choice (%s), but the others conflict with it", step, d.Texts[f])
		}
	}
	if facts == 0 {
		t.Error("no step has a static fact")
	}
	for _, f := range newData(explored(t, "testdata/bugs/failure.go")).Lines.Fact {
		if f >= 0 {
			t.Error("there are static facts without --hybrid")
		}
	}
}

// hostile is an example of a program's texts.
const hostile = "</script><script>alert(1)</script><!-- {{DATA}} \x00\x1b[31m\u202e\u2028 \xff ]]>"

// hostileSchedule is one all of whose texts are hostile.
func hostileSchedule(t *testing.T) *Schedule {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a<b>&\".go")
	if err := os.WriteFile(file, []byte("package main // "+hostile+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := explored(t, "testdata/bugs/failure.go")
	b := s.Bug
	b.Detail = bug.TestFailed{Message: hostile}
	b.Output = []byte(hostile)
	b.Pos.Filename, b.Pos.Line = file, 1
	for i := range b.Events {
		e := &b.Events[i]
		e.What, e.Effect, e.Func, e.Pos.Filename, e.Pos.Line = hostile, hostile, hostile, file, 1
	}
	for i := range b.Observation.States {
		b.Observation.States[i].Before = hostile
	}
	s.Package, s.Entry, s.Replay, s.Search = hostile, hostile, hostile, hostile
	return s
}

// TestHostile: no text of the program can act as markup, or affect a terminal to which the page is copied.
func TestHostile(t *testing.T) {
	html, err := HTML(hostileSchedule(t))
	if err != nil {
		t.Fatal(err)
	}
	text := string(html)
	if n := strings.Count(text, "<script"); n != 2 {
		t.Errorf("%d script elements, want 2", n)
	}
	for _, bad := range []string{"alert(1)</script>", "<!-- {{", "\x00", "\x1b", "\u202e", "\xff", "�"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if !strings.Contains(text, `\\x00\\x1b[31m`) {
		t.Error("the page does not say which control characters there are")
	}
	valid(t, html)
}

// TestValid: the page is markup that needs no repair, and refers to nothing outside of it.
func TestValid(t *testing.T) {
	html, err := HTML(explored(t, "testdata/bugs/deadlock.go"))
	if err != nil {
		t.Fatal(err)
	}
	valid(t, html)
	if m := regexp.MustCompile(`(?i)(https?:)?//[a-z0-9.-]+\.[a-z]{2,}|\bsrc=|\bhref="[^#]|url\(|@import`).Find(regexp.MustCompile(`http://www.w3.org/2000/svg`).ReplaceAll(html, nil)); m != nil &&
		!bytes.Contains(m, []byte("hbcheck.dev")) {
		t.Errorf("the page refers to %q", m)
	}
}

// valid checks that elements nest, that identifiers are unique, that the targets of labels and references
// exist, and that all placeholders are filled in.
func valid(t *testing.T, html []byte) {
	t.Helper()
	// Scripts and styles are not XML.
	markup := regexp.MustCompile(`(?s)(<(script|style)[^>]*>).*?(</(?:script|style)>)`).ReplaceAll(html, []byte("$1$3"))
	markup = bytes.ReplaceAll(markup, []byte(" hidden"), []byte(` hidden=""`))
	markup = bytes.ReplaceAll(markup, []byte(" open>"), []byte(` open="">`))
	markup = regexp.MustCompile(`<((?:meta|input|br)\b[^>]*)>`).ReplaceAll(markup, []byte("<$1/>"))
	markup = regexp.MustCompile(`(type="checkbox"[^>]*) checked`).ReplaceAll(markup, []byte(`$1 checked=""`))
	d := xml.NewDecoder(bytes.NewReader(markup))
	d.Entity = xml.HTMLEntity
	ids, refs := make(map[string]int), []string{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "id":
				ids[a.Value]++
			case "for", "aria-controls":
				refs = append(refs, a.Value)
			}
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("id %s is there %d times", id, n)
		}
	}
	for _, r := range refs {
		if ids[r] == 0 {
			t.Errorf("no element with id %s", r)
		}
	}
	for _, m := range regexp.MustCompile(`\$\("([a-zA-Z-]+)"\)`).FindAllSubmatch(html, -1) {
		if ids[string(m[1])] == 0 {
			t.Errorf("the script asks for %s, which is not there", m[1])
		}
	}
	if m := regexp.MustCompile(`\{\{[A-Z]+\}\}`).Find(markup); m != nil && !bytes.Contains(markup, []byte("&lt;!-- "+string(m))) {
		t.Errorf("%s is not filled in", m)
	}
}

// TestShapes: every kind of operation has a shape that the script and the style have.
func TestShapes(t *testing.T) {
	for k := trace.None + 1; k < trace.NumKinds; k++ {
		s := shape(k.String(), k)
		if !strings.Contains(asset("lanes.js"), fmt.Sprintf("case %q:", s)) && s != "other" {
			t.Errorf("%v is drawn as %q, which lanes.js does not know", k, s)
		}
		if !regexp.MustCompile(`\.` + s + `[ ,]`).MatchString(asset("style.css")) {
			t.Errorf("%v is drawn as %q, which has no colour", k, s)
		}
		if !strings.Contains(asset("main.js"), s+":") && !strings.Contains(asset("main.js"), fmt.Sprintf("%q:", s)) {
			t.Errorf("%v is drawn as %q, which has no word in the legend", k, s)
		}
	}
}

// TestParts: the page has only the surroundings of the used lines of a long file.
func TestParts(t *testing.T) {
	lines := make([]string, wholeFile+1)
	for i := range lines {
		lines[i] = fmt.Sprint(i + 1)
	}
	var got []string
	for _, p := range parts(lines, []int{3, 500, 520, 999, 5000}) {
		got = append(got, fmt.Sprintf("%d-%s", p.From, p.Lines[len(p.Lines)-1]))
	}
	if want := "1-18 485-535 984-1001"; strings.Join(got, " ") != want {
		t.Errorf("parts %v, want %s", got, want)
	}
	if p := parts(lines[:wholeFile], []int{1}); len(p) != 1 || len(p[0].Lines) != wholeFile {
		t.Errorf("a short file has %d parts", len(p))
	}
}
