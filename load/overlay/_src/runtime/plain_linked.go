package runtime

import (
	"internal/abi"
	"internal/bytealg"
	"unsafe"
)

// Functions that are not exported, and that many libraries reach through //go:linkname. nanotime and
// cputicks are in package time. The memory is the program's: accesses to it are as visible as its own.

// hbSample returns random bits for math/rand; only one value is tried.
func hbSample() uint64

// hbChoose returns each number below n, which is small, in some execution.
func hbChoose(n int) int

// hbMemhash hashes n bytes at p. The seed of the process, which every hash of the real runtime
// depends on, is the same in every execution.
func hbMemhash(p unsafe.Pointer, seed, n uintptr) uintptr

func rand() uint64       { return hbSample() }
func fastrand() uint32   { return uint32(hbSample()) }
func cheaprand() uint32  { return uint32(hbSample()) }
func fastrandu() uint    { return uint(hbSample()) }
func fastrand64() uint64 { return hbSample() }
func cheaprand64() int64 { return int64(hbSample()) }

func randn(n uint32) uint32      { return below(n) }
func fastrandn(n uint32) uint32  { return below(n) }
func cheaprandn(n uint32) uint32 { return below(n) }

// below returns a number below n.
func below(n uint32) uint32 {
	switch {
	case n == 0:
		return 0
	case n <= 8:
		return uint32(hbChoose(int(n)))
	}
	return uint32(hbSample() % uint64(n))
}

func memhash(p unsafe.Pointer, seed, n uintptr) uintptr { return hbMemhash(p, seed, n) }

func memhash32(p unsafe.Pointer, seed uintptr) uintptr { return hbMemhash(p, seed, 4) }

func memhash64(p unsafe.Pointer, seed uintptr) uintptr { return hbMemhash(p, seed, 8) }

func strhash(p unsafe.Pointer, seed uintptr) uintptr {
	s := *(*string)(p)
	return hbMemhash(unsafe.Pointer(unsafe.StringData(s)), seed, uintptr(len(s)))
}

func typehash(t *abi.Type, p unsafe.Pointer, seed uintptr) uintptr {
	hbMemhash(nil, seed, 0)
	return abi.HbHash(t, p, seed)
}

func nilinterhash(p unsafe.Pointer, seed uintptr) uintptr {
	e := (*abi.EmptyInterface)(p)
	switch {
	case e.Type == nil:
		return hbMemhash(nil, seed, 0)
	case e.Type.IsDirectIface():
		return typehash(e.Type, unsafe.Pointer(&e.Data), seed)
	}
	return typehash(e.Type, e.Data, seed)
}

func memequal(p, q unsafe.Pointer, n uintptr) bool {
	return bytealg.Equal(unsafe.Slice((*byte)(p), n), unsafe.Slice((*byte)(q), n))
}

func memmove(to, from unsafe.Pointer, n uintptr) {
	copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
}

func memclrNoHeapPointers(p unsafe.Pointer, n uintptr) { clear(unsafe.Slice((*byte)(p), n)) }

func memclrHasPointers(p unsafe.Pointer, n uintptr) { memclrNoHeapPointers(p, n) }

func procPin() int { return 0 }
func procUnpin()   {}

// Functions for package sync that the overlay does not need.

//go:linkname sync_procPin sync.runtime_procPin
func sync_procPin() int { return 0 }

//go:linkname sync_procUnpin sync.runtime_procUnpin
func sync_procUnpin() {}

//go:linkname sync_canSpin sync.runtime_canSpin
func sync_canSpin(i int) bool { return false }

//go:linkname sync_doSpin sync.runtime_doSpin
func sync_doSpin() {}

//go:linkname atomic_procPin sync/atomic.runtime_procPin
func atomic_procPin() int { return 0 }

//go:linkname atomic_procUnpin sync/atomic.runtime_procUnpin
func atomic_procUnpin() {}

// vgetrandom is not supported, as on old kernels: the system call is made.
func vgetrandom(p []byte, flags uint32) (ret int, supported bool) { return -1, false }

// cpuid is the instruction of that name, for golang.org/x/sys/cpu. It describes a processor with
// only the features that all processors of its architecture have. Programs ask for features to
// choose assembly, which the machine does not execute.
//
//go:linkname cpuid golang.org/x/sys/cpu.cpuid
func cpuid(eaxArg, ecxArg uint32) (eax, ebx, ecx, edx uint32) {
	const (
		fpu, tsc, cx8, cmov  = 1 << 0, 1 << 4, 1 << 8, 1 << 15
		mmx, fxsr, sse, sse2 = 1 << 23, 1 << 24, 1 << 25, 1 << 26
	)
	switch eaxArg {
	case 0: // the last leaf, and "GenuineIntel"
		return 1, 0x756e6547, 0x6c65746e, 0x49656e69
	case 1:
		return 0, 0, 0, fpu | tsc | cx8 | cmov | mmx | fxsr | sse | sse2
	}
	return 0, 0, 0, 0
}

// xgetbv returns the registers that the system saves: those of SSE.
//
//go:linkname xgetbv golang.org/x/sys/cpu.xgetbv
func xgetbv() (eax, edx uint32) { return 3, 0 }
