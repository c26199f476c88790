package report

import (
	"go/token"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
)

// TestOneOrder: pairs whose other order did not occur are listed, those with the most choices first; and
// only those of the user's module.
func TestOneOrder(t *testing.T) {
	at := func(file string, line int, k trace.Kind, what string) describe.Place {
		return describe.Place{Pos: token.Position{Filename: "/m/" + file, Line: line}, Kind: k, What: what}
	}
	a, b := at("a.go", 1, trace.Lock, "mu"), at("a.go", 2, trace.Lock, "c.mu")
	c, d := at("a.go", 3, trace.Send, ""), at("b.go", 4, trace.Recv, "ch")
	c1 := &explore.Coverage{
		Blocks:  []load.Block{{File: "/m/a.go", Stmts: 1}},
		Reached: []bool{true}, Init: []bool{false},
		Orders: map[describe.Order]uint64{
			{First: a, Second: b}: 2,
			{First: a, Second: c}: 5,
			{First: b, Second: c}: 5,
			{First: c, Second: b}: 1, // the other order
			{First: c, Second: a}: 0, // the other one, though it was no choice
			{First: b, Second: b}: 3, // which is its own other order
			{First: c, Second: d}: 9, // not in the module
			{First: c, Second: c}: 0,
		},
	}
	words := func(c *explore.Coverage) (list []string) {
		for _, o := range CoverageOf(c).Orders {
			list = append(list, o.String())
		}
		return list
	}
	if got, want := words(c1), []string{"lock a.go:1 before lock a.go:2 (mu, c.mu)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	delete(c1.Orders, describe.Order{First: c, Second: a})
	want := []string{"send a.go:3 before lock a.go:2 (c.mu)", "lock a.go:1 before send a.go:3 (mu)", "lock a.go:1 before lock a.go:2 (mu, c.mu)"}
	delete(c1.Orders, describe.Order{First: b, Second: c})
	c1.Orders[describe.Order{First: c, Second: b}] = 7
	if got := words(c1); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// A pair that occurred in the other order in another entry is listed for neither.
	c1.Add(&explore.Coverage{Reached: []bool{true}, Init: []bool{false}, Orders: map[describe.Order]uint64{{First: b, Second: c}: 1}})
	if got := words(c1); !slices.Equal(got, want[1:]) {
		t.Errorf("%q, want %q", got, want[1:])
	}
}
