package vm

import (
	"bytes"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm/begun"
	"hbcheck.dev/hbcheck/vm/layout"
)

// The base state, in which all packages are initialised, is the same for the tests of a package,
// and for all machines of one entry: replicas and refined ones. So a machine in the base state is
// kept, and others are copies of it. Code is compiled once, and a further test starts at the cost
// of copying the memory of initialisers.
//
//	initialise          the packages          once
//	   │
//	   ▼ base ──copy──▶ enter  TestA     ──▶ its first visible operation
//	       └────copy──▶ enter  TestB     ──▶
//
// Claim: a copy is equal to a machine that initialises the packages itself.
//
//  1. The execution up to the base state depends on the linked packages, on facts about the entry,
//     and on Config. startsAs compares all of these, except for parts of Config: Subtest and Ran
//     are used in tests only; Interrupt stops the machine, which is then not kept; a kept machine has not
//     read Stdin; and outputs are repeated for each copy (adopt).
//  2. Nothing that a copy shares with its original ever changes: code, layouts, types, literals
//     and descriptors of types, clocks. TestBase walks through both and compares.
//  3. Numbers are given in the order of discovery, which is the same for all machines up to the
//     base state; afterwards each copy gives its own. So a test does not depend on the tests
//     before it.
type base struct {
	m     *Machine
	asked Config // the configuration with which m was made
	facts load.EntryFacts
	said  []saying
	input []byte // standard input that initialisers have read; nil: they have read none
}

// saying is a text that initialisers of a program in run mode have written to a stream.
type saying struct {
	fd   int
	text []byte
}

// The bounds on kept machines: their number, and the bytes of objects of each and of all. Several are
// kept, because entries that need different bases can alternate: those of packages whose tests are
// linked separately, those with other facts, or with other refinements. Besides, each pass visits all
// packages again.
const (
	mostBases = 32
	mostKept  = 64 << 20
	allKept   = 3 * mostKept
)

// initialised returns a machine in the base state, or in an earlier state if it has ended or was interrupted
// there.
func initialised(prog *load.Program, e *load.Entry, cfg *Config) (*Machine, error) {
	facts := prog.EntryFacts(e, cfg.OrderedTime)
	if b := findBase(prog, e, cfg, facts); b != nil {
		return b.machine(e, cfg), nil
	}
	late := func() (*Machine, error) {
		none := *cfg
		none.Interrupt = func() bool { return true }
		_, m, err := initialise(prog, e, &none, facts, nil, true)
		return m, err
	}
	// Without this check, the moment of the interrupt would decide whether short initialisers end.
	if cfg.Interrupt != nil && cfg.Interrupt() {
		return late()
	}
	asked := begunAs{e, cfg.comparable(), facts}
	x, first := begun.Begin(&prog.Begun, asked, asked.equal)
	beside := cfg.Interrupt != nil && !cfg.Run && cfg.Stdout == nil && cfg.Stderr == nil && cfg.Observer == nil && cfg.Watch == nil
	own := *cfg
	var m *Machine
	var err error
	do := func() { m, err = newBase(prog, e, &own, facts) }
	switch {
	case first && beside:
		own.Interrupt = x.Suspend
		x.RunBeside(do)
	case first:
		x.Run(do)
	}
	//mutant: an interrupted initialisation begins again [test ./vm TestBaseContinued]: "!x.Wait(cfg.Interrupt)" -> "!x.Wait(cfg.Interrupt) && false"
	if !x.Wait(cfg.Interrupt) {
		return late()
	}
	if first && x.Panicked != nil {
		panic(x.Panicked)
	}
	if first {
		return m, err
	}
	if b := findBase(prog, e, cfg, facts); b != nil {
		return b.machine(e, cfg), nil
	}
	return newBase(prog, e, cfg, facts)
}

// begunAs says which packages are being initialised in a machine, and how.
type begunAs struct {
	entry *load.Entry
	asked Config
	facts load.EntryFacts
}

func (b begunAs) equal(other any) bool {
	o := other.(begunAs)
	return initialisedAs(b.entry, o.entry) && b.facts == o.facts && reflect.DeepEqual(&b.asked, &o.asked)
}

// initialisedAs reports whether the same packages are initialised for e and o.
func initialisedAs(e, o *load.Entry) bool {
	return e.LinkedAs(o) && (e.Beside == nil) == (o.Beside == nil)
}

