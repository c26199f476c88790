package loops

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// TestLoops: a loop is found unless every path around it contains an operation with an effect.
func TestLoops(t *testing.T) {
	natives := []Effect{HasEffect, NoEffect, Locks, MayFail}
	for _, x := range []struct {
		native int
		looks  bool
		want   bool
	}{{0, false, false}, {1, false, true}, {2, false, false}, {2, true, true}, {3, false, true}} {
		back := bytecode.Instr{Op: bytecode.JmpBack}.WithImm32(-3)
		f := &bytecode.Func{Code: []bytecode.Instr{
			{Op: bytecode.Nop},
			bytecode.Instr{Op: bytecode.CallN}.WithImm32(int32(x.native)),
			back,
			{Op: bytecode.Ret0},
		}}
		table := Table{Looks: x.looks, Effect: func(i int) Effect { return natives[i] }}
		l := table.Of(f)
		if l.Any != x.want || !slices.Equal(l.In, []bool{x.want, x.want, x.want, false}) {
			t.Errorf("native %d, looks %v: %v %v", x.native, x.looks, l.Any, l.In)
		}
		if table.Of(f) != l {
			t.Error("loops are found twice")
		}
	}
}

// TestEffects: the effect of a function is known from its name.
func TestEffects(t *testing.T) {
	for name, want := range map[string]Effect{"runtime.Gosched": Yields, "(*sync/atomic.Int32).Load": NoEffect, "time.now": NoEffect,
		"(*sync/atomic.Int32).CompareAndSwap": MayFail, "(*sync.Mutex).TryLock": MayFail, "(*sync.Mutex).Lock": Locks,
		"(*sync.RWMutex).RUnlock": Locks, "(*sync/atomic.Int32).Add": HasEffect, "another.Load": HasEffect} {
		if got := EffectOf(name); got != want {
			t.Errorf("%s: %d, not %d", name, got, want)
		}
	}
}
