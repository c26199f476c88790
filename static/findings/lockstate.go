package findings

import (
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// hold is a lock that is held.
type hold struct {
	path static.Path
	mode static.Mode
	at   ssa.Instruction // where it was acquired, in this function
	own  bool            // acquired by this function itself, not by a callee
	// unsure is set after a call that acquires it on some of its paths only.
	unsure bool
	// flagged is set after a call that releases it depending on a flag.
	flagged bool
	class   string // class of a lock whose path is not known here
}

// state is a set of paths to a point.
type state struct {
	held       []hold
	freed      []hold // acquired and released since; at is the release
	unacquired []hold // released without having been acquired
	closed     []hold // channels; at is the close
	took       []static.Path
	defers     []*ssa.Defer
	facts      []fact
	lost       bool // an unknown lock was released, so the held locks are not known any more
	coarse     bool // facts were forgotten because there were too many states: the state may stand for no path
}

// lose forgets the held locks.
func (s *state) lose() { s.held, s.freed, s.unacquired, s.lost = nil, nil, nil, true }

// hold adds h to the held locks, unless a loop has already acquired it there most times.
func (s *state) hold(h hold, most int) {
	n := 0
	for _, x := range s.held {
		if x == h {
			n++
		}
	}
	//mutant: findings: a loop holds as many locks as it has iterations [test ./static/findings TestWant]: "n < most" -> "true"
	if n < most {
		s.held = append(s.held, h)
	}
}

// excludes reports whether a lock is held, so that it cannot be acquired in that mode.
func (s *state) excludes(p static.Path, m static.Mode) bool {
	return slices.ContainsFunc(s.held, func(h hold) bool { return h.path == p && h.mode.Excludes(m) })
}

// rank is 1 for a coarse state, and 0 for others, which have more facts.
func (s *state) rank() int {
	if s.coarse {
		return 1
	}
	return 0
}

func (s *state) clone() *state {
	t := *s
	t.held, t.freed, t.unacquired = slices.Clone(s.held), slices.Clone(s.freed), slices.Clone(s.unacquired)
	t.closed = slices.Clone(s.closed)
	t.took, t.defers, t.facts = slices.Clone(s.took), slices.Clone(s.defers), slices.Clone(s.facts)
	return &t
}

// key is the same for equal states.
func (s *state) key() string {
	b := make([]byte, 0, 128)
	number := func(n int64) { b = append(strconv.AppendInt(b, n, 36), ' ') }
	flag := func(is bool) { b = strconv.AppendBool(b, is) }
	for _, list := range [][]hold{s.held, s.freed, s.unacquired, s.closed} {
		b = append(b, '|')
		for _, h := range list {
			number(int64(h.path))
			number(int64(h.mode))
			number(int64(h.at.Pos()))
			number(int64(h.at.Block().Index))
			flag(h.unsure)
		}
	}
	flag(s.lost)
	flag(s.coarse)
	for _, p := range s.took {
		number(int64(p))
	}
	b = append(b, '|')
	for _, d := range s.defers {
		number(int64(d.Pos()))
	}
	for _, f := range s.facts {
		b = append(append(b, f.key...), '=')
		flag(f.is)
	}
	return string(b)
}

// holds returns the index in list of path p, or -1.
func holds(list []hold, p static.Path) int {
	if p == static.Unknown {
		return -1
	}
	return slices.IndexFunc(list, func(h hold) bool { return h.path == p })
}
