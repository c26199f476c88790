// Package small explores small versions of tests that are too big. Package scale finds the numbers that
// determine the size of a test. The package is loaded again with smaller numbers, and explored like any other
// package.
//
// A small version counts only if it is a test that passes (Valid): smaller numbers may break a test, and
// then its failures mean nothing. The result of a version that counts holds for the small program, which
// was explored, not for the big one.
//
//	small.go    which versions are tried, and explored
//	valid.go    whether a version is a test that passes
//	doubt.go    bugs that smaller numbers may have caused
//	carry.go    whether the schedules of its bugs show them at full size
package small

import (
	"context"
	"errors"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/load/scale"
)

// Config says how small versions of an entry are made and explored.
type Config struct {
	Prog    *load.Program
	Entry   explore.Entry
	Options explore.Options // Timeout is the time for everything; 0: no limit
	Sample  explore.Options // options for a few random executions
	Wishes  []scale.Wish    // the user's choice of numbers; nil: they are found

	// Load loads the program again with edits.
	Load func([]load.Edit) (*load.Program, error)
	// Build makes the machine of an entry.
	Build func(prog *load.Program, e *load.Entry, interrupted func() bool) (describe.Machine, error)
	// Once executes an entry in the order in which gc would.
	Once func(prog *load.Program, e *load.Entry, interrupted func() bool) (describe.Once, error)
	// Run explores an entry.
	Run func(ctx context.Context, e explore.Entry, opts explore.Options) (*explore.Result, error)

	full *describe.Once // of the entry at full size, once it was needed
}

// A Version is a small version of an entry that counts.
type Version struct {
	*bug.Smaller
	entry  explore.Entry
	choice scale.Choice
	shape  scale.Shape
	scale  scale.Scale
	times  bool // the small version does not wait for the same durations as the entry
}

// The scales. The first scale of tried whose version counts is explored first. Then, as long as there is
// time, the scales of larger are explored if that version is exhaustive, and those of smaller if it is not.
var (
	tried   = []scale.Scale{{Goroutines: 2, Rounds: 2}, {Goroutines: 3, Rounds: 3}, {Goroutines: 4, Rounds: 4}}
	larger  = []scale.Scale{{Goroutines: 3, Rounds: 2}, {Goroutines: 3, Rounds: 3}}
	smaller = []scale.Scale{{Goroutines: 2, Rounds: 1}, {Goroutines: 1, Rounds: 1}}
)

// mostTries bounds the versions that are tried.
const mostTries = 10

// Find returns the first version that counts, nil if there is none.
func (c *Config) Find(ctx context.Context) (*Version, error) {
	if c.Options.Timeout > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, c.Options.Timeout)
		defer cancel()
	}
	list := scale.Find(c.Prog, c.Entry.Source)
	if c.Wishes != nil {
		choice, unfit := scale.Wished(list, c.Wishes)
		if len(unfit) > 0 {
			return nil, &Unfit{unfit[0]}
		}
		v, err := c.version(ctx, choice)
		if v == nil && err == nil && ctx.Err() == nil {
			err = ErrFails
		}
		return v, err
	}
	tries := 0
	seen := make(map[string]bool)
	for _, s := range tried {
		for _, shape := range scale.Shapes() {
			choice, ok := scale.Choose(list, shape, s)
			if !ok || seen[choice.String()] {
				continue
			}
			seen[choice.String()] = true
			if tries++; tries > mostTries || ctx.Err() != nil {
				return nil, nil
			}
			v, err := c.version(ctx, choice)
			if err != nil {
				return nil, err
			}
			if v != nil {
				v.shape, v.scale = shape, s
				return v, nil
			}
		}
	}
	return nil, nil
}

// Unfit is the error for a number chosen by the user that fits no number of the source.
type Unfit struct{ Wish scale.Wish }

func (e *Unfit) Error() string { return e.Wish.Text + ": no number in the test's files fits" }

// ErrFails is the error for numbers chosen by the user with which the test does not pass.
var ErrFails = errors.New("with these numbers the test does not compile, or does not pass, so a bug would prove nothing")

