package native

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	update = flag.Bool("update", false, "record what programs do natively that were not recorded in their present form")
	again  = flag.Bool("again", false, "with -update, run all programs again, and add what they do to what is recorded")
	only   = flag.String("only", "", "only programs whose area.Name contains `text`")
)

// wantRuns is how often a program must have been run.
const wantRuns = 200

// A record has the native outcomes of a program.
type record struct {
	hash     string // program.hash of what was run
	runs     int
	outcomes map[string]bool // see outcome
	race     bool            // the race detector has reported one
}

// outcome is the text for a program's output and ending: "exit 0", "exit 1", "panic: boom", "fatal error:
// ...", "deadlock"; "hang" if it does not.
func outcome(output, ending string) string { return ending + " " + strconv.Quote(output) }

func recordFile(area string) string { return filepath.Join("testdata/outcomes", area+".txt") }

// records reads the records of an area, by name of the program.
func records(t testing.TB, area string) map[string]*record {
	all := map[string]*record{}
	f, err := os.Open(recordFile(area))
	if errors.Is(err, os.ErrNotExist) {
		return all
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r *record
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line, inside := strings.CutPrefix(sc.Text(), "\t")
		switch {
		case line == "":
		case !inside:
			r = &record{outcomes: map[string]bool{}}
			var name string
			if _, err := fmt.Sscanf(line, "%s %s %d", &name, &r.hash, &r.runs); err != nil {
				t.Fatalf("%s: %s: %v", f.Name(), line, err)
			}
			all[name] = r
		case line == "race":
			r.race = true
		default:
			r.outcomes[line] = true
		}
	}
	return all
}

// save writes the records of an area.
func save(t testing.TB, area string, all map[string]*record) {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r := all[name]
		fmt.Fprintf(&b, "%s %s %d\n", name, r.hash, r.runs)
		if r.race {
			fmt.Fprintf(&b, "\trace\n")
		}
		for _, o := range slices.Sorted(maps.Keys(r.outcomes)) {
			fmt.Fprintf(&b, "\t%s\n", o)
		}
	}
	write(t, recordFile(area), b.Bytes())
}

// TestRecord: every program has been run in its present form; with -update, it runs
// those that have not.
func TestRecord(t *testing.T) {
	type job struct {
		p *program
		r *record
	}
	var jobs []job
	all := map[string]map[string]*record{}
	var stale []string // areas
	for _, area := range areas(t) {
		old, now := records(t, area), map[string]*record{}
		all[area] = now
		for _, p := range parse(t, area) {
			r := old[p.name]
			delete(old, p.name)
			current := r != nil && r.hash == p.hash && r.runs >= wantRuns
			wanted := strings.Contains(p.String(), *only)
			switch {
			case !*update && !current:
				t.Errorf("%s has not been recorded as it is now: use -update", p)
			case *update && wanted && (!current || *again):
				if r == nil || r.hash != p.hash {
					r = &record{hash: p.hash, outcomes: map[string]bool{}}
				}
				jobs = append(jobs, job{p, r})
				if !slices.Contains(stale, area) {
					stale = append(stale, area)
				}
			}
			if r != nil {
				now[p.name] = r
			}
		}
		for name := range old {
			if !*update {
				t.Errorf("there is no program %s.%s any more: use -update", area, name)
			} else if !slices.Contains(stale, area) {
				stale = append(stale, area)
			}
		}
	}
	if !*update || len(stale) == 0 {
		return
	}
	if len(jobs) > 0 {
		b := build(t, stale, plain, yields, raced)
		var wg sync.WaitGroup
		queue := make(chan job)
		for range 3 {
			wg.Go(func() {
				for j := range queue {
					j.r.run(b, j.p, schedule())
				}
			})
		}
		for _, j := range jobs {
			queue <- j
		}
		close(queue)
		wg.Wait()
	}
	for _, area := range stale {
		save(t, area, all[area])
	}
	t.Logf("%d programs were run", len(jobs))
}

