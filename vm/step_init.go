package vm

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/link"
	"hbcheck.dev/hbcheck/vm/race"
	"hbcheck.dev/hbcheck/vm/values"
)

// fixedLayouts gives numbers to the layouts of objects that the machine makes itself. They must show where
// pointers are, for collection and renaming.
func (m *Machine) fixedLayouts() {
	lay := func(t types.Type) uint32 { return m.layouts.Of(t).ID }
	p, w := types.Typ[types.UnsafePointer], types.Typ[types.Uint64]
	m.layByte = lay(types.Typ[types.Uint8])
	m.layRune = lay(types.Typ[types.Int32])
	m.layWord = lay(w)
	m.layAny = lay(types.NewInterfaceType(nil, nil))
	m.layPanic = lay(types.NewStruct([]*types.Var{
		link.Field("link", p), link.Field("type", p), link.Field("data", p), link.Field("trace", p), link.Field("frame", w), link.Field("flags", w),
	}, nil))
	m.layDefer = lay(p) // the head of a list of deferred calls
	m.layMap = lay(types.NewStruct([]*types.Var{
		link.Field("count", w), link.Field("entries", p), link.Field("index", p), link.Field("used", w), link.Field("seq", w),
	}, nil))
}

// mainWindow is the room for the frame of the main function.
const mainWindow = 4 + bytecode.FrameHeader

// initialise builds the first half of the function that the main goroutine begins with, runtime.main,
// and executes it: every package's initialisers. enter adds the other half and runs it to the entry's
// first visible operation.
//
//	Call   init of each package, in the order of initialisation
//	CallN  hbInitDone, which makes the state then the base state
//	Call   the entry, or a function of the overlay's testing that is given the test
//	Ret0
//
// runAuto executes it with one schedule, as initialisation is sequential, up to its end or to the first
// goroutine that an initialiser starts (forks): the rest of the initialisers is explored like the entry.
// Then each goroutine continues to a visible operation. That is the first state of an exploration.
func (m *Machine) initialise(e *load.Entry) error {
	k := m.link
	main := &bytecode.Func{Name: "runtime.main", RecoverPC: -1, Trusted: true, NRegs: 4, Window: 20}
	k.SetMain(main)
	rt := m.prog.Package("runtime")
	if rt == nil {
		return fmt.Errorf("package runtime of the overlay is not loaded")
	}
	for i, f := range rtFuncs {
		fn := rt.SSA.Func(f.name)
		if fn == nil {
			return fmt.Errorf("BUG: the overlay's runtime has no %s", f.name)
		}
		m.rt[i] = k.Func(fn)
	}
	order := m.prog.InitOrder(e)
	if err := k.Embed(); err != nil {
		return err
	}
	for _, p := range order {
		callIn(main, k.Func(p.Func("init")))
	}
	main.AddLive(len(main.Code), nil)
	initDone := m.nativeNumber("runtime.hbInitDone")
	main.Code = append(main.Code, bytecode.Instr{Op: bytecode.CallN, A: mainWindow}.WithImm32(initDone))
	m.entryPC = int32(len(main.Code))
	main.Fuse()
	m.internG(trace.NoGID, 0)
	g := m.newG(nil)
	m.noteExisted(g.ID)
	m.alive = 1
	m.initCount()
	m.auto = true
	if !m.spawnFrame(g, funcBit, nil) {
		return fmt.Errorf("BUG: no stack for main")
	}
	m.ready = append(m.ready[:0], 0)
	m.runAuto()
	return nil
}

// callIn adds a call to the main function.
func callIn(main *bytecode.Func, id uint32) {
	main.Code = append(main.Code, bytecode.Instr{Op: bytecode.Call, A: mainWindow}.WithImm32(int32(id)))
	main.AddLive(len(main.Code), nil)
}

