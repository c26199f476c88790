package pointer

import (
	"go/types"
	"strings"
)

// natives holds the model of every function that the machine implements, by its
// SSA name. TestNatives compares the names with the machine's.
var natives = modelTable(
	// The first lists are of functions that copy no pointers, call nothing and
	// allocate nothing that pointers lead to.
	without(`
		bytes.Equal crypto/internal/constanttime.boolToUint8 crypto/internal/sysrand.hbSampled fmt.hbAddress hash/maphash.hashAny hash/maphash.memhash hash/maphash.memhashString hash/maphash.runtime_rand
		hbcheck.dev/hbcheck/hbtest.Assume hbcheck.dev/hbcheck/hbtest.Choose hbcheck.dev/hbcheck/hbtest.Nondet hbcheck.dev/hbcheck/hbtest.Running
		internal/abi.FuncPCABI0 internal/abi.FuncPCABIInternal (*internal/abi.Type).hbEqual (*internal/abi.Type).hbHash
		internal/bytealg.Compare internal/bytealg.CompareString internal/bytealg.Count internal/bytealg.CountString
		internal/bytealg.Equal internal/bytealg.Index internal/bytealg.IndexByte internal/bytealg.IndexByteString
		internal/bytealg.IndexString internal/bytealg.LastIndexByteString
		internal/effect.Access internal/effect.Ordered internal/effect.OrderedIf
		internal/godebug.setting internal/synctest.IsInBubble internal/synctest.hbDrain internal/synctest.hbEnter
		internal/synctest.hbLeave internal/synctest.hbWait internal/synctest.hbWaiting
		internal/syscall/unix.fcntl iter.coroswitch
		net.runtime_rand os.checkClonePidfd os.runtime_beforeExit os.runtime_rand os.sigpipe os/signal.hbArrive os/signal.hbArrives os/signal.hbHidden weak.hbMade
	`),
	without(`
		math.Abs math.Ceil math.Copysign math.FMA math.Float32bits math.Float32frombits math.Float64bits
		math.Float64frombits math.Floor math.IsNaN math.Mod math.Sqrt math.Trunc math.archCeil math.archExp
		math.archFloor math.archHypot math.archLog math.archMax math.archMin math.archTrunc math.sqrt
		math/bits.Add64 math/bits.LeadingZeros64 math/bits.Len math/bits.Len32 math/bits.Len64 math/bits.Mul64
		math/bits.OnesCount math/bits.OnesCount64 math/bits.Reverse64 math/bits.ReverseBytes64
		math/bits.RotateLeft32 math/bits.RotateLeft64 math/bits.Sub64 math/bits.TrailingZeros
		math/bits.TrailingZeros32 math/bits.TrailingZeros64
		math/rand.hbChoose math/rand.runtime_rand math/rand/v2.hbChoose math/rand/v2.runtime_rand
	`),
	without(`
		runtime.GOROOT runtime.Goexit runtime.Gosched runtime.NumGoroutine runtime.Stack runtime.Version
		runtime.callers runtime.funcInfo runtime.hbCrash runtime.hbFatal runtime.hbFinalize runtime.hbGC runtime.hbInitDone
		runtime.hbLive runtime.stopCleanup
		runtime.memhash runtime.missingMethod runtime.nanotime runtime.pcInfo runtime.rand runtime.typePkgPath
		runtime.typeString
		syscall.Exit syscall.Getpagesize syscall.gettimeofday syscall.hbGetcwd syscall.hbPread syscall.hbReaddir
		syscall.hbReadlink syscall.hbRefuse syscall.hbRefuseShared syscall.hbStat syscall.hbStdin syscall.hbWrite
		syscall.runtime_AfterFork syscall.runtime_BeforeFork syscall.runtime_entersyscall syscall.runtime_exitsyscall
		testing.Short testing.Testing testing.hbAsks testing.hbCaller testing.hbFailed testing.hbG testing.hbLog testing.hbPanicking
		testing.hbSelected testing.hbSite testing.hbSkipped testing.hbTestBegins testing.hbTestDone testing.hbTouch
		testing.hbUnsupported
		time.hbArm time.hbArming time.hbChange time.hbDrain time.hbFire time.hbKill time.hbMoves time.hbSleep time.now
		time.runtimeIsBubbled time.runtimeNano time.runtimeNow
		(time.Time).After (time.Time).Before (time.Time).Compare (time.Time).Equal (time.Time).Sub
	`),
	without(`
		(*sync.Mutex).Lock (*sync.Mutex).TryLock (*sync.Mutex).Unlock
		(*sync.RWMutex).RLock (*sync.RWMutex).RUnlock (*sync.RWMutex).TryLock (*sync.RWMutex).TryRLock (*sync.RWMutex).Unlock
		sync.hbAnnounce sync.hbBroadcast sync.hbG sync.hbGot sync.hbOnceEnter sync.hbOnceLeave
		sync.hbMissed sync.hbMode sync.hbOrder sync.hbPark sync.hbPending sync.hbPick sync.hbPool sync.hbPut sync.hbSignal sync.hbTries sync.hbWake sync.hbWgAdd sync.hbWgWait
		sync/atomic.hbLoad sync/atomic.hbRMW sync/atomic.hbStore
		(*sync/atomic.Bool).CompareAndSwap (*sync/atomic.Bool).Load (*sync/atomic.Bool).Store (*sync/atomic.Bool).Swap
	`),
	without(product("(*sync/atomic. Int32 Int64 Uint32 Uint64 Uintptr", ").", "Add And CompareAndSwap Load Or Store Swap")),
	without(product("sync/atomic. Add And CompareAndSwap Load Or Store Swap", "", "Int32 Int64 Uint32 Uint64 Uintptr")),

	// These are called by opaque code only: see external.go.
	without(`
		hb.bind hb.callLoad hb.callStore hb.pack hb.selectLoad hb.selectStore hb.unpack internal/runtime/maps.look internal/runtime/maps.take
		internal/reflectlite.chanlen internal/reflectlite.ifaceE2I internal/reflectlite.maplen
		internal/reflectlite.resolveNameOff internal/reflectlite.resolveTypeOff internal/reflectlite.typedmemmove
		internal/reflectlite.unsafe_New
		reflect.chancap reflect.chanclose reflect.chanlen reflect.getStaticuint64s reflect.growslice
		reflect.hbArrayOf reflect.hbCall reflect.hbChanOf reflect.hbFuncOf reflect.hbFuncPC reflect.hbMakeFunc
		reflect.hbMapOf reflect.hbMethod reflect.hbMethodValue reflect.hbNewTuple reflect.hbSelect
		reflect.hbSliceOf reflect.hbStructOf reflect.ifaceE2I reflect.makechan reflect.makemap reflect.mapaccess
		reflect.mapaccess_faststr reflect.mapassign0 reflect.mapassign_faststr0 reflect.mapclear reflect.mapdelete
		reflect.mapdelete_faststr reflect.maplen reflect.resolveNameOff reflect.resolveTextOff
		reflect.resolveTypeOff reflect.typedarrayclear reflect.typedmemclr reflect.typedmemmove
		reflect.typedslicecopy reflect.typelinks reflect.unsafe_New reflect.unsafe_NewArray
	`),

	map[string]model{
		"internal/bytealg.MakeNoZero": func(n *native) { n.alloc(types.Typ[types.Uint8]) },
		"os.runtime_args":             func(n *native) { n.alloc(types.Typ[types.String]) },
		"syscall.runtime_envs":        func(n *native) { n.alloc(types.Typ[types.String]) },

		"sync/atomic.LoadPointer":  func(n *native) { n.load(n.result, n.arg(0), place{}) },
		"sync/atomic.StorePointer": func(n *native) { n.store(n.arg(0), place{}, n.arg(1)) },
		"sync/atomic.SwapPointer": func(n *native) {
			n.load(n.result, n.arg(0), place{})
			n.store(n.arg(0), place{}, n.arg(1))
		},
		"sync/atomic.CompareAndSwapPointer": func(n *native) { n.store(n.arg(0), place{}, n.arg(2)) },

		// hbGo(run func(*hbTimer, int64), r *hbTimer, d int64) runs run(r, d) on a
		// goroutine.
		"time.hbGo": func(n *native) { n.call(n.arg(0), n.arg(1)) },
		// hbSend(c chan hbTick, loc *Location) sends a tick with that location.
		"time.hbSend": func(n *native) {
			c := n.fn.Signature.Params().At(0).Type().Underlying().(*types.Chan)
			tick := n.a.lays.of(c.Elem())
			pl := n.a.in(n.a.lays.chanOf(c), 0).plus(&tick.parts[2])
			n.store(n.arg(0), pl, n.arg(1))
		},
		// The result has the location of the receiver.
		"(time.Time).Add": func(n *native) {
			if n.result != 0 && n.arg(0) != 0 {
				n.a.copy(n.result, n.arg(0))
			}
		},
		// newcoro(f func(*coro)) *coro runs f as a coroutine.
		"iter.newcoro": func(n *native) {
			o := n.alloc(types.Typ[types.Uint64])
			n.call(n.arg(0), n.a.pointer(o))
		},
		// Finalizers and cleanups are called some time later: by hbFinalize, but as
		// if where they are set.
		"runtime.addCleanup":   func(n *native) { n.call(n.arg(1)) },
		"runtime.setFinalizer": func(n *native) { n.a.on(n.arg(1), &finalizer{n}) },
		// clone(m any) any copies a map.
		"maps.clone": func(n *native) { n.a.on(n.arg(0), &cloneMap{n}) },
	},
)

