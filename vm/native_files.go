package vm

import (
	"errors"
	"go/types"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
)

// Natives of packages syscall and os: the outside world. The program can read it, and write to it
// through the standard streams, but not change it. Writes to files stay in the program's memory
// (hb_tree.go of the overlay).

// startTime is the time in nanoseconds since 1970 at which the clock starts: a moment after
// 2026-02-03 04:05:06. No second, hour, day or year begins then, at which programs may have
// something to do. bubbleTime is that of a bubble's clock, which package synctest promises:
// 2000-01-01.
const (
	startTime  int64 = 1770091506_123456789
	bubbleTime int64 = 946684800_000000000
)

// Offsets and modes of Linux's struct stat on amd64 (syscall.Stat_t).
const (
	stDev   = 0
	stIno   = 8
	stNlink = 16
	stMode  = 24
	stUID   = 28
	stGID   = 32
	stSize  = 48
	stBlk   = 56
	stBlks  = 64
	stTimes = 72 // access, modification, change: seconds and nanoseconds each
	statLen = 144

	modeReg  = 0x8000
	modeDir  = 0x4000
	modeLink = 0xA000
	modeChr  = 0x2000
	modeBlk  = 0x6000
	modeFifo = 0x1000
	modeSock = 0xC000
)

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
		return 1
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		status := int(int32(r.U(0)))
		if m.tested && !m.cfg.Run && (status == 0 || len(m.failures) > 0) {
			// TestMain reports the end of the test, which is known. The goroutines of the test are
			// examined as if TestMain returned.
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
		return m.setString(g, r, 0, seenPath(m.link.prog.WorkDir(m.link.entry), onWindows))
	}},
	{Name: "syscall.hbDescribed", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.noteHost(askStat, m.string(r, 0))
		return Next
	}},
	{Name: "syscall.hbVariable", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.noteHost(askVariable, m.string(r, 0))
		return Next
	}},
	{Name: "syscall.hbSets", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.link.setsEnv)
		return Next
	}},
	{Name: "syscall.hbVariables", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.noteHost(askEnvironment, "")
		return Next
	}},
	{Name: "syscall.hbRandom", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.assume(g, BitsSampled)
		return nativeRand(m, g, r)
	}},
	{Name: "syscall.hbStat", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		path, follow, ask := m.string(r, 0), r.U(2)&1 != 0, askKind
		if follow {
			ask = askTarget
		}
		m.noteHost(ask, path)
		info, err := m.files().stat(path, follow)
		if err == nil {
			m.files().fillStat(m.heap.Writable(r.U(3), statLen), path, info)
		}
		r.Set(0, errno(err))
		return Next
	}},
	{Name: "syscall.hbPread", Peek: peekFill(2), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		b := m.heap.Writable(r.U(2), uint32(r.U(3)))
		path := m.string(r, 0)
		m.noteHost(askContent, path)
		n, err := m.files().readAt(path, b, r.I(5))
		r.Set(0, uint64(n))
		r.Set(1, errno(err))
		return Next
	}},
	{Name: "syscall.hbMade", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.files().content(m.string(r, 0)).made)
		return Next
	}},
	{Name: "syscall.hbSame", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.lack(LackChange)
		m.assume(g, FileKept)
		return Next
	}},
	{Name: "syscall.hbReaddir", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		path := m.string(r, 0)
		m.noteHost(askNames, path)
		list, err := m.files().names(path)
		m.setString(g, r, 0, list)
		r.Set(2, errno(err))
		return Next
	}},
	{Name: "syscall.hbReadlink", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		path := m.string(r, 0)
		m.noteHost(askLink, path)
		target, err := m.files().target(path)
		m.setString(g, r, 0, target)
		r.Set(2, errno(err))
		return Next
	}},
}

// noteHost records that the program asks the host.
func (m *Machine) noteHost(ask hostAsk, name string) {
	m.cfg.Host.note(m.files(), m.cfg.Env, ask, name)
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

// errno returns Linux's number for a host error.
func errno(err error) uint64 {
	const (
		noEntry, inputOutput, access, notDir, isDir, invalid, tooManyLinks = 2, 5, 13, 20, 21, 22, 40
	)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, fs.ErrNotExist):
		return noEntry
	case errors.Is(err, fs.ErrPermission):
		return access
	case errors.Is(err, syscall.ENOTDIR):
		return notDir
	case errors.Is(err, syscall.EISDIR):
		return isDir
	case errors.Is(err, syscall.EINVAL):
		return invalid
	case errors.Is(err, syscall.ELOOP):
		return tooManyLinks
	}
	return inputOutput
}

// hostNames returns, for each entry of a directory in the order of names, a letter for the kind,
// the name and a zero byte.
func hostNames(path string) (string, error) {
	entries, err := os.ReadDir(path)
	var b strings.Builder
	for _, e := range entries {
		switch e.Type() {
		case 0:
			b.WriteByte('f')
		case fs.ModeDir:
			b.WriteByte('d')
		case fs.ModeSymlink:
			b.WriteByte('l')
		default:
			b.WriteByte('?')
		}
		b.WriteString(e.Name() + "\x00")
	}
	return b.String(), err
}

// readAt reads from a file without keeping it open: the machine has no state outside of itself.
func readAt(path string, b []byte, off int64) (int, error) {
	// Opening a pipe would wait for another process to write to it.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err := f.ReadAt(b, off)
	if err == io.EOF || n > 0 {
		err = nil
	}
	return n, err
}

// fillStat fills b, which is zero, as a struct stat.
func (v *hostView) fillStat(b []byte, path string, info fs.FileInfo) {
	word := func(off int, w uint64) { *(*uint64)(unsafe.Pointer(&b[off])) = w }
	half := func(off int, w uint32) { *(*uint32)(unsafe.Pointer(&b[off])) = w }
	// A hash of the name replaces the inode number, which differs from host to host.
	h := fnv.New64a()
	if real, err := filepath.EvalSymlinks(v.path(path)); err == nil && info.Mode()&fs.ModeSymlink == 0 {
		path = strings.TrimPrefix(real, v.root)
	}
	h.Write([]byte(path))
	word(stDev, 1)
	word(stIno, h.Sum64())
	word(stNlink, 1)
	half(stMode, statMode(info.Mode()))
	half(stUID, 1000)
	half(stGID, 1000)
	word(stSize, uint64(info.Size()))
	word(stBlk, 4096)
	word(stBlks, uint64(info.Size()+511)/512)
	t := info.ModTime()
	for i := range 3 {
		word(stTimes+i*16, uint64(t.Unix()))
		word(stTimes+i*16+8, uint64(t.Nanosecond()))
	}
}

func statMode(mode fs.FileMode) uint32 {
	w := uint32(mode.Perm())
	for _, bit := range []struct {
		from fs.FileMode
		to   uint32
	}{{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000}} {
		if mode&bit.from != 0 {
			w |= bit.to
		}
	}
	switch {
	case mode.IsDir():
		return w | modeDir
	case mode&fs.ModeSymlink != 0:
		return w | modeLink
	case mode&fs.ModeCharDevice != 0:
		return w | modeChr
	case mode&fs.ModeDevice != 0:
		return w | modeBlk
	case mode&fs.ModeNamedPipe != 0:
		return w | modeFifo
	case mode&fs.ModeSocket != 0:
		return w | modeSock
	}
	return w | modeReg
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

// peekEither and either are hbEither of a model: a choice.
func peekEither(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	op.Kind = trace.Choose
	return 2
}

func either(m *Machine, g *goroutine, r Regs) Ctl {
	r.SetBool(0, !m.auto && g.Choice == 1)
	return Next
}
