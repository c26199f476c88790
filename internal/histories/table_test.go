package histories

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// An object is the subject of a test.
type object struct{ test, text string }

// objects are those of testdata/structures, by the names of their tests.
var objects = []object{
	{"TestLocked", "counter with a lock"},
	{"TestTorn", "the same, Inc in two critical sections"},
	{"TestUnlocked", "the same, Get without the lock"},
	{"TestCells", "counter in two cells that only grow"},
	{"TestStriped", "counter in two cells, one for Inc and one for Dec"},
	{"TestLate", "counter whose Get shows what the last Get has seen"},
	{"TestAccounts", "accounts with two locks, taken in either order"},
	{"TestQueue", "queue of Michael and Scott (1996)"},
	{"TestTailed", "the same, empty where its head is its tail"},
	{"TestOverwriting", "the same, nodes linked with a store"},
	{"TestRing", "ring buffer, one producer and one consumer (Lamport 1983)"},
	{"TestHurried", "the same, the index published before the element"},
	{"TestRingOfTwoProducers", "the right one, with two producers"},
	{"TestSequenced", "ring buffer with turns, any number of producers (Vyukov)"},
	{"TestStack", "stack of Treiber (1986)"},
	{"TestReusing", "the same, nodes used again (ABA)"},
	{"TestTagged", "the same, with a top that is never the same one again"},
	{"TestSet", "lazy list (Heller et al. 2005)"},
	{"TestCareless", "the same, without validation"},
	{"TestDeque", "deque, PollLast as in Java's ConcurrentLinkedDeque, where lincheck found it wrong (JDK-8256833)"},
	{"TestSlot", "map entry, Put as in JCTools' NonBlockingHashMapLong, where lincheck found it wrong (issue 319)"},
	{"TestMended", "the same, where a Put that loses tries again"},
	{"TestSnapshot", "two registers, Scan reads them until nothing changes"},
	{"TestSnapshotOnce", "the same, Scan reads them once"},
	{"TestSyncMap", "sync.Map"},
	{"TestSyncMapLoadThenStore", "sync.Map, Load and then Store as one operation"},
}

// library are those of testdata/xsync.
var library = []object{
	{"TestMap", "Map: Store, LoadOrStore, Load, LoadAndDelete of one key"},
	{"TestSize", "Map: Size"},
	{"TestSPSCQueue", "SPSCQueue, one producer and one consumer"},
	{"TestMPMCQueue", "MPMCQueue: TryEnqueue and TryDequeue"},
}

// TestObjects: objects that are wrong are found, with the history that shows it, and all executions of
// the right ones are explored. docs/linearizability.md has what was found.
func TestObjects(t *testing.T) {
	deep.Skip(t, "the structures take a minute")
	table(t, "| object | |\n", objects, explored(t, ".", "./testdata/structures", "--por=optimal"))
}

// TestLibrary: the same for objects of a library, as it comes from the module proxy.
func TestLibrary(t *testing.T) {
	cmd := exec.Command("go", "mod", "download", "github.com/puzpuzpuz/xsync/v4")
	cmd.Dir = "testdata/xsync"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("xsync is not available: %v\n%s", err, out)
	}
	table(t, "| xsync v4.5.0 | |\n", library, explored(t, "testdata/xsync", ".", "--por=optimal", "--assume=rand"))
}

// table compares the results with the table of the document that begins with header.
func table(t *testing.T, header string, objects []object, results []result) {
	t.Helper()
	const doc = "../../docs/linearizability.md"
	data, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	header += "|---|---|\n"
	head, rest, ok1 := strings.Cut(string(data), header)
	_, tail, ok2 := strings.Cut(rest, "\n\n")
	if !ok1 || !ok2 {
		t.Fatalf("%s: no table %s", doc, header)
	}
	table := ""
	for _, o := range objects {
		i := slices.IndexFunc(results, func(r result) bool { return r.Entry == o.test })
		if i < 0 {
			t.Fatalf("there is no %s", o.test)
		}
		table += fmt.Sprintf("| %s | %s |\n", o.text, verdict(t, &results[i]))
		results = slices.Delete(results, i, i+1)
	}
	for _, r := range results {
		t.Errorf("%s has no row", r.Entry)
	}
	if now := head + header + table + "\n" + tail; now != string(data) {
		if !*update {
			t.Fatalf("%s: the table is now\n%s", doc, table)
		}
		if err := os.WriteFile(doc, []byte(now), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// verdict is the word for r in the table.
func verdict(t *testing.T, r *result) string {
	t.Helper()
	switch {
	case r.Verdict == "ok":
		return fmt.Sprintf("linearizable: %d executions", r.Stats.Executions)
	case r.Verdict != "fail" || len(r.Bugs) != 1:
		t.Fatalf("%s: %+v", r.Entry, r)
	case r.Bugs[0].Code != "HB005":
		what := map[string]string{"HB001": "deadlock", "HB002": "data race"}[r.Bugs[0].Code]
		return fmt.Sprintf("%s (%s)", what, r.Bugs[0].Code)
	}
	_, picture, ok := strings.Cut(r.Bugs[0].Message, "not linearizable: no order of these operations, one after another, has these results\n")
	if !ok {
		t.Fatalf("%s: %s", r.Entry, r.Bugs[0].Message)
	}
	var parts []string
	for line := range strings.Lines(picture) {
		name, row, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "order" {
			break
		}
		var ops []string
		for op := range strings.SplitSeq(row, "├─") {
			if op = strings.Trim(op, " ─┤\n"); op != "" {
				ops = append(ops, op)
			}
		}
		parts = append(parts, name+": "+strings.Join(ops, "; "))
	}
	return "no: " + strings.Join(parts, " · ")
}

// TestExplorers: explorers agree about correct objects.
func TestExplorers(t *testing.T) {
	deep.Skip(t, "explores everything several times")
	verdicts := func(flags ...string) (list []string) {
		for _, r := range explored(t, ".", "./testdata/structures", append(flags, "--run=TestLocked|TestTorn|TestCells|TestStriped|TestLate|TestRing|TestHurried|TestSlot|TestMended|TestSnapshot|TestSyncMap")...) {
			list = append(list, r.Entry+" "+r.Verdict)
		}
		return list
	}
	want := verdicts("--por=optimal")
	for _, flags := range [][]string{{"--por=full"}, {"--por=jpf", "--hybrid=full"}, {"--por=source"}, {"--por=context"}, {"--por=auto"}} {
		if got := verdicts(flags...); !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", flags, got, want)
		}
	}
}
