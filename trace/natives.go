package trace

import "strings"

// Memory is the effect of a function that the machine implements on memory of the program, besides the
// operations that KindsOf lists. Memory of models is not meant: see internal/effect of the overlay.
type Memory uint8

// Effects on memory.
const (
	Undeclared   Memory = iota
	NoMemory            // nothing
	ReadsBytes          // bytes that its arguments lead to are read
	WritesBytes         // and those bytes are written
	WritesWords         // like WritesBytes, for uintptrs
	WritesUints         // like WritesBytes, for uints
	ReadsMemory         // reads memory of any type to which its arguments lead
	AtomicMemory        // operations of sync/atomic on the memory at the first argument
	AnyMemory           // anything is read and written
)

// MemoryOf returns the effect on memory of the native of that name; Undeclared if it is unknown.
func MemoryOf(name string) Memory { return natives[name] }

// natives declares every function that the machine implements. Static facts, the points-to analysis and the
// oracles look natives up here; the machine checks the declarations (vm/selfcheck_natives.go).
var natives = func() map[string]Memory {
	all := map[string]Memory{}
	for _, list := range []struct {
		m     Memory
		names string
	}{
		{NoMemory, `
			crypto/internal/fips140/aes.hbDecrypt crypto/internal/fips140/aes.hbEncrypt crypto/internal/fips140/aes/gcm.hbMul
			crypto/internal/fips140/edwards25519/field.hbMul crypto/internal/fips140/nistec/fiat.hbP256Mul
			crypto/internal/constanttime.boolToUint8 crypto/internal/sysrand.hbBits crypto/internal/sysrand.hbSampled fmt.hbAddress
			hash/maphash.runtime_rand hbcheck.dev/hbcheck/hbtest.Assume hbcheck.dev/hbcheck/hbtest.Choose hbcheck.dev/hbcheck/hbtest.nondet
			hbcheck.dev/hbcheck/hbtest.Running hbcheck.dev/hbcheck/hbtest/lin.called hbcheck.dev/hbcheck/hbtest/lin.returned
			internal/effect.Access internal/effect.Acquire internal/effect.Ordered internal/effect.OrderedIf internal/effect.Orders internal/effect.Range
			internal/effect.Release internal/effect.Wait internal/bytealg.MakeNoZero internal/godebug.hbSets internal/godebug.setting
			internal/synctest.IsInBubble internal/synctest.hbDrain internal/synctest.hbEnter internal/synctest.hbLeave
			internal/synctest.hbWait internal/synctest.hbWaiting internal/sync.runtime_rand
			math.Abs math.Ceil math.Copysign math.FMA math.Float32bits math.Float32frombits math.Float64bits
			math.Float64frombits math.Floor math.IsNaN math.Mod math.Sqrt math.Trunc math.archCeil math.archExp
			math.archFloor math.archHypot math.archLog math.archMax math.archMin math.archTrunc math.sqrt
			math/bits.Add64 math/bits.LeadingZeros64 math/bits.Len math/bits.Len32 math/bits.Len64 math/bits.Mul64
			math/bits.OnesCount math/bits.OnesCount64 math/bits.Reverse64 math/bits.ReverseBytes64
			math/bits.RotateLeft32 math/bits.RotateLeft64 math/bits.Sub64 math/bits.TrailingZeros
			math/bits.TrailingZeros32 math/bits.TrailingZeros64
			math/rand.hbAgain math/rand/v2.hbAgain math/rand.hbChoose math/rand.hbDraw math/rand.hbSeeded math/rand.hbSeeds math/rand.runtime_rand math/rand/v2.hbChoose math/rand/v2.runtime_rand
			net.hbFault net.hbRefused net.hbUnreached net.runtime_rand os.checkClonePidfd os.hbUntimed os.runtime_args os.runtime_beforeExit os.runtime_rand os.sigpipe
			os/signal.hbArrive os/signal.hbArrives os/signal.hbForget os/signal.hbHidden
			runtime.GOROOT runtime.Goexit runtime.Gosched runtime.NumGoroutine runtime.Version
			runtime.funcInfo runtime.hbCleans runtime.hbCrash runtime.hbEnvironment runtime.hbFatal runtime.hbFinalize runtime.hbFinalizes
			runtime.hbCollect runtime.hbCollects runtime.hbEntry runtime.hbGC runtime.hbInitDone runtime.hbStartCollector
			runtime.hbLive runtime.hbChoose runtime.hbSample runtime/pprof.hbGoroutines runtime/pprof.hbLeaked runtime.missingMethod runtime.pcInfo
			runtime.hbTurn runtime.typePkgPath runtime.typeString
			(*sync.Mutex).Lock (*sync.Mutex).TryLock (*sync.Mutex).Unlock
			(*sync.RWMutex).RLock (*sync.RWMutex).RUnlock (*sync.RWMutex).TryLock (*sync.RWMutex).TryRLock (*sync.RWMutex).Unlock
			sync.hbAnnounce sync.hbBefore sync.hbBroadcast sync.hbFind sync.hbG sync.hbGot sync.hbMissed sync.hbMode sync.hbOnceEnter sync.hbOnceLeave
			sync.hbOrder sync.hbOwn sync.hbOwned sync.hbPark sync.hbPending sync.hbPick sync.hbPool sync.hbPut sync.hbSignal sync.hbTries sync.hbWake
			sync.hbWgAdd sync.hbWgWait
			syscall.Exit syscall.Getpagesize syscall.hbAbsent syscall.hbDescribed syscall.hbEither syscall.hbGetcwd syscall.hbMade syscall.hbNumber syscall.hbRandom syscall.hbReaddir syscall.hbReadlink syscall.hbRefuse
			syscall.hbMayWatch syscall.hbRefuseShared syscall.hbReturn syscall.hbSame syscall.hbSets syscall.hbShows syscall.hbUnset syscall.hbVariable syscall.hbVariableIndex syscall.hbVariables syscall.runtime_AfterFork syscall.runtime_BeforeFork syscall.runtime_entersyscall
			syscall.runtime_envs syscall.runtime_exitsyscall
			testing.Short testing.Testing testing.hbAsks testing.hbCaller testing.hbFailed testing.hbG testing.hbLeaves testing.hbLog testing.hbPanicking testing.hbRan testing.hbRuns
			testing.hbSeed testing.hbTarget testing.hbText testing.hbValue testing.hbWay testing.hbSelected testing.hbSite testing.hbSkipped testing.hbTestBegins testing.hbTestDone testing.hbTouch
			testing.hbUnsupported
			time.hbApart time.hbArm time.hbArming time.hbChange time.hbCounted time.hbDrain time.hbFire time.hbGo time.hbKill time.hbMade time.hbMoves time.hbSend time.hbSleep time.hbText time.now
			(time.Time).Add (time.Time).After (time.Time).Before (time.Time).Compare (time.Time).Equal (time.Time).Sub
			time.runtimeIsBubbled time.runtimeNano time.runtimeNow weak.hbMade`},
		{ReadsBytes, `
			bytes.Equal internal/bytealg.Compare internal/bytealg.CompareString internal/bytealg.Count internal/bytealg.CountString
			internal/bytealg.Equal internal/bytealg.Index internal/bytealg.IndexByte internal/bytealg.IndexByteString
			internal/bytealg.IndexString internal/bytealg.LastIndexByteString
			hash/maphash.memhashString syscall.hbWrite
			crypto/internal/fips140/sha256.hbBlock crypto/internal/fips140/sha512.hbBlock crypto/md5.hbBlock crypto/sha1.hbBlock
			hash/crc32.hbUpdate`},
		{WritesBytes, `crypto/internal/fips140/sha3.keccakF1600 syscall.gettimeofday syscall.hbPread syscall.hbStat syscall.hbStdin runtime.Stack`},
		{WritesWords, `runtime.callers`},
		{WritesUints, `
			math/big.hbAdd math/big.hbAddMul math/big.hbMul math/big.hbShl math/big.hbShr math/big.hbSub
			crypto/internal/fips140/bigmod.hbAdd crypto/internal/fips140/bigmod.hbDiv crypto/internal/fips140/bigmod.hbExp
			crypto/internal/fips140/bigmod.hbMontgomery crypto/internal/fips140/bigmod.hbSub`},
		{ReadsMemory, `
			(*internal/abi.Type).hbEqual (*internal/abi.Type).hbHash internal/abi.FuncPCABI0 internal/abi.FuncPCABIInternal
			hash/maphash.hashAny hash/maphash.memhash maps.clone runtime.hbMemhash`},
		// The rest of package reflect, which calls them, is opaque to static analyses.
		{AnyMemory, `
			hb.bind hb.callLoad hb.callStore hb.pack hb.selectLoad hb.selectStore hb.unpack internal/runtime/maps.look internal/runtime/maps.take
			internal/reflectlite.chanlen internal/reflectlite.ifaceE2I internal/reflectlite.maplen
			internal/reflectlite.resolveNameOff internal/reflectlite.resolveTypeOff internal/reflectlite.typedmemmove
			internal/reflectlite.unsafe_New iter.coroswitch iter.newcoro
			reflect.chancap reflect.chanclose reflect.chanlen reflect.getStaticuint64s reflect.growslice
			reflect.hbArrayOf reflect.hbCall reflect.hbChanOf reflect.hbFuncOf reflect.hbFuncPC reflect.hbMakeFunc
			reflect.hbMapOf reflect.hbMethod reflect.hbMethodValue reflect.hbNewTuple reflect.hbSelect
			reflect.hbSliceOf reflect.hbStructOf reflect.ifaceE2I reflect.makechan reflect.makemap reflect.mapaccess
			reflect.mapaccess_faststr reflect.mapassign0 reflect.mapassign_faststr0 reflect.mapclear reflect.mapdelete
			reflect.mapdelete_faststr reflect.maplen reflect.resolveNameOff reflect.resolveTextOff
			reflect.resolveTypeOff reflect.typedarrayclear reflect.typedmemclr reflect.typedmemmove
			reflect.typedslicecopy reflect.typelinks reflect.compiledTypelinks reflect.unsafe_New reflect.unsafe_NewArray`},
		{AtomicMemory, `
			(*sync/atomic.Bool).CompareAndSwap (*sync/atomic.Bool).Load (*sync/atomic.Bool).Store (*sync/atomic.Bool).Swap
			sync/atomic.CompareAndSwapPointer sync/atomic.LoadPointer sync/atomic.StorePointer sync/atomic.SwapPointer
			sync/atomic.hbLoad sync/atomic.hbRMW sync/atomic.hbStore`},
	} {
		for _, name := range strings.Fields(list.names) {
			if all[name] != Undeclared {
				panic("BUG: " + name + " is declared twice")
			}
			all[name] = list.m
		}
	}
	for _, t := range strings.Fields("Int32 Int64 Uint32 Uint64 Uintptr") {
		for _, op := range strings.Fields("Add And CompareAndSwap Load Or Store Swap") {
			all["(*sync/atomic."+t+")."+op] = AtomicMemory
			all["sync/atomic."+op+t] = AtomicMemory
		}
	}
	return all
}()

// Natives calls f for the name of each function that is declared, in any order.
func Natives(f func(name string)) {
	for name := range natives {
		f(name)
	}
}
