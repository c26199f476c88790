package bug

import (
	"fmt"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/faketest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// TestAtLeaf: the bugs of an execution that has ended, after the steps of the goroutines in path.
func TestAtLeaf(t *testing.T) {
	for _, tt := range []struct {
		code, path, want string
	}{
		{"end", "0", " (exit 0)"},
		{"go 1; lock a; lock b | lock b; lock a", "001", "HB001 file.go:3 {Goroutines:main g1} in main (deadlock)"},
		{"go 1; join 1 | hang", "0", "HB001 file.go:2 {Goroutine:main Waiting:{For:join On:1} Others:1} in main (deadlock)"},
		{"go 1 | lock a; lock a", "01", "HB003 file.go:102 {Func:f1 Waiting:{For:sync.Mutex.Lock On:a}} in g1 (exit 0)"},
		{"go 1; lock a | lock a", "00", "HB003 file.go:101 {Func:f1 Waiting:{For:sync.Mutex.Lock On:a}} in g1 (exit 0)"},
		{"panic early", "0", "HB004 file.go:1 {Text:panic: early} in main (panic: early)"},
		{"go 1; join 1 | fail now", "01", "HB005 file.go:101 {Message:now} in g1 (exit 1)"},
	} {
		f := faketest.New(strings.Split(tt.code, "|")...)
		for _, g := range tt.path {
			f.Step(trace.GID(g-'0'), 0)
		}
		for f.Status() == por.Running {
			f.Step(f.Enabled(nil)[0], 0)
		}
		bugs, ending := AtLeaf(f, f.Status(), f.Ending(), nil)
		var got []string
		for _, b := range bugs {
			got = append(got, fmt.Sprintf("%s %s:%d %+v in %s", b.Kind.Code(), b.Pos.Filename, b.Pos.Line, b.Detail, b.G))
			if Shown(f, b) == nil {
				t.Errorf("%s: %v is not recognised", tt.code, b.Detail)
			}
		}
		if s := fmt.Sprintf("%s (%s)", strings.Join(got, "; "), ending); s != tt.want {
			t.Errorf("%s: %s, want %s", tt.code, s, tt.want)
		}
	}
}