// enter is called in the base state.
func (m *Machine) enter(e *load.Entry) error {
	k := m.link
	main := m.link.Code[0]
	const win = mainWindow
	call := func(id uint32) { callIn(main, id) }
	switch e.Kind {
	case load.Test:
		name := e.Runner()
		run := m.prog.Package("testing").SSA.Func(name)
		if run == nil {
			return fmt.Errorf("BUG: the overlay's testing has no %s", name)
		}
		c := func(r int, w uint64) {
			main.Code = append(main.Code, bytecode.Instr{Op: bytecode.Const, A: uint16(r)}, bytecode.RawWord(w))
		}
		test := func(r int, name string, fn *ssa.Function) {
			c(r, k.Literal(name))
			c(r+1, uint64(len(name)))
			c(r+2, uint64(k.Func(fn))|funcBit)
		}
		test(win, e.TestName(), e.Func)
		if e.Fuzz || e.Bench { // and TestMain, or nil
			c(win+3, 0)
			if e.TestMain != nil {
				c(win+3, uint64(k.Func(e.TestMain))|funcBit)
			}
			call(k.Func(run))
			break
		}
		if x := e.Example; x != nil { // its output, in any order or not, and TestMain, or nil
			c(win+3, k.Literal(x.Output))
			c(win+4, uint64(len(x.Output)))
			c(win+5, b2u(x.Unordered))
			c(win+6, 0)
			if e.TestMain != nil {
				c(win+6, uint64(k.Func(e.TestMain))|funcBit)
			}
			call(k.Func(run))
			break
		}
		for i := range 3 {
			c(win+3+i, 0)
		}
		if e.Beside != nil {
			test(win+3, e.Beside.Name, e.Beside.Func)
		}
		if e.TestMain != nil {
			c(win+6, uint64(k.Func(e.TestMain))|funcBit)
		}
		call(k.Func(run))
	default:
		if e.Symbolic {
			if err := m.checkEntry(); err != nil {
				return err
			}
			main.AddLive(len(main.Code), nil)
			main.Code = append(main.Code, bytecode.Instr{Op: bytecode.CallN, A: win}.WithImm32(m.nativeNumber("runtime.hbEntry")))
			break
		}
		call(k.Func(e.Func))
	}
	main.Code = append(main.Code, bytecode.Instr{Op: bytecode.Ret0}, bytecode.Instr{Op: bytecode.Nop})
	main.Fuse()
	if !m.heap.Based || m.executionOver() { // an initialiser has not reached its end
		return nil
	}
	if m.auto = m.cfg.Run; m.auto {
		m.runAuto()
	} else {
		m.runLocalAfterAuto()
	}
	return nil
}

// forks is called when a goroutine of the program has been started, or before a choice. In an initialiser,
// it ends the part that is executed under one schedule, and reports true: the instruction must stop.
func (m *Machine) forks() bool {
	//mutant: initialisers have one schedule [models TestInitialisers]: "!m.initialising()" -> "m.heap != nil"
	if !m.initialising() {
		return false
	}
	m.forked = true
	m.initDone()
	return true
}

// ExploresInitialisers reports whether schedules begin in initialisers.
func (v Environment) ExploresInitialisers() bool { return v.m.forked }

// initialising reports whether packages are initialised, and no search decides anything yet.
func (m *Machine) initialising() bool { return m.auto && !m.cfg.Run && !m.heap.Based }

// An initialiser that takes many objects out of a Pool (protobuf's buffers of names) would multiply the
// executions of every test that imports it. So the ways of initialisers are tried only if there are at most
// maxEarly. If there are more, none is tried, and the verdict names them.
const maxEarly = 4

// triesEarly reports whether g may try n ways to take an object out of a Pool. The bound concerns only
// initialisers.
func (m *Machine) triesEarly(g *goroutine, n uint32) bool {
	switch {
	case m.initialising():
		if m.keepPools && m.early <= maxEarly {
			m.early *= n
		}
		//mutant: initialisers try any number of ways [models TestInitialisers]: "!m.keepPools" -> "true"
		return !m.keepPools
	case !m.beforeEntry(g):
		return true
	}
	return !m.keepPools && max(g.orders, 1)*n <= maxEarly
}

// beforeEntry reports whether g executes initialisers.
func (m *Machine) beforeEntry(g *goroutine) (is bool) {
	if g.ID == 0 {
		m.eachFrame(g, func(fn *bytecode.Func, pc int32) bool {
			is = fn.ID == 0 && pc < m.entryPC
			return true
		})
	}
	return is
}

