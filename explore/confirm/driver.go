package confirm

import (
	"bytes"
	"cmp"
	"context"
	"go/token"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/findings"
)

// Drivers returns drivers, by number of the finding, for the wanted findings, the most promising first, and
// reasons for those that have none. Findings with the same functions share their drivers.
func (c *Config) Drivers(wanted func(i int) bool, name func(n int) string) (map[int][]*findings.Driver, map[int]string) {
	list, why := make(map[int][]*findings.Driver), make(map[int]string)
	s := findings.NewDrivers(c.Prog)
	var all []*findings.Driver
	for _, v := range findings.Variants() {
		for i := range c.List {
			if !wanted(i) || shapes[c.List[i].Code] == never {
				continue
			}
			d, reason := s.New(&c.List[i], name(len(all)+1), v)
			if d == nil {
				why[i] = cmp.Or(why[i], reason)
				continue
			}
			k := slices.IndexFunc(all, func(e *findings.Driver) bool { return sameDriver(d, e) })
			if k < 0 {
				k = len(all)
				all = append(all, d)
			}
			if !slices.Contains(list[i], all[k]) {
				list[i] = append(list[i], all[k])
			}
		}
	}
	broken := make(map[*findings.Driver]error)
	for len(all) > 0 {
		var others, of []*findings.Driver
		for _, d := range all {
			if d.Package == all[0].Package {
				of = append(of, d)
			} else {
				others = append(others, d)
			}
		}
		for k, err := range findings.Compile(c.Prog, of) {
			broken[of[k]] = err
		}
		all = others
	}
	for i, drivers := range list {
		list[i] = slices.DeleteFunc(drivers, func(d *findings.Driver) bool { err := broken[d]; return err != nil })
		if len(list[i]) == 0 {
			delete(list, i)
			why[i] = cmp.Or(why[i], "its driver does not compile")
		}
	}
	return list, why
}

// sameDriver reports whether a and b differ in their names only.
func sameDriver(a, b *findings.Driver) bool {
	text := func(d *findings.Driver) string { return strings.ReplaceAll(d.Body+d.Decls, d.Name, "") }
	return a.Package == b.Package && text(a) == text(b)
}

// Edits returns the edits of the program that add the drivers, each at the end of a file.
func (c *Config) Edits(drivers map[int][]*findings.Driver, text func(file string) ([]byte, error)) (edits []load.Edit, err error) {
	var done []*findings.Driver
	add := func(pos token.Position, last, more string) {
		if k := slices.IndexFunc(edits, func(e load.Edit) bool { return e.Pos == pos }); k < 0 {
			edits = append(edits, load.Edit{Pos: pos, From: last, To: last + more})
		} else if !strings.Contains(edits[k].To, more) {
			edits[k].To += more
		}
	}
	for i := range c.List {
		for _, d := range drivers[i] {
			if slices.Contains(done, d) {
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
			add(pos, string(src[pos.Offset:pos.Offset+1]), "\n\n"+d.Func())
			for _, f := range d.Package.Files {
				at := c.Prog.Fset.PositionFor(f.Name.Pos(), false)
				if at.Filename != d.File {
					continue
				}
				for _, i := range d.Added {
					add(at, f.Name.Name, "; import "+i)
				}
			}
		}
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

// Try explores e, a driver for the findings in list. It returns the answers for the confirmed findings, and
// the reasons why the others are not confirmed.
func (c *Config) Try(ctx context.Context, e *explore.Entry, list []int) (map[int]Answer, error) {
	var states []*state
	x := entry{Entry: e, driver: true}
	for k, i := range list {
		states = append(states, &state{claim: newClaim(c.Prog.Fset, &c.List[i])})
		x.claims = append(x.claims, k)
	}
	if err := c.explore(ctx, x, states); err != nil {
		return nil, err
	}
	answers := make(map[int]Answer)
	for k, i := range list {
		s := states[k]
		//mutant: confirm: a driver for which there was no time is a test that does not reach the places [test ./explore/confirm TestTryInNoTime]: "len(s.open)+len(s.refuting) == 0" -> "false"
		if s.answer.Status == Open && len(s.open)+len(s.refuting) == 0 {
			answers[i] = Answer{Why: c.Why()}
			continue
		}
		answers[i] = s.conclude()
	}
	return answers, nil
}

// Reached returns how many places of the findings in list e reaches in one execution, and how many there are.
func (c *Config) Reached(ctx context.Context, e *explore.Entry, list []int) (n, all int, err error) {
	x := []entry{{Entry: e}}
	var states []*state
	for k, i := range list {
		s := &state{claim: newClaim(c.Prog.Fset, &c.List[i])}
		states = append(states, s)
		x[0].claims = append(x[0].claims, k)
		all += len(s.places())
	}
	err = c.scout(ctx, x, states)
	return max(x[0].lines, 0), all, err
}
