package static

// May is the value of an analysis that collects possible events: a set of events, and whether any path
// reaches the exit.
type May struct {
	Set   Set
	Exits bool
}

// mayDomain collects the results of event along all paths.
type mayDomain struct {
	sets   *Sets
	event  func(e *Event) May
	rename func(s Set, r *Renaming) Set // nil: nothing has paths
}

func (d *mayDomain) Skip() May { return May{Exits: true} }

func (d *mayDomain) Never() May { return May{} }

func (d *mayDomain) Merge(a, b May) May { return May{d.sets.Union(a.Set, b.Set), a.Exits || b.Exits} }

func (d *mayDomain) Seq(a, b May) May {
	if !a.Exits {
		return a
	}
	return May{d.sets.Union(a.Set, b.Set), b.Exits}
}

func (d *mayDomain) Event(e *Event) May { return d.event(e) }

func (d *mayDomain) Spawn(v May) May { return May{v.Set, true} }

func (d *mayDomain) Rename(v May, r *Renaming) May {
	if d.rename != nil {
		v.Set = d.rename(v.Set, r)
	}
	return v
}

// total returns the events until either exit.
func (e *Engine[V]) total(f Flow[V]) V { return e.join(f.Normal, f.Panic) }
