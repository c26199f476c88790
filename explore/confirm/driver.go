package confirm

import (
	"bytes"
	"context"
	"go/token"
	"slices"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/findings"
)

// Drivers returns drivers, by number of the finding, for the wanted findings that can have one. Findings
// with the same methods share a driver. zero: see findings.NewDriver.
func (c *Config) Drivers(wanted func(i int) bool, zero bool, name func(n int) string) map[int]*findings.Driver {
	list := make(map[int]*findings.Driver)
	var all []*findings.Driver
	for i := range c.List {
		if !wanted(i) || shapes[c.List[i].Code] == never {
			continue
		}
		d := findings.NewDriver(c.Prog, &c.List[i], name(len(all)+1), zero)
		if d == nil {
			continue
		}
		k := slices.IndexFunc(all, func(e *findings.Driver) bool { return e.Package == d.Package && e.Body == d.Body })
		if k < 0 {
			k = len(all)
			all = append(all, d)
		}
		list[i] = all[k]
	}
	return list
}

// Edits returns the edits of the program that add the drivers, each at the end of a file.
func (c *Config) Edits(drivers map[int]*findings.Driver, text func(file string) ([]byte, error)) (edits []load.Edit, err error) {
	var done []*findings.Driver
	for i := range c.List {
		d := drivers[i]
		if d == nil || slices.Contains(done, d) {
			continue
		}
		done = append(done, d)
		src, err := text(d.File)
		if err != nil {
			return nil, err
		}
		pos, ok := lastBracket(src)
		if pos.Filename = d.File; !ok {
			continue
		}
		if k := slices.IndexFunc(edits, func(e load.Edit) bool { return e.Pos == pos }); k >= 0 {
			edits[k].To += "\n" + d.Func()
			continue
		}
		last := string(src[pos.Offset : pos.Offset+1])
		edits = append(edits, load.Edit{Pos: pos, From: last, To: last + "\n\n" + d.Func()})
	}
	return edits, nil
}

// lastBracket returns the position of the last closing bracket at the beginning of a line, which ends a
// declaration.
func lastBracket(src []byte) (pos token.Position, ok bool) {
	offset := 0
	for i, l := range bytes.SplitAfter(src, []byte("\n")) {
		if len(l) > 0 && (l[0] == '}' || l[0] == ')') {
			pos, ok = token.Position{Line: i + 1, Column: 1, Offset: offset}, true
		}
		offset += len(l)
	}
	return pos, ok
}

// Try explores e, a driver for the findings in list, and returns the answers for those that it confirms.
func (c *Config) Try(ctx context.Context, e *explore.Entry, list []int) (map[int]Answer, error) {
	var states []*state
	x := entry{Entry: e}
	for k, i := range list {
		states = append(states, &state{claim: newClaim(c.Prog.Fset, &c.List[i])})
		x.claims = append(x.claims, k)
	}
	if err := c.explore(ctx, x, states); err != nil {
		return nil, err
	}
	answers := make(map[int]Answer)
	for k, i := range list {
		if states[k].answer.Status == Confirmed {
			answers[i] = states[k].answer
		}
	}
	return answers, nil
}
