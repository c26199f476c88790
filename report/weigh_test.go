package report

import (
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/strategy"
	"hbcheck.dev/hbcheck/por"
)

func TestWeigh(t *testing.T) {
	timeout := []explore.Reason{{Bound: por.Reason{Bound: por.BoundPoll, Text: "stopped after 1m0s (--timeout)"}}}
	memory := []explore.Reason{{Bound: por.Reason{Bound: por.BoundMemory, Limit: 1 << 30}}}
	covered := por.Stats{Executions: 12345, States: 67890}
	many := explore.Stats{}
	many.Goroutines = 9
	choices := &strategy.Choice{Pos: at("cache.go", 31, 0), What: "c.mu", Part: 0.824, Between: [2]string{"g2", "g9"}}
	tests := []struct {
		name string
		r    explore.Result
		want string
	}{
		{"short", explore.Result{Incomplete: timeout, Sampled: 1}, ""},
		{"not one", explore.Result{POR: "optimal", Incomplete: timeout, Stats: many}, `time was up before the first execution ended
try fewer goroutines, or fewer operations of each; or a longer --timeout`},
		{"none here, some beside", explore.Result{Incomplete: timeout, Others: []explore.Share{{Stats: por.Stats{States: 7}}}}, ""},
		{"asked for", explore.Result{Incomplete: []explore.Reason{{Bound: por.Reason{Bound: por.BoundExecutions, Limit: 3}}}, Choices: choices}, ""},
		{"two preemptions", explore.Result{POR: "optimal", Incomplete: timeout, Graded: &explore.Graded{Preempt: 2, Stats: covered, Next: 0.4}, Choices: choices, Stats: many},
			`all schedules with at most 2 preemptions: 12 345 executions, 67 890 states, no bug; and about 40% of those with 3
82% of the choices are at cache.go:31 (c.mu), mostly between g2 and g9
try fewer goroutines, or fewer operations of each; or a longer --timeout; or -j 8 on a machine with 8 processors`},
		{"none", explore.Result{POR: "jpf", Incomplete: timeout, Graded: &explore.Graded{Preempt: 0, Stats: covered, Next: 1e-9}},
			`all schedules without preemption: 12 345 executions, 67 890 states, no bug; and less than 1% of those with 1
try a longer --timeout`},
		{"not even those", explore.Result{POR: "jpf", Incomplete: memory, Graded: &explore.Graded{Preempt: -1, Next: 0.2}},
			`about 20% of the schedules without preemption explored
try more --max-memory`},
		{"subtests", explore.Result{POR: "optimal", Jobs: 2, Incomplete: timeout, Choices: &strategy.Choice{Pos: at("a.go", 7, 0), Part: 0.5},
			Subtests: []string{"TestA/1", "TestA/10", "TestA/a+b"}},
			`50% of the choices are at a.go:7
try one of the 3 subtests at a time: --run 'TestA/^1$'; or a longer --timeout`},
	}
	for _, tt := range tests {
		if got := strings.Join(Weigh(&tt.r), "\n"); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}
