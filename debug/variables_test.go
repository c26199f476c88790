package debug_test

import (
	"fmt"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/debug"
	"hbcheck.dev/hbcheck/internal/debugtest"
)

// TestVariables: the debugger shows the values of variables that the program sees, or that they are lost;
// most are not lost.
func TestVariables(t *testing.T) {
	s, _ := debugtest.OpenDir(t, "testdata/variables")
	for _, name := range []string{"main.see", "main.check"} {
		if _, err := s.AddBreak(debug.Breakpoint{Func: name}); err != nil {
			t.Fatal(err)
		}
	}
	type seen struct{ name, value string }
	last := make(map[string][]seen) // by function and goroutine, the values passed to see
	known, lost, checked := 0, 0, 0
	for s.Continue().Reason == debug.Break {
		g, _ := s.Current()
		frames := s.Frames(g)
		in := s.Name(g) + " " + frames[1].Func
		list := last[in]
		if strings.HasSuffix(frames[0].Func, "see") {
			names, err := s.Eval(&frames[0], "names")
			if err != nil {
				t.Fatal(err)
			}
			list = nil
			for i, name := range strings.Fields(strings.Trim(s.Text(names), `"`)) {
				v, err := s.Eval(&frames[0], fmt.Sprintf("values[%d]", i))
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, seen{name, s.Text(v)})
			}
			last[in] = list
		} else {
			checked++
		}
		for _, want := range list {
			v, err := s.Eval(&frames[1], want.name)
			switch {
			case err != nil && strings.HasPrefix(err.Error(), "no variable"): // of a block that has been left
			case err != nil:
				t.Errorf("%v: %s: %v", frames[1].Pos, want.name, err)
			case v.Lost != "":
				t.Logf("%v: %s: %s", frames[1].Pos, want.name, v.Lost)
				lost++
			default:
				// In an interface there is its type, too.
				if known++; want.value != s.Text(v) && !strings.HasSuffix(want.value, "("+s.Text(v)+")") && want.value != "nil" {
					t.Errorf("%v: %s is %s, want %s", frames[1].Pos, want.name, s.Text(v), want.value)
				}
			}
		}
	}
	if !s.AtEnd() {
		t.Errorf("stopped at %v", s.Place())
	}
	t.Logf("%d known, %d lost", known, lost)
	if known < 200 || checked < 10 || lost*10 > known {
		t.Errorf("%d values are known, %d are lost, in %d places without uses", known, lost, checked)
	}
}