// version loads the version with these numbers. It returns nil if the version does not count.
func (c *Config) version(ctx context.Context, choice scale.Choice) (*Version, error) {
	edits := choice.Edits()
	prog, err := c.Load(edits)
	if err != nil {
		return nil, nil // such numbers do not fit together
	}
	source := entryOf(prog, c.Entry.Source)
	if source == nil {
		return nil, nil
	}
	v := &Version{Smaller: &bug.Smaller{Edits: edits}, choice: choice}
	for _, x := range choice.Values {
		v.Constants = append(v.Constants, bug.Scaled{Pos: x.Pos, From: x.From, To: x.To, Follows: x.Role >= scale.Size})
	}
	v.entry = c.Entry
	v.entry.Source = source
	v.entry.New = func(interrupted func() bool) (describe.Machine, error) { return c.Build(prog, source, interrupted) }
	ok, err := c.valid(ctx, v, prog)
	if !ok || err != nil {
		return nil, err
	}
	return v, nil
}

// entryOf returns the entry of prog that corresponds to e, an entry of another program.
func entryOf(prog *load.Program, e *load.Entry) *load.Entry {
	list := prog.Entries
	if e.Beside != nil {
		list = prog.Together()
	}
	for _, x := range list {
		if x.Kind == e.Kind && x.Path == e.Path && x.Name == e.Name {
			return x
		}
	}
	return nil
}

// Explore explores v, and then larger or smaller versions of its shape, until the time is up. The result is
// that of a version with a bug; without a bug, that of the largest exhaustive version; without an exhaustive
// version, that of v.
func (c *Config) Explore(ctx context.Context, v *Version) (*explore.Small, error) {
	end := time.Now().Add(c.Options.Timeout)
	if c.Wishes != nil {
		return c.explore(ctx, v, c.left(end))
	}
	best, err := c.explore(ctx, v, c.left(end)/2)
	if err != nil || best.Result.Verdict == explore.Fail {
		return best, err
	}
	grows := best.Exhaustive()
	next := smaller
	if grows {
		next = larger
	}
	list := scale.Find(c.Prog, c.Entry.Source)
	seen := map[string]bool{v.choice.String(): true}
	for _, s := range next {
		if ctx.Err() != nil || c.Options.Timeout > 0 && c.left(end) < leastTime {
			break
		}
		choice, ok := scale.Choose(list, v.shape, s)
		if !ok || seen[choice.String()] || grows && (s.Goroutines < v.scale.Goroutines || s.Rounds < v.scale.Rounds) {
			continue
		}
		seen[choice.String()] = true
		w, err := c.version(ctx, choice)
		if err != nil {
			return nil, err
		}
		if w == nil {
			continue
		}
		x, err := c.explore(ctx, w, c.left(end))
		if err != nil || x.Result.Verdict == explore.Fail {
			return x, err
		}
		if x.Exhaustive() {
			best = x
		}
		if x.Exhaustive() != grows { // a larger version takes longer, and a smaller one covers less
			break
		}
	}
	return best, nil
}

// explore explores v for at most the given time; 0: no limit.
func (c *Config) explore(ctx context.Context, v *Version, most time.Duration) (*explore.Small, error) {
	opts := c.Options
	opts.Keep, opts.Trace, opts.Explain, opts.Timeout = nil, nil, nil, most
	r, err := c.Run(ctx, v.entry, opts)
	if err != nil {
		return nil, err
	}
	c.doubt(v, r)
	if err := c.carry(ctx, r); err != nil {
		return nil, err
	}
	return &explore.Small{Smaller: v.Smaller, Result: r}, nil
}

// left returns the time that is left, which is more than 0, or 0 if there is no limit.
func (c *Config) left(end time.Time) time.Duration {
	if c.Options.Timeout == 0 {
		return 0
	}
	return max(2, time.Until(end))
}

// leastTime is the least remaining time with which another version is begun.
const leastTime = 200 * time.Millisecond
