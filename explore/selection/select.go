package selection

import (
	"cmp"
	"slices"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
)

// A Builder makes a machine in the initial state of an entry. During a long step the machine calls
// interrupted, which reports whether to cut the execution.
type Builder func(prog *load.Program, e *load.Entry, interrupted func() bool) (describe.Machine, error)

// Options select entries of a program.
type Options struct {
	Run   *Filter // tests whose name matches; nil: all
	Skip  *Filter // skip the entries whose name matches; nil: skip none
	Bench *Filter // benchmarks whose name matches, too; nil: none
	Entry string  // only this function, which need not be a test or main
	// Symbolic: Entry is called with symbolic arguments.
	Symbolic bool
	NoMain   bool // no main functions
}

// NoMatch is the error for Options that select no entry.
type NoMatch struct {
	Options
	First string // first entry of the program
}

func (e *NoMatch) Error() string { return "selection: no entry is selected" }

// Select returns the selected entries of prog, each with a machine built by build. Main functions come
// last, because that of a server does not end. The error is a *NoMatch if there are entries and none is
// selected.
func Select(prog *load.Program, sel Options, build Builder) ([]explore.Entry, error) {
	found := prog.Entries
	if sel.Entry != "" {
		lookup := prog.Lookup
		if sel.Symbolic {
			lookup = prog.LookupSymbolic
		}
		e, err := lookup(sel.Entry)
		if err != nil {
			return nil, err
		}
		found = []*load.Entry{e}
	} else {
		if err := prog.HasEntries(); err != nil && (sel.Bench == nil || len(prog.Benchmarks) == 0) {
			return nil, err
		}
		pairs, _ := Pairs(prog, sel)
		found = withPairs(found, pairs)
		if sel.Bench != nil {
			found = slices.Concat(found, prog.Benchmarks)
		}
	}
	if sel.Entry == "" {
		isMain := func(e *load.Entry) bool { return e.Kind == load.Main }
		if sel.NoMain {
			found = slices.DeleteFunc(slices.Clone(found), isMain)
		} else {
			found = slices.Clone(found)
			slices.SortStableFunc(found, func(a, b *load.Entry) int { return cmp.Compare(b2i(isMain(a)), b2i(isMain(b))) })
		}
	}
	var entries []explore.Entry
	for _, e := range found {
		own := sel
		if e.Bench && sel.Entry == "" {
			own.Run = sel.Bench
		}
		if own.selects(e) {
			x := explore.Entry{Package: e.Path, Name: e.Name, Source: e, New: func(interrupted func() bool) (describe.Machine, error) {
				return build(prog, e, interrupted)
			}}
			if e.Beside != nil {
				x.Together = []string{e.TestName(), e.Beside.Name}
			}
			entries = append(entries, x)
		}
	}
	if len(entries) == 0 && len(found) == 0 {
		return nil, prog.NoEntries()
	}
	if len(entries) == 0 {
		return nil, &NoMatch{sel, found[0].String()}
	}
	return entries, nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
