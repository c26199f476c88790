package native

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

var every = flag.Bool("every", false, "explore each program with every explorer and every kind of static facts, instead of a part of these")

// A search is a way to explore a program.
type search struct {
	por    string
	hybrid oracle.Kind
}

func (s search) String() string { return s.por + "/" + string(s.hybrid) }

var (
	explorerNames = []string{"full", "jpf", "optimal", "source", "context", "clockvector", "graph"}
	hybridKinds   = []oracle.Kind{oracle.None, oracle.FieldAccess, oracle.MHB, oracle.Full}
)

// searches returns the searches with which the i-th program of an area is explored: the full one,
// and one for each reduction, with the kinds of static facts in turn. The quick tier has the full
// one and one of the reductions, in turn. The deep tier, and -every, have all reductions with all
// kinds of facts.
func searches(i int) []search {
	var list []search
	for k, e := range explorerNames {
		if deep.Quick() && k > 0 && i/everyProgram%(len(explorerNames)-1) != k-1 {
			continue
		}
		for j, h := range hybridKinds {
			if *every || deep.On() || e == "full" && h == oracle.None || e != "full" && (i+k)%len(hybridKinds) == j {
				list = append(list, search{e, h})
			}
		}
	}
	return list
}

// everyProgram: the quick tier has every everyProgram-th program of each area.
const everyProgram = 8

// The bounds of a search, smaller than those of the command: a search that exceeds them is too large
// for the suite, or endless.
const (
	matchedSteps   = 20_000
	unmatchedSteps = 5_000
	maxStates      = 10_000
	maxExecutions  = 20_000
	patience       = 20 * time.Second // for a search that is stuck
)

// cache keeps the standard library.
var cache load.Cache

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // the programs' syntax is large and stays
	os.Exit(m.Run())
}

// TestOutcomes: the recorded outcomes of a program are among those of every search, or the verdict is
// incomplete; exactly its native bugs are reported.
func TestOutcomes(t *testing.T) {
	listed := known(t)
	var mu sync.Mutex
	seen := map[string]map[string]bool{}
	done := map[string]bool{} // areas
	t.Run("areas", func(t *testing.T) {
		for _, area := range areas(t) {
			t.Run(area, func(t *testing.T) {
				t.Parallel()
				mu.Lock()
				done[area] = true
				mu.Unlock()
				recorded := records(t, area)
				prog := loadArea(t, area)
				for i, p := range parse(t, area) {
					r := recorded[p.name]
					if !deep.Every(everyProgram, i) {
						continue
					}
					if !strings.Contains(p.String(), *only) || r == nil {
						continue
					}
					found := findings{}
					if x, err := prepare(prog, p, r); err != nil {
						found.add("broken", err.Error(), search{})
					} else {
						ended := false
						for _, s := range searches(i) {
							ended = x.compare(s, found) || ended
						}
						if !ended && slices.Contains(p.incomplete, outOfBounds) {
							found.add("incomplete", "no search ends", search{})
						}
					}
					mu.Lock()
					seen[p.String()] = map[string]bool{}
					for _, kind := range slices.Sorted(maps.Keys(found)) {
						seen[p.String()][kind] = true
						if !listed[p.String()][kind] {
							t.Errorf("%s: %s: %s\n%s", p, kind, disagreements[kind], found.text(kind))
						} else {
							t.Logf("known: %s: %s\n%s", p, kind, found.text(kind))
						}
					}
					mu.Unlock()
				}
			})
		}
	})
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		area, _, _ := strings.Cut(name, ".")
		if !strings.Contains(name, *only) || !done[area] || deep.Quick() && seen[name] == nil {
			continue
		}
		if seen[name] == nil {
			t.Errorf("known.txt: there is no program %s", name)
			continue
		}
		for _, kind := range slices.Sorted(maps.Keys(listed[name])) {
			if !seen[name][kind] && !deep.Quick() {
				t.Errorf("known.txt: %s %s: it does not disagree any more", name, kind)
			}
		}
	}
}

// findings are the disagreements of a program: by kind, with their texts and searches.
type findings map[string]map[string][]search

func (f findings) add(kind, text string, s search) {
	if f[kind] == nil {
		f[kind] = map[string][]search{}
	}
	f[kind][text] = append(f[kind][text], s)
}

// text lists the findings of a kind.
func (f findings) text(kind string) string {
	var b strings.Builder
	for _, text := range slices.Sorted(maps.Keys(f[kind])) {
		fmt.Fprintf(&b, "\t%s\n\t\t%v\n", text, f[kind][text])
	}
	return b.String()
}

