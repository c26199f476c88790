package report

import (
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/vm"
)

// TestModelPage: docs/dev/model.md has the verdict's words for exactly the assumptions and modes that
// exist.
func TestModelPage(t *testing.T) {
	data, err := os.ReadFile("../docs/dev/model.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	known := make(map[string]bool)
	for what := vm.Assumed(1); what < vm.NumAssumed; what++ {
		a := assumptions[what]
		if a.word == "" || a.what == "" || a.how == "" {
			t.Errorf("assumption %d has no words", what)
			continue
		}
		entry := "`" + a.what + "` (" + a.how + "): `" + a.word + "`"
		known[entry] = true
		if !strings.Contains(page, entry+" |\n") {
			t.Errorf("docs/dev/model.md does not have %s", entry)
		}
	}
	for _, entry := range regexp.MustCompile("`[^`\n]+` \\([^)\n]+\\): `[^`\n]+`").FindAllString(page, -1) {
		if !known[entry] {
			t.Errorf("docs/dev/model.md has %s, which no verdict says", entry)
		}
	}
	for _, m := range modes {
		if !strings.Contains(page, "| `exhaustive with "+m) {
			t.Errorf("docs/dev/model.md does not have %q", m)
		}
	}
}

// TestAssume: the words of --assume are those of the table, "all" accepts everything, and other words
// nothing.
func TestAssume(t *testing.T) {
	for what := vm.Assumed(1); what < vm.NumAssumed; what++ {
		for word, want := range map[string]bool{assumptions[what].word: true, "all": true, "-": false} {
			if set, unknown := Assume([]string{word}); set[what] != want || (unknown == "") != want {
				t.Errorf("--assume=%s: %v of %d", word, set[what], what)
			}
		}
		if !slices.Contains(AssumedWords(), assumptions[what].word) {
			t.Errorf("%s is not listed", assumptions[what].word)
		}
	}
}

// TestExhaustive: a verdict is never plainly exhaustive if something was assumed or restricted.
func TestExhaustive(t *testing.T) {
	at := token.Position{Filename: "/a/b.go", Line: 7}
	assumed := []vm.Assumption{{What: vm.RandSampled, Pos: at}, {What: vm.WeakKept, Pos: at}}
	for _, tt := range []struct {
		modes   []vm.Mode
		assumed []vm.Assumption
		want    string
	}{
		{nil, nil, "exhaustive"},
		{[]vm.Mode{vm.ModeVirtualTime, vm.ModeRandFixed}, nil, "exhaustive with --time=virtual --rand=seed"},
		{[]vm.Mode{vm.ModeSlack}, nil, "exhaustive with --slack=5ms"},
		{[]vm.Mode{vm.ModeSlack, vm.ModeInTurn}, nil, "exhaustive with --slack=5ms and gc's queue and map order"},
		{[]vm.Mode{vm.ModeInTurn}, nil, "exhaustive with gc's queue and map order"},
		{nil, assumed, "exhaustive, assuming math/rand at b.go:7 (one value tried); weak.Make at b.go:7 (the pointer is cleared only in runtime.GC and when every goroutine waits)"},
		{[]vm.Mode{vm.ModeVirtualTime}, assumed[:1], "exhaustive with --time=virtual, assuming math/rand at b.go:7 (one value tried)"},
	} {
		if len(tt.assumed) == 2 {
			const want = "exhaustive, assuming math/rand values, garbage collection"
			if got := exhaustive(&explore.Result{Assumed: tt.assumed}, false); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		if got := exhaustive(&explore.Result{Modes: tt.modes, Assumed: tt.assumed, Slack: 5 * time.Millisecond}, true); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