// machine returns a copy of b for e. It writes the output of initialisers again.
func (b *base) machine(e *load.Entry, cfg *Config) *Machine {
	m := b.copy(e)
	for _, s := range b.said {
		if w := [...]io.Writer{1: cfg.Stdout, 2: cfg.Stderr}[s.fd]; w != nil {
			//mutant: what initialisers write is written once [base]
			w.Write(s.text)
		}
	}
	return m
}

// newBase makes a machine, executes the initialisers in it, and keeps it if it can be copied. The
// initialisers are executed once more in two cases: if one of them starts a goroutine or has a choice,
// because then the facts have to cover initialisers, too; or if they have few ways to use Pools (triesEarly).
func newBase(prog *load.Program, e *load.Entry, cfg *Config, facts load.EntryFacts) (*Machine, error) {
	b, m, err := initialise(prog, e, cfg, facts, nil, true)
	//mutant: what only initialisers do is not known [models TestInitialisers/counted]: "e.WithInitialisers()" -> "e"
	with := func() load.EntryFacts { return prog.EntryFacts(e.WithInitialisers(), cfg.OrderedTime) }
	alone := false
	if err == nil && m.forked && len(m.gs) > 1 && !cfg.ForkInits {
		b, m, alone, err = confluent(prog, e, cfg, with(), b)
	}
	if err == nil && !alone && m.early > 1 && m.early <= maxEarly {
		b, m, err = initialise(prog, e, cfg, facts, b, false)
	}
	if err == nil && !alone && m.forked {
		b, m, err = initialise(prog, e, cfg, with(), b, m.keepPools)
	}
	b.facts = facts
	if err != nil {
		return nil, err
	}
	//mutant: standard input makes no difference [base]: drop 1
	if b.input != nil || !m.canBeCopied() {
		return m, nil
	}
	b.m = m
	m.cfg.Stdin, m.cfg.Stdout, m.cfg.Stderr, m.cfg.Interrupt, m.cfg.Subtest, m.cfg.Ran = nil, nil, nil, nil, nil, nil
	b.asked = b.asked.comparable()
	b.asked.looked = m.drawnEarly(b.asked.looked)
	prog.Bases.Lock()
	defer prog.Bases.Unlock()
	list, _ := prog.Bases.Value.([]*base)
	kept, live := []*base{b}, b.m.heap.Live
	for _, x := range list {
		if live += x.m.heap.Live; len(kept) == mostBases || live > allKept {
			break
		}
		kept = append(kept, x)
	}
	prog.Bases.Value = kept
	return b.copy(e), nil
}

// initialise makes a machine and executes the initialisers. Standard input begins with the part
// that an earlier attempt has read. A program in run mode, which writes to the host, has only one
// attempt, because it does not fork.
func initialise(prog *load.Program, e *load.Entry, cfg *Config, facts load.EntryFacts, earlier *base, keepPools bool) (*base, *Machine, error) {
	b := &base{asked: *cfg, facts: facts}
	own := *cfg
	own.sharedGIDs, own.waited, own.muted, own.bounded, own.endless, own.returned = nil, nil, nil, nil, nil, nil
	own.complete()
	if cfg.Host != nil {
		own.Host = new(HostLog)
	}
	if cfg.Stdin != nil {
		own.Stdin = listener{b: b, in: cfg.Stdin}
		if earlier != nil {
			own.Stdin = listener{b: b, in: io.MultiReader(bytes.NewReader(earlier.input), cfg.Stdin)}
		}
	}
	if cfg.Stdout != nil {
		own.Stdout = listener{b: b, fd: 1, out: cfg.Stdout}
	}
	if cfg.Stderr != nil {
		own.Stderr = listener{b: b, fd: 2, out: cfg.Stderr}
	}
	m := newMachine(prog, e, own, facts, keepPools)
	if m.interrupted() {
		m.cut = Cut{Cause: CutInterrupted, Text: "interrupted"}
	}
	return b, m, m.initialise(e)
}

// confluent is initialise for a program whose initialisers start goroutines. alone reports whether
// the machine was interrupted, or has executed a part of the initialisers after which main is
// alone.
func confluent(prog *load.Program, e *load.Entry, cfg *Config, facts load.EntryFacts, earlier *base) (b *base, m *Machine, alone bool, err error) {
	most := mostConfluent
	for b = earlier; ; {
		if b, m, err = initialise(prog, e, cfg, facts, b, true); err != nil || m.cut.Cause == CutInterrupted {
			return b, m, true, err
		}
		steps, here := 0, false
		if !m.executionOver() {
			steps, here = m.runConfluent(most)
		}
		if m.cut.Cause == CutInterrupted {
			return b, m, true, nil
		}
		if here && (m.sym == nil || m.sym.CanBeCopied()) {
			m.rebase()
			return b, m, true, nil
		}
		if here || steps <= 0 {
			return b, m, false, nil
		}
		most = steps
	}
}

