package vm

import (
	"go/types"
	"math/bits"
	"strings"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/hash"
	"hbcheck.dev/hbcheck/vm/host"
)

// Natives of packages syscall and os: the outside world. The program can read it, and write to it
// through the standard streams, but not change it. Writes to files stay in the program's memory
// (hb_tree.go of the overlay).

var fileNatives = []Native{
	{Name: "os.runtime_args", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		args := m.cfg.Args
		if args == nil {
			args = []string{m.entryName()}
		}
		return m.setStrings(g, r, args)
	}},
	{Name: "syscall.runtime_envs", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.setStrings(g, r, m.cfg.Env)
	}},
	{Name: "syscall.hbVariableIndex", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		list, n, key := r.U(0), r.U(1), m.string(r, 3)
		r.Set(0, ^uint64(0))
		for i := range n {
			at := list + i*16
			if k, _, ok := strings.Cut(m.str(m.word(at, 0), m.word(at, 8)), "="); ok && k == key {
				r.Set(0, i)
				break
			}
		}
		return Next
	}},
	{Name: "os.runtime_beforeExit", Fn: keep},
	{Name: "os.hbUntimed", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.assume(g, WriteTimes)
		return Next
	}},
	{Name: "os.sigpipe", Fn: keep},
	{Name: "os.checkClonePidfd", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.unsupported(g, RefusedProcess, "starting a process")
		return Stop
	}},
	{Name: "syscall.Getpagesize", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.Set(0, 4096)
		return Next
	}},
	{Name: "syscall.Exit", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		op.Kind = trace.Exit
		m.accessEnd(op, false)
		return 1
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		status := int(int32(r.U(0)))
		m.noteExit(g, status)
		if m.tested && !m.cfg.Run && (status == 0 || len(m.failures) > 0) {
			// TestMain only reports the end of the test, which is known already. The goroutines of the test
			// are examined as if TestMain returned.
			m.endG(g)
			return Stop
		}
		m.exited, m.exit, m.exitG = true, status, g.ID
		m.halt(g)
		return Stop
	}},
	{Name: "syscall.gettimeofday", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		m.plain(op, r.U(0), 16, true)
		return 1
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		b := m.heap.Writable(r.U(0), 16)
		m.countClock(g)
		ns := startTime + m.clock
		putWord(b, uint64(ns/1e9))
		putWord(b[8:], uint64(ns%1e9/1e3))
		r.Set(0, 0)
		return Next
	}},
	{Name: "syscall.runtime_BeforeFork", Fn: keep},
	{Name: "syscall.runtime_AfterFork", Fn: keep},
	{Name: "syscall.runtime_entersyscall", Fn: keep},
	{Name: "syscall.runtime_exitsyscall", Fn: keep},
	{Name: "syscall.hbWrite", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		if m.cfg.VisibleOutput {
			op.Kind = trace.Output
		} else {
			m.plain(op, r.U(1), r.U(2), false)
		}
		return 1
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.output(int(r.I(0)), m.bytes(r, 1))
		return Next
	}},
	{Name: "syscall.hbEither", Peek: peekEither, Fn: either},
	{Name: "syscall.hbRefuse", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.unsupported(g, RefusalCode(m.string(r, 0)), m.string(r, 2))
		return Stop
	}},
	{Name: "syscall.hbRefuseShared", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if !m.multi || m.auto && m.cfg.Run {
			return Next
		}
		m.unsupported(g, RefusalCode(m.string(r, 0)), m.string(r, 2))
		return Stop
	}},
	{Name: "syscall.hbStdin", Peek: peekFill(0), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		b := m.heap.Writable(r.U(0), uint32(r.U(1)))
		r.Set(0, uint64(m.readStdin(b, r.I(3))))
		return Next
	}},
	{Name: "syscall.hbGetcwd", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.setString(g, r, 0, host.SeenPath(m.prog.WorkDir(m.entry), host.OnWindows))
	}},
	{Name: "syscall.hbDescribed", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.noteHost(host.AskStat, m.string(r, 0))
		return Next
	}},
	{Name: "syscall.hbVariable", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.noteHost(host.AskVariable, m.string(r, 0))
		return Next
	}},
	{Name: "syscall.hbSets", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.facts.SetsEnv)
		return Next
	}},
	{Name: "syscall.hbMayWatch", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.facts.Watches)
		return Next
	}},
	{Name: "syscall.hbShows", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.facts.ShowsDescriptors)
		return Next
	}},
	{Name: "syscall.hbNumber", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		n := uint64(bits.TrailingZeros64(^g.files))
		if n == 64 {
			n += uint64(g.nfiles)
			g.nfiles++
		} else {
			//mutant: files have the numbers of others [models TestCaches/ownFiles]: remove
			g.files |= 1 << n
		}
		r.Set(0, m.fileNumbers(g)+n)
		return Next
	}},
	{Name: "syscall.hbReturn", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if n := r.U(0) - m.fileNumbers(g); n < 64 {
			//mutant: no goroutine opens a file with the number of one that it has closed [test ./cmd/hbcheck TestScripts/kernelfiles]: remove
			g.files &^= 1 << n
		}
		return Next
	}},
	{Name: "syscall.hbVariables", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.noteHost(host.AskEnvironment, "")
		return Next
	}},
	{Name: "syscall.hbAbsent", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if !m.probes(g) {
			m.miss(LackFile)
		}
		return Next
	}},
	{Name: "syscall.hbRandom", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.assume(g, BitsSampled)
		return nativeRand(m, g, r)
	}},
	{Name: "syscall.hbStat", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		path, follow, ask := m.string(r, 0), r.U(2)&1 != 0, host.AskKind
		if follow {
			ask = host.AskTarget
		}
		m.noteHost(ask, path)
		info, err := m.files().Stat(path, follow)
		if err == nil {
			m.files().FillStat(m.heap.Writable(r.U(3), host.StatLen), path, info)
		}
		r.Set(0, host.Errno(err))
		return Next
	}},
	{Name: "syscall.hbPread", Peek: peekFill(2), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		b := m.heap.Writable(r.U(2), uint32(r.U(3)))
		path := m.string(r, 0)
		m.noteHost(host.AskContent, path)
		n, err := m.files().ReadAt(path, b, r.I(5))
		r.Set(0, uint64(n))
		r.Set(1, host.Errno(err))
		return Next
	}},
	{Name: "syscall.hbMade", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.files().Content(m.string(r, 0)).Made)
		return Next
	}},
	{Name: "syscall.hbSame", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.lack(LackChange)
		m.assume(g, FileKept)
		return Next
	}},
	{Name: "syscall.hbReaddir", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		path := m.string(r, 0)
		m.noteHost(host.AskNames, path)
		list, err := m.files().Names(path)
		m.setString(g, r, 0, list)
		r.Set(2, host.Errno(err))
		return Next
	}},
	{Name: "syscall.hbReadlink", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		path := m.string(r, 0)
		m.noteHost(host.AskLink, path)
		target, err := m.files().Target(path)
		m.setString(g, r, 0, target)
		r.Set(2, host.Errno(err))
		return Next
	}},
}

