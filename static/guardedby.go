package static

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// GuardedBy is the lock patterns analysis (SPIN 2014, section 4.7, item I6): the accesses that may be made
// from a program point on, and the locks held at each of them, named by their place relative to the
// accessed memory.
//
// The paper asks whether every access to a field f goes through this inside of a block that is synchronized
// on this. In Go a mutex is a field next to f: the access o.f is guarded by o.mu if both paths lead through
// the same o. Then only one property of o matters: &o.mu is a fixed number of bytes from &o.f. So a guard is
// a distance and a mode, and no alias information is needed. Suppose that T_c accesses location x while it
// holds the mutex at x+d. Suppose also that T_h makes every future access of that class while it holds the
// mutex at distance d from the accessed location, in a mode that excludes T_c's. Then T_h does not access x
// as long as T_c does not move. Package variables that are mutexes are guards by themselves.
//
// Stage A is held.go. Stage B is a backward analysis. It collects every access with its guards; alternatives
// are united. The locks held by callers are added at calls, as long as the callee has unlocked nothing that
// it had not locked. So helpers that must be called with the lock held are guarded if all their callers hold
// it. Calls by go and defer add nothing. An access through an unknown path is not guarded. Neither are
// accesses to the same class by other means: addresses that were taken, whole structs, reflection. Accesses
// to memory allocated after the point are left out: no other goroutine accesses that now.
type GuardedBy struct {
	*Engine[May]
	d *guardDomain
}

//	o.mu.Lock(); o.n++      o.n is guarded at distance &o.mu - &o.n, in mode Write
//	s[i].mu.Lock(); s[i].n++    likewise, though nothing is known of s and i

// A Guard is a lock that is held while something is accessed.
type Guard struct {
	Distance int64  // bytes from the address of the access to that of the lock
	Global   Path   // the lock itself, if it is a variable; otherwise Unknown
	Name     string // name of the lock, from the object in which both lie
	Mode     Mode
}

// A Guarded is an access with its guards.
type Guarded struct {
	Access int
	Instr  ssa.Instruction
	guards Set
	addr   Path
	closed bool // locks of callers do not count
}

// NewGuardedBy returns the analysis. It uses u's results about calls.
func NewGuardedBy(b *Base, u *ForeignUnlock) *GuardedBy {
	d := &guardDomain{mayDomain: mayDomain{sets: b.Sets}, base: b, held: newHeld(u), bare: map[int]int{}}
	d.mayDomain.event = d.access
	d.mayDomain.rename = d.into
	return &GuardedBy{NewEngine[May](b, d), d}
}

// Each calls f with the accesses in v and their guards.
func (a *GuardedBy) Each(v May, f func(x Guarded, guards []Guard)) {
	var list []Guard
	for _, n := range a.base.Sets.Elems(v.Set) {
		x := a.d.accesses.list[n]
		list = list[:0]
		for _, k := range a.base.Sets.Elems(x.guards) {
			list = append(list, a.d.guards.list[k])
		}
		f(x, list)
	}
}

// All returns the accesses of calls of all functions in fns, with the guards that they have.
func (a *GuardedBy) All(fns []*ssa.Function) May {
	v := a.d.Never()
	for _, fn := range fns {
		if len(fn.Blocks) > 0 && a.base.Prog.Body(fn) == fn {
			v = a.join(v, a.total(a.Before(fn.Blocks[0].Instrs[0])))
		}
	}
	return v
}

// Work returns the number of accesses that have been passed from functions to their callers so far.
func (a *GuardedBy) Work() int { return a.d.work }

func (*GuardedBy) Name() string { return "guardedby" }

func (*GuardedBy) Doc() string {
	return "locks that are held at every access from here on, and why others are not"
}

// At implements Analysis: for each class that is accessed and each lock that
// guards one of the accesses, whether it guards all.
func (a *GuardedBy) At(instr ssa.Instruction) []Fact {
	var facts []Fact
	for _, x := range a.facts(a.total(a.Before(instr))) {
		x.Fact.Text += " from here on" // the field may be accessed without the lock elsewhere
		facts = append(facts, x.Fact)
	}
	return sortFacts(facts)
}

// A FieldFact is a fact about a field, or other class of locations.
type FieldFact struct {
	Fact
	Decl token.Pos // where the field is declared
}

// Together is At for the entries of all functions in fns: its facts hold for all concurrent calls of these
// functions.
func (a *GuardedBy) Together(fns []*ssa.Function) []FieldFact {
	list := a.facts(a.All(fns))
	slices.SortStableFunc(list, func(x, y FieldFact) int {
		return cmp.Or(cmp.Compare(x.Decl, y.Decl), cmp.Compare(x.Text, y.Text), cmp.Compare(x.Why, y.Why))
	})
	return list
}

