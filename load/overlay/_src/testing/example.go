package testing

import (
	"slices"
	"strings"
	"syscall"
)

// InternalExample is an example by name.
type InternalExample struct {
	Name      string
	F         func()
	Output    string
	Unordered bool
}

// hbRunExample runs the example of an entry, by TestMain if there is one, and compares what it prints
// with what its comment says. The machine calls it.
func hbRunExample(name string, f func(), want string, unordered bool, testMain func(*M)) {
	run := func(t *T) {
		printed := syscall.HbCapture()
		f()
		got, want := strings.TrimSpace(printed()), strings.TrimSpace(want)
		if unordered {
			got, want = sortedLines(got), sortedLines(want)
		}
		if got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
	}
	if testMain != nil {
		hbRunMain(name, run, "", nil, testMain)
		return
	}
	hbRunTest(name, run, "", nil)
}

func sortedLines(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