// noteHost records that the program asks the host.
func (m *Machine) noteHost(ask host.Ask, name string) {
	m.cfg.Host.Note(m.files(), m.cfg.Env, ask, name)
}

// setStrings puts a new []string into the first result words.
func (m *Machine) setStrings(g *goroutine, r Regs, list []string) Ctl {
	l := m.layouts.Of(types.Typ[types.String])
	id := m.alloc(g, uint32(len(list))*l.Size, l.ID)
	p := uint64(id) << 32
	for i, s := range list {
		sp, n := m.newString(g, s)
		m.setWord(p, uint64(i)*16, sp)
		m.setWord(p, uint64(i)*16+8, n)
	}
	r.Set(0, p)
	r.Set(1, uint64(len(list)))
	r.Set(2, uint64(len(list)))
	return Next
}

// peekFill returns the Peek of natives that fill the slice whose words begin at i. The slice is the
// program's, although the function that calls the native belongs to a model.
func peekFill(i int) func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	return func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		m.plain(op, r.U(i), r.U(i+1), true)
		return 1
	}
}

// readStdin copies standard input from offset off on. It keeps all input that it has read, so that
// a rewound path reads it again; explorations have no standard input.
func (m *Machine) readStdin(b []byte, off int64) int {
	if m.cfg.Stdin == nil {
		return 0
	}
	for int64(len(m.stdin)) <= off {
		buf := make([]byte, max(len(b), 4096))
		n, err := m.cfg.Stdin.Read(buf)
		m.stdin = append(m.stdin, buf[:n]...)
		if err != nil {
			break
		}
	}
	if off >= int64(len(m.stdin)) {
		return 0
	}
	return copy(b, m.stdin[off:])
}

// peekEither and either implement hbEither, a choice in a model.
func peekEither(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	op.Kind = trace.Choose
	return 2
}

func either(m *Machine, g *goroutine, r Regs) Ctl {
	r.SetBool(0, !m.auto && g.Choice == 1)
	return Next
}

// files returns the view that machines for m's program share. A program in run mode sees the host
// as it is.
func (m *Machine) files() *host.View {
	if m.cfg.Run {
		return new(host.View)
	}
	shared := &m.prog.Files
	shared.Lock()
	defer shared.Unlock()
	v, _ := shared.Value.(*host.View)
	if v == nil {
		v = host.NewView(m.prog.Root())
		shared.Value = v
	}
	return v
}

// fileNumbers returns the first of g's numbers of files, for use if no program can see them. It is computed
// from g's spawn path, because the goroutine's number depends on timing.
func (m *Machine) fileNumbers(g *goroutine) uint64 {
	h := uint64(hash.K0)
	for _, n := range m.spawn[g.ID].path {
		h = hash.Mix(h, uint64(n))
	}
	return 1<<61 | h>>20<<16
}
