package vm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// ends collects how executions end.
type ends struct {
	m    *Machine
	seen map[string]bool
}

func (e *ends) Leaf(_ trace.Schedule, st por.Status) bool {
	if st != por.Running {
		text := fmt.Sprint(st, " ", e.m.Output(1), " ", e.m.CutReason())
		if f := e.m.Fault(); f != nil {
			text += f.Kind + " " + f.Message
		}
		e.seen[text] = true
	}
	return true
}
func (e *ends) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }
func (e *ends) Livelock(trace.Schedule, int) bool            { return true }
func (e *ends) Restart()                                     {}

// explored returns how the executions of s end, as one text, and the number of states.
func explored(t *testing.T, s *subject, cfg Config, pcfg por.Config) (string, uint64) {
	t.Helper()
	e := &ends{s.machine(t, cfg), map[string]bool{}}
	r := por.Full(e.m, e, pcfg)
	return strings.Join(slices.Sorted(maps.Keys(e.seen)), "\n"), r.States
}

// TestInvariants: with Config.Check, which overwrites dead registers and looks
// for objects that several goroutines reach without being known to, everything
// comes out as without it.
func TestInvariants(t *testing.T) {
	n, steps := 15, 600
	if testing.Short() {
		n, steps = 5, 200
	}
	for _, s := range subjects(t, n) {
		t.Run(s.name, func(t *testing.T) {
			cfg := por.Config{Match: true, MaxStates: uint64(steps)}
			for _, c := range []Config{{VisibleOutput: true}, {VisibleOutput: true, VirtualTime: true}} {
				plain, states := explored(t, &s, c, cfg)
				c.Check = true
				if checked, n := explored(t, &s, c, cfg); checked != plain || n != states {
					t.Errorf("%d states:\n%s\nwith Check %d states:\n%s", states, plain, n, checked)
				}
			}
		})
	}
}
