package lin

import (
	"errors"
	"fmt"
	"testing"
)

// TestResults: the comparison and the presentation of results.
func TestResults(t *testing.T) {
	for _, x := range []struct {
		a, b any
		same bool
		text string
	}{
		{1, 1, true, "1"},
		{1, int8(1), false, "1"},
		{nil, nil, true, "<nil>"},
		{"a", "a", true, `"a"`},
		{errors.New("no"), fmt.Errorf("n%c", 'o'), true, "no"},
		{errors.New("no"), nil, false, "no"},
		{errors.New("no"), "no", false, "no"},
		{[]int{1, 2}, []int{1, 2}, true, "[1 2]"},
		{[]int{1, 2}, []int{2, 1}, false, "[1 2]"},
		{[2]int{1, 2}, [2]int{1, 2}, true, "[1 2]"},
		{Results(1, true), Results(1, true), true, "1, true"},
		{Results(1, errors.New("no")), Results(1, errors.New("no")), true, "1, no"},
		{Results(1), Results(1, nil), false, "1"},
		{Results([]int{1}), Results([]int{1}), true, "[1]"},
	} {
		if got := plain(x.a) == plain(x.b); got != x.same {
			t.Errorf("%v and %v: same is %v", x.a, x.b, got)
		}
		if got := show(plain(x.a)); got != x.text {
			t.Errorf("%v is shown as %q, want %q", x.a, got, x.text)
		}
	}
}
