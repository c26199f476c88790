package debug

import (
	"encoding/binary"
	"fmt"
	"go/types"
	"strconv"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/load/overlay"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// special shows values of synchronisation types, whose fields mean nothing to a reader. It shows the state
// in the models.
func (s *Session) special(v Value) (string, bool) {
	named, ok := types.Unalias(v.Type).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || v.Lost != "" || v.known != nil {
		return "", false
	}
	if named.Obj().Pkg().Path() == "time" && named.Obj().Name() == "Time" && len(v.bytes) == 24 {
		return instant(v.word(0), int64(v.word(1))), true
	}
	if named.Obj().Pkg().Path() != "sync" || v.Addr == 0 {
		return "", false
	}
	switch named.Obj().Name() {
	case "Mutex":
		return s.lockText(v.Addr, false), true
	case "RWMutex":
		return s.lockText(v.Addr, true), true
	case "WaitGroup":
		n := int32(binary.LittleEndian.Uint32(v.bytes[overlay.WaitGroupCounter:]))
		return "counter " + strconv.Itoa(int(n)) + s.waitersText(v.Addr, uint64(len(v.bytes))), true
	case "Cond":
		if text := s.waitersText(v.Addr, uint64(len(v.bytes))); text != "" {
			return strings.TrimPrefix(text, ", "), true
		}
		return "no goroutine waits", true
	case "Once":
		if v.bytes[overlay.OnceDone] != 0 {
			return "done", true
		}
		waiters := s.waitersText(v.Addr, uint64(len(v.bytes)))
		if g, locked, _ := s.vm.Debugger().Owner(v.Addr+overlay.OnceMutex, false); locked {
			return "under way in " + s.Name(g) + waiters, true
		}
		return "not done" + waiters, true
	}
	return "", false
}

// instant shows a time.Time whose fields wall and ext have these values: see package time.
func instant(wall uint64, ext int64) string {
	const day = 24 * 60 * 60
	const from1885, from1970 = (1884*365 + 1884/4 - 1884/100 + 1884/400) * day, (1969*365 + 1969/4 - 1969/100 + 1969/400) * day
	if wall>>63 != 0 { // ext is a reading of the monotonic clock
		ext = from1885 + int64(wall<<1>>31)
	}
	return time.Unix(ext-from1970, int64(wall&(1<<30-1))).UTC().Format(time.RFC3339Nano)
}

// simple returns the value in one of sync/atomic's types; for all other types it returns v.
func (s *Session) simple(v Value) Value {
	named, ok := types.Unalias(v.Type).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "sync/atomic" || v.bytes == nil {
		return v
	}
	var t types.Type
	switch named.Obj().Name() {
	case "Int32":
		t = types.Typ[types.Int32]
	case "Uint32":
		t = types.Typ[types.Uint32]
	case "Int64":
		t = types.Typ[types.Int64]
	case "Uint64", "Uintptr":
		t = types.Typ[types.Uint64]
	case "Bool":
		t = types.Typ[types.Bool]
		return Value{Type: t, Addr: v.Addr, bytes: v.bytes[:1]} // the lowest of four
	case "Pointer":
		if named.TypeArgs().Len() != 1 {
			return v
		}
		t = types.NewPointer(named.TypeArgs().At(0))
	default:
		return v
	}
	n := s.vm.Report().SizeOf(t) // the fields before the value align it
	if n > int64(len(v.bytes)) {
		return v
	}
	return Value{Type: t, Addr: v.Addr, bytes: v.bytes[int64(len(v.bytes))-n:]}
}

// lockText shows the mutex at p.
func (s *Session) lockText(p uint64, rw bool) string {
	g, locked, readers := s.vm.Debugger().Owner(p, rw)
	text := "unlocked"
	size := uint64(overlay.MutexSize)
	if rw {
		size = overlay.RWMutexSize
	}
	switch {
	case readers > 0:
		text = fmt.Sprintf("locked by %d for reading", readers)
		if locked {
			text += ", " + s.Name(g) + " waits to write"
			return text + s.waitersText(p, size, g)
		}
	case locked:
		text = "locked by " + s.Name(g)
	}
	return text + s.waitersText(p, size)
}

// channel shows a channel.
func (s *Session) channel(c vm.ChanState, p uint64) string {
	text := fmt.Sprintf("%d of %d", c.Len, c.Cap)
	if c.Cap == 0 {
		text = "unbuffered"
	}
	if c.Closed {
		text += ", closed"
	}
	return "chan (" + text + s.waitersText(p, 8) + ")"
}

// Waiters returns the goroutines that wait for an object in the size bytes at p: those with a pending
// operation on it that is not enabled.
func (s *Session) Waiters(p, size uint64) (list []trace.GID) {
	obj, from, to := uint32(p>>32), uint32(p), uint32(p)+uint32(size)
	s.vm.Live(func(g trace.GID) {
		if s.vm.Debugger().Running(g) || s.vm.StaticView().CanStep(g) || s.vm.Next(g).Kind == trace.None || !s.vm.Next(g).Kind.Blocks() {
			return
		}
		for _, a := range s.vm.Touches(g, nil) {
			if a.Obj == obj && a.Off < to && from < a.Off+max(a.Size, 1) {
				list = append(list, g)
				return
			}
		}
	})
	return list
}

// waitersText names the goroutines, except those of without, that wait for the object at p.
func (s *Session) waitersText(p, size uint64, without ...trace.GID) string {
	var names []string
next:
	for _, g := range s.Waiters(p, size) {
		for _, w := range without {
			if w == g {
				continue next
			}
		}
		names = append(names, s.Name(g))
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return ", " + names[0] + " waits"
	}
	last := len(names) - 1
	return ", " + strings.Join(names[:last], ", ") + " and " + names[last] + " wait"
}

// A Relation has the goroutines that hold an object or wait for it.
type Relation struct {
	Kind    string // what the object is
	Holders []string
	Readers int // number of goroutines that hold it for reading; it is not known which ones
	Waiters []string
}

// Related returns the goroutines that hold, or wait for, a value or its target.
func (s *Session) Related(v Value) (r Relation, err error) {
	if v.Lost != "" {
		return r, fmt.Errorf("its value is not known: %s", v.Lost)
	}
	switch t := v.Type.Underlying().(type) {
	case *types.Pointer:
		if v.word(0) == 0 {
			return r, fmt.Errorf("it is nil")
		}
		return s.Related(s.At(t.Elem(), v.word(0)))
	case *types.Interface:
		x, ok := s.dynamic(v)
		if !ok {
			return r, fmt.Errorf("it is nil")
		}
		return s.Related(x)
	case *types.Chan:
		if v.word(0) == 0 {
			return r, fmt.Errorf("it is a nil channel: operations on it block forever")
		}
		r.Kind = "channel"
		r.Waiters = s.nameAll(s.Waiters(v.word(0), 8))
		return r, nil
	}
	if v.Addr == 0 {
		return r, fmt.Errorf("it is not in memory: no goroutine can hold it or wait for it")
	}
	r.Kind = s.typeName(v.Type)
	size := uint64(max(s.vm.Report().SizeOf(v.Type), 1))
	r.Waiters = s.nameAll(s.Waiters(v.Addr, size))
	rw := r.Kind == "sync.RWMutex"
	if rw || r.Kind == "sync.Mutex" {
		g, locked, readers := s.vm.Debugger().Owner(v.Addr, rw)
		if r.Readers = readers; locked && readers == 0 {
			r.Holders = []string{s.Name(g)}
		}
	}
	return r, nil
}

func (s *Session) nameAll(list []trace.GID) (names []string) {
	for _, g := range list {
		names = append(names, s.Name(g))
	}
	return names
}