// allocating are the natives whose results are new memory.
var allocating = map[string]bool{"internal/bytealg.MakeNoZero": true, "maps.clone": true}

// finalizer calls the func in each box with the pointers in the boxes of the
// first argument.
type finalizer struct{ n *native }

func (c *finalizer) apply(a *analysis, delta []nodeID) {
	for _, x := range delta {
		o := a.objectOf(x)
		if !o.isBox() {
			continue
		}
		if _, ok := o.Type.Underlying().(*types.Signature); !ok {
			continue
		}
		f, obj := a.registers(1), a.registers(1)
		a.on(x, &loading{f, place{}, a.lays.of(o.Type)})
		c.n.load(obj, c.n.arg(0), place{})
		c.n.call(f, obj)
	}
}

// cloneMap makes the result of maps.clone a box with a copy of each map.
type cloneMap struct{ n *native }

func (c *cloneMap) apply(a *analysis, delta []nodeID) {
	for _, x := range delta {
		o := a.objectOf(x)
		if !o.isBox() {
			continue
		}
		t, ok := o.Type.Underlying().(*types.Map)
		if !ok {
			continue
		}
		site, ctx := c.n.site()
		box := a.box(typedSite{site, o.Type}, ctx, o.Type)
		m := a.object(objectKey{typedSite{site, o.Type}, ctx, Map}, o.Type, a.lays.mapOf(t))
		a.add(box.base, m.base)
		if c.n.result != 0 {
			a.add(c.n.result, box.base)
		}
		for i, et := range []types.Type{t.Key(), t.Elem()} {
			e := a.lays.of(et)
			if len(e.ptrs) == 0 {
				continue
			}
			r := a.registers(len(e.ptrs))
			pl := a.in(m.lay, i)
			a.on(x, &loading{r, pl, e})
			a.storeTo(m.base, pl, r, e)
		}
	}
}

// typedSite is the site of a native that allocates objects of several types.
type typedSite struct {
	site any
	t    types.Type
}

// without gives the functions named in list a model that does nothing.
func without(list string) map[string]model {
	m := make(map[string]model)
	for _, name := range strings.Fields(list) {
		m[name] = func(*native) {}
	}
	return m
}

// product returns the names that consist of the first word of first, one of the
// others, middle, and one of last.
func product(first, middle, last string) string {
	words := strings.Fields(first)
	var list []string
	for _, a := range words[1:] {
		for _, b := range strings.Fields(last) {
			list = append(list, words[0]+a+middle+b)
		}
	}
	return strings.Join(list, " ")
}

func modelTable(parts ...map[string]model) map[string]model {
	all := make(map[string]model)
	for _, p := range parts {
		for name, m := range p { // in any order: into a table
			if all[name] != nil {
				panic("BUG: two models of " + name)
			}
			all[name] = m
		}
	}
	return all
}