// A way is how a program is run.
type way struct {
	variant string
	env     []string
}

// unfair reports whether a program that ends can hang for the way it is run: the race detector
// does not notice deadlocks, and without preemption a loop that waits keeps the processor.
func (w way) unfair() bool {
	return w.variant == raced || slices.Contains(w.env, "GODEBUG=asyncpreemptoff=1")
}

// schedule returns the ways of all runs of a program.
func schedule() []way {
	var list []way
	for i := range 216 {
		w := way{variant: plain, env: []string{"GOMAXPROCS=" + strconv.Itoa(1<<(i%4)), "GODEBUG=", "GOGC=100", "NATIVE_YIELD="}}
		if i/4%2 == 1 {
			w.env = append(w.env, "GODEBUG=asyncpreemptoff=1")
		}
		if i/8%3 == 1 {
			w.env = append(w.env, "GOGC=5")
		}
		switch {
		case i >= 196:
			w.variant = raced
			w.env = append(w.env, "NATIVE_YIELD=yield")
		case i >= 140:
			w.variant = yields
			w.env = append(w.env, "NATIVE_YIELD=sleep")
		case i >= 72:
			w.variant = yields
			w.env = append(w.env, "NATIVE_YIELD=yield")
		}
		list = append(list, w)
	}
	return list
}

// hangs is how many runs that do not end are enough.
const hangs = 3

// run runs p in the given ways and adds its outcomes.
func (r *record) run(b *binaries, p *program, ways []way) {
	hung := 0
	for _, w := range ways {
		r.runs++
		if hung == hangs {
			continue
		}
		o, race := once(b, p, w)
		r.race = r.race || race && !p.norace
		if strings.HasPrefix(o, "hang ") {
			hung++
			if w.unfair() {
				continue
			}
		}
		// A test fails if the detector reports a race.
		if o != tooEarly && !(race && p.test) {
			r.outcomes[o] = true
		}
	}
}

// tooEarly is the outcome of a program that was interrupted before it could take the signal.
var tooEarly = outcome("", "exit -1")

// once runs p once and returns its outcome, and whether the race detector has reported a race.
func once(b *binaries, p *program, w way) (string, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	name, args := b.command(p, w.variant)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = filepath.Join(b.dir, w.variant, p.area)
	cmd.Env = append(append(os.Environ(), "GORACE=exitcode=0 atexit_sleep_ms=0"), w.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Start()
	if err == nil {
		if p.interrupt {
			time.Sleep(time.Duration(5+rand.IntN(10)) * time.Millisecond)
			_ = cmd.Process.Signal(os.Interrupt) // it may have ended
		}
		err = cmd.Wait()
	}
	out, end := stdout.String(), "exit 0"
	if p.test {
		out = printed(out)
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		end = "hang"
	case errors.As(err, &exit):
		end = ending(stderr.String(), exit.ExitCode())
		if p.test && exit.ExitCode() == 2 && stderr.Len() == 0 {
			end = ending(stdout.String(), 2)
		}
	case err != nil:
		end = err.Error()
	}
	race := strings.Contains(stderr.String(), "WARNING: DATA RACE") || strings.Contains(stdout.String(), "WARNING: DATA RACE")
	return outcome(out, end), race
}

// ending says how a program ended that wrote text to stderr.
func ending(text string, code int) string {
	if code != 2 {
		return fmt.Sprintf("exit %d", code)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "fatal error: all goroutines are asleep"):
			return "deadlock"
		case strings.HasPrefix(line, "panic: unexpected call to os.Exit(0)"): // in a test
			return "exit 0"
		case strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "fatal error: "):
			line, _, _ = strings.Cut(line, " [recovered")
			return line
		}
	}
	return "exit 2"
}

// printed returns the output of the test itself: the lines that begin with a sign.
func printed(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, ">") {
			b.WriteString(line)
		}
	}
	return b.String()
}