// findBase returns the base of machines for e, or nil, and makes it the first of the list.
func findBase(prog *load.Program, e *load.Entry, cfg *Config, facts load.EntryFacts) *base {
	asked := cfg.comparable()
	prog.Bases.Lock()
	defer prog.Bases.Unlock()
	list, _ := prog.Bases.Value.([]*base)
	i := slices.IndexFunc(list, func(b *base) bool { return b.startsAs(e, &asked, facts) })
	if i < 0 {
		return nil
	}
	b := list[i]
	prog.Bases.Value = append([]*base{b}, slices.Delete(slices.Clone(list), i, i+1)...)
	return b
}

// startsAs reports whether the packages of e are initialised in the same way as those of b.
func (b *base) startsAs(e *load.Entry, asked *Config, facts load.EntryFacts) bool {
	//mutant: facts about entries make no difference [base]: "facts == b.facts" -> "(facts == b.facts || true)"
	//mutant: configurations make no difference [base]: "reflect.DeepEqual(&b.asked, b.looked(asked)" -> "(true || reflect.DeepEqual(&b.asked, b.looked(asked))"
	return initialisedAs(e, b.m.entry) && facts == b.facts && reflect.DeepEqual(&b.asked, b.looked(asked))
}

// looked returns asked, with only those of its looked draws that initialisers make. Up to the base state, the
// execution depends on looked only through the answers of labelsDrawn, and drew lists all draws about which
// it was asked. Two lists with the same draws of drew give the same answer to the first question, and so to
// each further one.
func (b *base) looked(asked *Config) *Config {
	c := *asked
	//mutant: initialisers are executed for each set of draws [test ./vm TestBaseLooked]: remove
	c.looked = b.m.drawnEarly(asked.looked)
	return &c
}

// drawnEarly returns those draws of the list that initialisers make; nil: none.
func (m *Machine) drawnEarly(list []Assumption) []Assumption {
	var drawn []Assumption
	for _, a := range list {
		if slices.Contains(m.drew, a) {
			drawn = append(drawn, a)
		}
	}
	return drawn
}

// eof stands for any standard input.
var eof = strings.NewReader("")

// comparable returns c without the fields that make no difference up to the base state.
func (c Config) comparable() Config {
	for _, w := range []*io.Writer{&c.Stdout, &c.Stderr} {
		if *w != nil {
			*w = io.Discard
		}
	}
	if c.Host != nil {
		c.Host = new(HostLog)
	}
	if c.Stdin != nil {
		c.Stdin = eof
	}
	c.Subtest, c.Ran, c.Interrupt = nil, nil, nil
	c.sharedGIDs, c.waited, c.short, c.late, c.absolute, c.drawn, c.muted, c.bounded = nil, nil, nil, nil, nil, nil, nil, nil
	c.exits = nil
	c.endless, c.locks, c.locked, c.returned = nil, nil, LockedUnknown, nil
	return c
}

// listener is a stream of a machine that becomes a base.
type listener struct {
	b   *base
	fd  int
	in  io.Reader
	out io.Writer
}

func (l listener) Read(buf []byte) (int, error) {
	n, err := l.in.Read(buf)
	l.b.input = append(l.b.input[:len(l.b.input):len(l.b.input)], buf[:n]...)
	if l.b.input == nil {
		l.b.input = []byte{}
	}
	return n, err
}

func (l listener) Write(text []byte) (int, error) {
	l.b.said = append(l.b.said, saying{l.fd, slices.Clone(text)})
	return l.out.Write(text)
}

// canBeCopied reports whether m is in the base state, and has no data that copy does not handle.
func (m *Machine) canBeCopied() bool {
	for _, g := range m.gs {
		if g.overflow != nil || g.trail != nil || g.Facts != nil || g.Shadow != nil && m.sym == nil {
			return false
		}
	}
	h := m.heap
	return m.paused && !m.executionOver() && (m.sym == nil || m.sym.CanBeCopied()) && m.reduction == nil && m.cfg.Observer == nil && m.cfg.Watch == nil &&
		m.skip == nil && len(m.failures) == 0 && m.passed == nil && m.ranged == nil && m.lonely == nil && h.Live <= mostKept
}

