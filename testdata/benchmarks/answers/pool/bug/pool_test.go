package pool

import "testing"

func TestSum(t *testing.T) {
	for _, tt := range []struct {
		name    string
		workers int
		jobs    int
	}{{"one", 1, 2}, {"two", 2, 2}, {"idle", 2, 1}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var jobs []func() int
			want := 0
			for i := range tt.jobs {
				want += i
				jobs = append(jobs, func() int { return i })
			}
			if sum := New(tt.workers).Sum(jobs); sum != want {
				t.Errorf("sum is %d, want %d", sum, want)
			}
		})
	}
}