func (a *GuardedBy) facts(v May) []FieldFact {
	type name struct {
		key  string
		lock string
	}
	classes := map[string][]Guarded{}
	guards := map[int][]Guard{}
	var order []name
	a.Each(v, func(x Guarded, list []Guard) {
		if !a.base.reportsClass(x.Access) {
			return
		}
		key, _ := a.d.field(x)
		classes[key] = append(classes[key], x)
		for _, g := range list {
			if n := (name{key, g.Name}); !slices.Contains(order, n) {
				order = append(order, n)
			}
		}
		if len(list) > 0 {
			guards[a.d.accesses.of(x)] = slices.Clone(list)
		}
	})
	var facts []FieldFact
	for _, n := range order {
		f := Fact{Text: fmt.Sprintf("%s is guarded by %s", n.key, n.lock)}
		list := classes[n.key]
		_, decl := a.d.field(list[0])
		slices.SortStableFunc(list, func(x, y Guarded) int { return cmp.Compare(x.Instr.Pos(), y.Instr.Pos()) })
		for _, x := range list {
			write := a.base.Acc.At(x.Access).Write
			held := guards[a.d.accesses.of(x)]
			locked := func(g Guard) bool { return g.Name == n.lock }
			lockedEnough := func(g Guard) bool { return locked(g) && (!write || g.Mode == Write) }
			how := ""
			switch {
			case slices.ContainsFunc(held, lockedEnough):
			case slices.ContainsFunc(held, locked):
				how = "with " + n.lock + " locked for reading only"
			default:
				how = "without " + n.lock
			}
			if how != "" {
				verb := "read"
				if write {
					verb = "written"
				}
				f.Pos = x.Instr.Pos()
				f.Why = fmt.Sprintf("%s at %s %s", verb, position(x.Instr), how)
				break
			}
		}
		facts = append(facts, FieldFact{f, decl})
	}
	return facts
}

// field names the locations of x. If they are a field it also returns where the field is declared, in the
// struct type that x's own code names. Other struct types with the same fields are the same class of
// locations, because pointers to them can be converted, but their fields are not the same.
func (d *guardDomain) field(x Guarded) (name string, decl token.Pos) {
	var addr ssa.Value
	switch i := x.Instr.(type) {
	case *ssa.UnOp:
		addr = i.X
	case *ssa.Store:
		addr = i.Addr
	}
	fa, ok := addr.(*ssa.FieldAddr)
	//mutant: fields of types of equal structure are one [test ./static TestWant/twins]: true
	if !ok {
		return d.base.Acc.class(x.Access), d.base.Acc.declared(x.Access)
	}
	t := elemOf(fa.X.Type())
	f := t.Underlying().(*types.Struct).Field(fa.Field)
	return fmt.Sprintf("field %s of %s", f.Name(), types.TypeString(t, (*types.Package).Name)), f.Pos()
}

// position writes where instr is in the source.
func position(instr ssa.Instruction) string {
	p := instr.Parent().Prog.Fset.Position(instr.Pos())
	if !p.IsValid() {
		return "an unknown position in " + instr.Parent().String()
	}
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// guardDomain is mayDomain with guarded accesses as elements.
type guardDomain struct {
	mayDomain
	base     *Base
	held     *held
	guards   table[Guard]
	accesses table[Guarded]
	bare     map[int]int // access → its number without guards
	work     int         // see Work
}

// of returns the number of x. For accesses that have no guard and never will, only the first one of each
// class is kept.
func (d *guardDomain) of(x Guarded) int {
	if x.addr == Unknown || x.closed && d.base.Paths.allocated(x.addr) == nil {
		x.addr, x.closed = Unknown, true
		if x.guards == Empty {
			if first, ok := d.bare[x.Access]; ok {
				return first
			}
			d.bare[x.Access] = len(d.accesses.list)
		}
	}
	return d.accesses.of(x)
}

// access is the transfer function of events.
func (d *guardDomain) access(e *Event) May {
	if e.Kind != AccessEvent || d.base.Acc.isSync(e.N) {
		return May{Exits: true}
	}
	x := Guarded{Access: e.N, Instr: e.Instr, addr: e.Path, closed: true}
	if e.Instr != nil {
		h := d.held.before(e.Instr)
		if !h.reached {
			return May{Exits: true}
		}
		x.guards, x.closed = d.guarding(e.Path, h.locks), !h.clean
	}
	return May{d.sets.Of(d.of(x)), true}
}

// guarding returns the guards that locks are for address p.
func (d *guardDomain) guarding(p Path, locks Set) Set {
	s := Empty
	objs := d.held.u.d.objs
	for _, n := range d.sets.Elems(locks) {
		o := objs.At(n)
		g := Guard{Mode: o.Mode}
		if dist, name, ok := d.base.Paths.distance(p, o.Path); ok {
			g.Distance, g.Name = dist, name
		} else if d.base.Paths.global(o.Path) {
			g.Global, g.Name = o.Path, d.base.Paths.String(o.Path)
		} else {
			continue
		}
		s = d.sets.Union(s, d.sets.Of(d.guards.of(g)))
	}
	return s
}

// into translates accesses to the caller, with the locks that it holds at the call. After an unlock in the
// callee that matches no lock there, none of the caller's locks is certain to be held (closed).
func (d *guardDomain) into(s Set, r *Renaming) Set {
	var h holding
	if r.site != nil {
		h = d.held.before(r.site)
	}
	var list []int
	elems := d.sets.Elems(s)
	d.work += len(elems)
	for _, n := range elems {
		x := d.accesses.list[n]
		if x.addr == Unknown {
			list = append(list, n)
			continue
		}
		x.addr = r.Path(x.addr)
		if d.base.Paths.Fresh(x.addr) {
			continue
		}
		if !r.kill {
			if r.site != nil && !x.closed {
				x.guards = d.sets.Union(x.guards, d.guarding(x.addr, h.locks))
			}
			x.closed = x.closed || !h.clean
		}
		list = append(list, d.of(x))
	}
	return d.sets.Of(list...)
}

// Spawn: a goroutine does not hold the locks of the goroutine that starts it.
func (d *guardDomain) Spawn(v May) May {
	var list []int
	for _, n := range d.sets.Elems(v.Set) {
		x := d.accesses.list[n]
		x.closed = true
		list = append(list, d.of(x))
	}
	return May{d.sets.Of(list...), true}
}