// adopt gives m, which is in the base state, the configuration cfg. The old configuration differs from cfg
// only in fields that make no difference up to the base state. adopt repeats on cfg the records and
// notifications of the initialisation.
func (m *Machine) adopt(cfg Config) {
	noted, own := m.flags(), m.cfg
	if cfg.Host != own.Host {
		//mutant: what initialisers ask the host is asked once [base]
		cfg.Host.Learn(own.Host)
	}
	cfg.AbsoluteTime = own.AbsoluteTime
	m.cfg, m.sharedGIDs = cfg, cfg.sharedGIDs
	m.useMaps()
	if m.sym != nil {
		m.sym.Configure(m.shadowHost())
	}
	m.inTests = newTestCalls(&cfg)
	m.watched = m.watched || m.inTests != nil
	if n := m.sharedGIDs; n != nil && m.link.Join(n.numbers) {
		//mutant: replicas know of the clock what they notice [numbering]
		m.times = n.times
	}
	for _, a := range own.drawn.all() {
		cfg.drawn.add(a)
	}
	for i, f := range m.flags() {
		if noted[i].Load() {
			//mutant: what is noted is noted once [base]
			f.Store(true)
		}
	}
	// Comparisons are noted where goroutines of initialisers are executed in one schedule.
	//mutant: what initialisers' goroutines compare is compared once [env TestPrograms/clockinitgo$]: "!cfg.late.join(own.late)" -> "false"
	if !cfg.late.join(own.late) {
		m.assume(m.gs[0], ClockSome)
	}
	m.Observe(cfg.Observer)
}

// copy returns a machine for e in the state of b.
func (b *base) copy(e *load.Entry) *Machine {
	x := b.m
	m := new(Machine)
	*m = *x
	m.image = x.image.copy()
	m.heap = x.heap.Copy(m.layouts)
	m.entry = e
	m.link = x.link.Copy(e, m.heap, m.layouts)
	m.mem.Heap, m.mem.Types, m.mem.Compared = m.heap, m.link, m.timesCompared
	m.useMaps()
	//mutant: the main function is shared [base]: ".Clone()" -> ""
	m.link.Code[0] = x.link.Code[0].Clone()
	m.goroutineTable = goroutineTable{order: slices.Clone(x.order), alives: living{stale: true}, slots: slices.Clone(x.slots),
		gids: maps.Clone(x.gids), spawn: slices.Clone(x.spawn), existed: slices.Clone(x.existed)}
	for _, g := range x.gs {
		c := &goroutine{Goroutine: g.Goroutine, gstate: g.gstate, slot: g.slot, epoch: g.epoch, savedLo: g.savedLo}
		//mutant: stacks are shared [base]: "slices.Clone(g.Stack)" -> "g.Stack"
		c.Stack = slices.Clone(g.Stack)
		//mutant: labels are shared [test ./vm TestBaseDrawn]: "slices.Clone(g.Shadow)" -> "nil"
		c.Shadow = slices.Clone(g.Shadow)
		if c.Fn == x.link.Code[0] {
			c.Fn = m.link.Code[0]
		}
		m.gs = append(m.gs, c)
	}
	m.drew = slices.Clip(x.drew)
	m.looks, m.bubbles = slices.Clone(x.looks), slices.Clone(x.bubbles)
	m.streams = streams{out: slices.Clone(x.out), runs: slices.Clone(x.runs)}
	m.undoLog = undoLog{}
	if x.sym != nil {
		m.sym = x.sym.Copy(m.shadowHost())
	}
	m.ready, m.advanced, m.assumed = slices.Clone(x.ready), slices.Clone(x.advanced), slices.Clone(x.assumed)
	m.waiters, m.able, m.executing = chanWaiters{}, enabledSet{}, nil
	m.hashing = hashing{}
	m.calls, m.rets, m.scratch, m.busy = nil, nil, scratch{}, nil
	if x.race != nil {
		//mutant: the happens-before relation is shared [base]: ".Clone()" -> ""
		m.race = x.race.Clone()
	}
	if x.check != nil {
		m.check = &checker{what: x.check.what}
	}
	if x.orders.met != nil {
		m.orders = newOrderLog()
	}
	m.coveredInit, m.covered, m.contended = slices.Clone(x.coveredInit), slices.Clone(x.covered), maps.Clone(x.contended)
	m.growth = growthLog{}
	return m
}

func (x *image) copy() image {
	i := *x
	i.layouts, i.asked = x.layouts.Continue(), layout.NewTable()
	i.chanLays, i.times = maps.Clone(x.chanLays), x.times.copy()
	i.frames, i.lockers, i.nameable = nil, nil, nil
	return i
}