func loadArea(t testing.TB, area string) *load.Program {
	prog, err := load.Load(load.Config{Patterns: []string{"./testdata/programs/" + area}, Tests: true, Implicit: []string{"runtime"}, Cache: &cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// A subject is a program in a machine, which its searches share.
type subject struct {
	*program
	record  *record
	entry   explore.Entry
	stopped func() bool
}

// prepare makes the machine of p.
func prepare(prog *load.Program, p *program, r *record) (s *subject, err error) {
	defer recovered(&err)
	e, err := prog.Lookup(p.String())
	if err != nil {
		return nil, err
	}
	s = &subject{program: p, record: r, entry: explore.Entry{Package: e.Path, Name: e.Name}, stopped: func() bool { return false }}
	m, err := describe.NewMachine(prog, e, vm.Config{Races: true, Args: []string{e.Path}, Env: append(os.Environ(), "PWD="+prog.WorkDir(e)),
		VisibleOutput: true, Interrupt: func() bool { return s.stopped() }, MaxHeap: 1 << 30, MaxLocal: 1 << 20, MaxStack: 1 << 24,
		OrderedTime: true, Slack: int64(5 * time.Millisecond)})
	s.entry.New = func(interrupted func() bool) (describe.Machine, error) {
		s.stopped = interrupted
		return m, nil
	}
	return s, err
}

func recovered(err *error) {
	if e := recover(); e != nil {
		*err = fmt.Errorf("%v\n%s", e, debug.Stack())
	}
}

// racy reports whether the program has a data race, the first bug of which is enough.
func (x *subject) racy() bool { return x.race || x.record.race }

// explore explores the program as the command does.
func (x *subject) explore(s search) (r *explore.Result, err error) {
	defer recovered(&err)
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, fmt.Errorf("stopped after %v", patience))
	defer cancel()
	opts := explore.Options{POR: explorers.Lookup(s.por), Hybrid: s.hybrid, All: !x.racy(), Outcomes: true, NoMinimise: true,
		MaxSteps: unmatchedSteps, StopTruncated: true, MaxExecs: maxExecutions, MaxMemory: 1 << 30}
	if opts.POR.Stateful {
		opts.Match, opts.StopTruncated, opts.MaxSteps, opts.MaxExecs = true, false, matchedSteps, 0
		opts.MaxStates = maxStates
	}
	return explore.Run(ctx, x.entry, opts)
}

// outOfBounds is a part of the reasons of searches that a bound of the suite has stopped.
const outOfBounds = "stopped"

// compare explores the program once, adds disagreements to found, by kind, and reports whether everything
// was explored.
func (x *subject) compare(s search, found findings) (complete bool) {
	p, r := x.program, x.record
	note := func(kind, format string, args ...any) {
		found.add(kind, fmt.Sprintf(format, args...), s)
	}
	got, err := x.explore(s)
	if err != nil {
		note("broken", "%v", err)
		return false
	}
	complete = len(got.Incomplete) == 0
	for i, text := range report.Incomplete(got) {
		if got.Incomplete[i].Cause != explore.CauseAssumed && !slices.ContainsFunc(p.incomplete, func(ok string) bool { return strings.Contains(text, ok) }) {
			note("incomplete", "%s", text)
		}
	}
	codes := map[string]bool{}
	for _, b := range got.Bugs {
		code := b.Kind.Code()
		if !b.Warning && !codes[code] && !p.has(r, code) {
			note("red", "%s: %s: %s", filepath.Base(b.Pos.String()), code, report.Message(b))
		}
		codes[code] = true
	}
	if !complete {
		return false
	}
	if x.racy() && !codes["HB002"] {
		note("missed", "HB002")
	}
	if x.racy() {
		return true // the outcomes are those of sequential consistency
	}
	outcomes := map[string]bool{}
	for _, o := range got.Outcomes {
		outcomes[text(p, o)] = true
	}
	for _, o := range slices.Sorted(maps.Keys(r.outcomes)) {
		if outcomes[o] || strings.HasPrefix(o, "hang ") && (codes["HB001"] || codes["HB006"]) {
			continue
		}
		if p.explains(outcomes, o) {
			continue
		}
		note("lost", "%s; has %s", o, strings.Join(slices.Sorted(maps.Keys(outcomes)), ", "))
	}
	return true
}

// explains reports whether a native outcome has the output of a known outcome with another ending
// (of a straggler, the beginning of that output): the native process ends with main, while in the
// machine other goroutines continue.
func (p *program) explains(known map[string]bool, native string) bool {
	out, ok := strings.CutPrefix(native, "exit 0 ")
	if !ok || p.test {
		return false
	}
	for o := range known {
		end, printed, _ := strings.Cut(o, ` "`)
		printed = `"` + printed
		if end != "deadlock" && (printed == out || p.straggler && strings.HasPrefix(printed, strings.TrimSuffix(out, `"`))) {
			return true
		}
	}
	return false
}

// text is the outcome as records have it.
func text(p *program, o explore.Outcome) string {
	out, end := o.Output, o.Ending
	if p.test {
		out = printed(out)
	}
	end, _, _ = strings.Cut(end, "\n")
	end, _, _ = strings.Cut(end, " [recovered")
	return outcome(out, end)
}

// has reports whether p has a bug with the given code: natively, or according to its comment.
func (p *program) has(r *record, code string) bool {
	if slices.Contains(p.bugs, code) {
		return true
	}
	some := func(prefixes ...string) bool {
		for o := range r.outcomes {
			if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(o, prefix) }) {
				return true
			}
		}
		return false
	}
	switch code {
	case "HB001":
		return some("deadlock", "hang")
	case "HB002":
		return r.race || p.race
	case "HB004", "HB007":
		return some("panic: ", "fatal error: ")
	case "HB005":
		return some("exit 1", "exit 2", "exit 3")
	case "HB006":
		return some("hang")
	}
	return false
}

// TestLive: the outcomes of native runs during the test are also among those of each of these searches. It
// runs a part of the programs a few times.
func TestLive(t *testing.T) {
	deep.Skip(t, "compiles and runs programs")
	listed := known(t)
	sample := []string{"syncs", "chans", "environ"}
	b := build(t, sample, plain, yields)
	for _, area := range sample {
		prog := loadArea(t, area)
		for i, p := range parse(t, area) {
			if i%4 != 0 || listed[p.String()] != nil || p.race {
				continue
			}
			r := &record{hash: p.hash, outcomes: map[string]bool{}}
			all := schedule()
			r.run(b, p, []way{all[0], all[5], all[77], all[143]})
			found := findings{}
			x, err := prepare(prog, p, r)
			if err != nil {
				t.Error(err)
				continue
			}
			x.compare(search{"optimal", oracle.None}, found)
			if found["lost"] != nil {
				t.Errorf("%s: lost:\n%s", p, found.text("lost"))
			}
		}
	}
}