// forksBefore is forks for the native that g executes: g will execute it once more.
func (m *Machine) forksBefore(g *goroutine) bool {
	if !m.forks() {
		return false
	}
	g.PC--
	return true
}

// choosesEarly is forks for an operation with n alternatives on channels, timers or the time. If a timer is
// running, the operation may come before or after the timer fires.
func (m *Machine) choosesEarly(n int) bool {
	timer := func(g *goroutine) bool { return g.system && g.status != gEnded && g.wait.obj != 0 }
	return m.initialising() && (n > 1 || slices.ContainsFunc(m.gs, timer)) && m.forks()
}

// initDone is called by runtime.main between the initialisers and the entry, or when an initialiser starts a
// goroutine or has a choice, and halts the machine there. The present state becomes the base state, with
// which the state hash compares. Fingerprints do not repeat the base state: of its objects only those count
// that have changed since. So the states are small even if an initialiser fills a table with a million
// entries.
func (m *Machine) initDone() {
	m.coveredInit, m.covered = m.covered, m.coveredInit
	m.heap.BecomeBase()
	// A fingerprint does not visit the base state, so times in it must not count as distances.
	m.cfg.AbsoluteTime = m.cfg.AbsoluteTime || m.baseTimes()
	m.auto, m.paused = false, true
	// All objects count as shared, so that every access is a visible operation.
	if m.check != nil && m.check.what&CheckStops != 0 {
		m.shareRoots()
		m.heap.NewFlags = heap.Shared
	}
	if m.multi && !m.cfg.Run {
		m.heap.ShareAgain()
	}
}

// entryName returns the name of the entry's function for stacks.
func (m *Machine) entryName() string { return m.entry.String() }

// newMachine returns a machine that has executed nothing.
func newMachine(prog *load.Program, e *load.Entry, cfg Config, facts load.EntryFacts, keepPools bool) *Machine {
	lt := layout.NewTable()
	m := &Machine{
		cfg: cfg,
		image: image{prog: prog, entry: e, fset: prog.Fset, facts: facts, times: new(clockFacts), layouts: lt, asked: layout.NewTable(),
			chanLays: map[chanKey]uint32{}},
		heap:           heap.New(lt),
		goroutineTable: goroutineTable{gids: map[spawnKey]trace.GID{}},
		scheduler:      scheduler{moment: 1},
		autoMode:       autoMode{rand: 0x9E3779B97F4A7C15, keepPools: keepPools, early: 1},
	}
	m.watched = cfg.Watch != nil
	if len(prog.Blocks()) > 0 {
		m.contended = make(map[race.Stack]bool)
	}
	m.coveredInit, m.covered = make([]bool, len(prog.Blocks())), make([]bool, len(prog.Blocks()))
	m.Observe(cfg.Observer)
	if cfg.MaxHeap > 0 {
		m.heap.Limit = cfg.MaxHeap + 4*heap.GCThreshold // a part of it may be garbage
	}
	if cfg.Check != 0 && !cfg.Run {
		m.check = &checker{what: cfg.Check}
	}
	if cfg.SmallLimits {
		m.heap.MostKept = 4
	}
	if cfg.Races && !cfg.Run {
		m.race = race.New()
	}
	if m.contended != nil && m.race != nil {
		m.orders = newOrderLog()
	}
	m.fixedLayouts()
	var numbers *link.Natives
	m.natives, numbers = allNatives()
	m.numberOf = numbers.Numbers
	m.link = link.New(prog, e, m.heap, lt, numbers)
	m.mem = values.Memory{Heap: m.heap, Types: m.link, Compared: m.timesCompared}
	m.useMaps()
	if cfg.VisibleLooks {
		m.lookWord = m.link.Word()
	}
	if cfg.VisibleEnd {
		m.endWord = m.link.Word()
	}
	if facts.Counted {
		m.countWord = m.link.Word()
	}
	return m
}

// nativeNumber returns the number of a native.
func (m *Machine) nativeNumber(name string) int32 {
	return int32(m.numberOf[name])
}
