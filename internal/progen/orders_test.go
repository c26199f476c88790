package progen_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// TestOrders: the orders recorded during a search of every execution, to its end or up to a bound, are
// those of the executions one by one. In all executions each choice is made both ways, and a search by
// classes finds both orders of it.
func TestOrders(t *testing.T) {
	total := deep.N(8, 24)
	const most = 1000
	bounds := []uint64{1, 2, 7, 50, most}
	full := explorers.Lookup("full")
	compared, choices, oneWay, exhaustive, byClass := 0, 0, 0, 0, 0
	for seed := deep.Seed(); seed < deep.Seed()+uint64(total); seed++ {
		u := branching(seed)
		if seed%3 != 0 {
			p := progen.Generate(seed, features)
			u = unit{p.Name, p.Source()}
		}
		g := loadGroupCounting(t, []unit{u}, vm.Config{VisibleOutput: true, Races: true}, true)
		g.in(0, func() {
			for _, bound := range bounds {
				g.m.Report().ForgetCovered()
				c := &counter{observer: newObserver(t, g.m)}
				r := full.Explore(g.m, c, por.Config{MaxExecutions: bound, MaxSteps: 200})
				got := orders(g.m)
				want := ordersOneByOne(g.m, c.schedules)
				compared++
				if !maps.Equal(got, want) {
					t.Errorf("%s, %d executions: orders are\n%v, one by one\n%v\n%s", u.Name, bound, got, want, numbered(u.Source))
					return
				}
				complete := len(r.Incomplete) == 0
				for o, times := range got {
					if times == 0 {
						continue
					}
					choices++
					if got[[2]string{o[1], o[0]}] > 0 {
						continue
					}
					if oneWay++; complete {
						t.Errorf("%s: of all executions none has the other order of %v\n%s", u.Name, o, numbered(u.Source))
					}
				}
				if !complete {
					continue
				}
				exhaustive++
				for _, e := range covers() {
					if e.Stateful || e.Name == "context" || e.Equivalence != "" {
						continue
					}
					g.m.Report().ForgetCovered()
					if _, r := g.explore(t, e, vm.AwaitNever, por.Config{MaxExecutions: most, MaxSteps: 200}); len(r.Incomplete) > 0 {
						continue
					}
					byClass++
					found := orders(g.m)
					for o, times := range got {
						if _, ok := found[o]; times > 0 && !ok {
							t.Errorf("%s, %s: the order %v is not met\n%s", u.Name, e.Name, o, numbered(u.Source))
						}
					}
				}
				break
			}
		})
	}
	if compared == 0 || choices == 0 || oneWay == 0 || exhaustive == 0 || byClass == 0 {
		t.Error("this compares nothing")
	}
	t.Logf("%d searches compared, %d choices, %d of them made one way only; %d programs exhausted, %d searches by classes of these",
		compared, choices, oneWay, exhaustive, byClass)
}

// orders returns the orders that m has noted.
func orders(m *vm.Machine) map[[2]string]uint64 {
	all := make(map[[2]string]uint64)
	site := func(s vm.Site) string { return siteName(m.Report().SiteStack(s.Stack), s.Kind) }
	m.Report().EachOrder(func(o vm.Order, times uint64) { all[[2]string{site(o.First), site(o.Second)}] += times })
	return all
}

func siteName(stack []vm.SourceFrame, k trace.Kind) string {
	if len(stack) == 0 {
		return k.String()
	}
	return fmt.Sprintf("%v %d in %d", k, stack[0].Pos.Line, stack[len(stack)-1].Pos.Line)
}

// ordersOneByOne returns what orders returns after schedules have been executed: it executes each
// of them from the beginning.
func ordersOneByOne(m *vm.Machine, schedules []trace.Schedule) map[[2]string]uint64 {
	type event struct {
		g       trace.GID
		site    string
		touches []trace.Access
	}
	all := make(map[[2]string]uint64)
	seen := make(map[string]bool) // prefixes of schedules
	for _, path := range schedules {
		root := m.Mark()
		var before []event
		for i := 0; ; i++ {
			var pending []event
			for _, h := range m.Pending(nil) {
				if !m.Report().System(h) {
					pending = append(pending, event{h, siteName(m.Report().Stack(h), m.Next(h).Kind), m.Touches(h, nil)})
				}
			}
			for _, e := range pending {
				for _, f := range before {
					if f.g != e.g && onOneLocation(f.touches, e.touches) {
						all[[2]string{f.site, e.site}] += 0
					}
				}
			}
			if i == len(path) {
				break
			}
			s := path[i]
			first := !seen[fmt.Sprint(path[:i+1])]
			seen[fmt.Sprint(path[:i+1])] = true
			partner, paired := m.Partner(s.G, s.Choice)
			moves := func(g trace.GID) bool { return g == s.G || paired && g == partner }
			enabled := m.Enabled(nil)
			for _, e := range pending {
				if !moves(e.g) {
					continue
				}
				before = append(before, e)
				for _, f := range pending {
					if moves(f.g) {
						continue
					}
					a, b, order := m.Next(e.g), m.Next(f.g), [2]string{e.site, f.site}
					switch {
					case first && slices.Contains(enabled, f.g) && isChoice(m, &a, &b):
						all[order]++
					case onOneLocation(e.touches, f.touches):
						all[order] += 0
					}
				}
			}
			m.Step(s.G, s.Choice)
		}
		m.Rewind(root)
		m.Release(root)
	}
	return all
}

// onOneLocation reports whether accesses of a and b begin at the same place.
func onOneLocation(a, b []trace.Access) bool {
	for _, x := range a {
		for _, y := range b {
			if x.Obj == y.Obj && x.Off == y.Off {
				return true
			}
		}
	}
	return false
}

// isChoice reports whether the order of two operations that are both enabled makes a difference.
func isChoice(m *vm.Machine, a, b *trace.Op) bool {
	if a.Kind.Communicates() && b.Kind.Communicates() {
		x, _ := m.Cases(a.G, nil)
		y, _ := m.Cases(b.G, nil)
		for _, c := range x {
			for _, d := range y {
				if c.Chan != 0 && c.Chan == d.Chan && (c.Send == d.Send || a.Kind == trace.TrySelect || b.Kind == trace.TrySelect) {
					return true
				}
			}
		}
		return false
	}
	if a.Kind.Communicates() || b.Kind.Communicates() {
		return hb.Overlap(m.Touches(a.G, nil), m.Touches(b.G, nil))
	}
	return (a.Kind != trace.Output || b.Kind != trace.Output) && hb.Dependent(a, b)
}
