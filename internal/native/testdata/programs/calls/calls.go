// Package calls has programs that make system calls by number, as libraries do that look at terminals,
// limits and the like.
package calls

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

// with calls f with an empty file.
func with(f func(fd int)) {
	file, err := os.CreateTemp("", "native")
	if err != nil {
		panic(err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	f(int(file.Fd()))
}

func Terminal() {
	with(func(fd int) {
		_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		_, err2 := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
		fmt.Print(err, err2)
	})
	_, err := unix.IoctlGetTermios(77, unix.TCGETS)
	fmt.Print(err)
}

func Process() {
	a, _, e := syscall.Syscall(syscall.SYS_GETPID, 0, 0, 0)
	fmt.Print(int(a) == os.Getpid(), e, unix.Getpid() == os.Getpid(), unix.Getppid() == os.Getppid())
}

func System() {
	var u unix.Utsname
	err := unix.Uname(&u)
	fmt.Print(err, unix.ByteSliceToString(u.Sysname[:]), unix.ByteSliceToString(u.Machine[:]))
}

// Processor: what every processor of the architecture has is there, and asking is no system call.
func Processor() {
	var line [2]cpu.CacheLinePad
	fmt.Print(cpu.Initialized, cpu.X86.HasSSE2, len(line), cpu.ARM64.HasAES, cpu.IsBigEndian)
}

func Random() {
	var a, b [16]byte
	n, err := unix.Getrandom(a[:], 0)
	m, err2 := unix.Getrandom(b[:5], 0)
	fmt.Print(n, err, m, err2, a != [16]byte{})
}

func Clock() {
	var a, b unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &a)
	err2 := unix.ClockGettime(unix.CLOCK_MONOTONIC, &b)
	fmt.Print(err, err2, b.Nano() >= a.Nano())
}

func Limits() {
	var l syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l)
	var r syscall.Rusage
	err2 := syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	var s syscall.Sysinfo_t
	err3 := syscall.Sysinfo(&s)
	fmt.Print(err, l.Cur > 100, l.Max >= l.Cur, err2, r.Maxrss > 0, err3, s.Totalram > 0)
}

func Space() {
	var s unix.Statfs_t
	err := unix.Statfs("/", &s)
	fmt.Print(err, s.Bsize > 0, s.Blocks > 0)
}

func Memory() {
	b, err := unix.Mmap(-1, 0, 5000, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		fmt.Print(err)
		return
	}
	zero := b[0] == 0 && b[4999] == 0
	b[4999] = 7
	last := b[4999]
	fmt.Print(zero, last, len(b), unix.Madvise(b, unix.MADV_DONTNEED) == nil, unix.Munmap(b))
}

// WrittenThroughMemory: mappings and calls on a file see each other's bytes, also after it has grown.
func WrittenThroughMemory() {
	with(func(fd int) {
		const rw, page = unix.PROT_READ | unix.PROT_WRITE, 4096
		fmt.Print(unix.Ftruncate(fd, 100))
		b, err := unix.Mmap(fd, 0, 100, rw, unix.MAP_SHARED)
		if err != nil {
			fmt.Print(err)
			return
		}
		r, err := unix.Mmap(fd, 0, 50, unix.PROT_READ, unix.MAP_SHARED)
		copy(b[10:], "memory")
		buf := make([]byte, 10)
		n, err2 := unix.Pread(fd, buf, 8)
		fmt.Print(err, string(r[10:16]), n, err2, string(buf[2:8]), buf[0])
		n, err = unix.Pwrite(fd, []byte("call"), 20)
		fmt.Print(n, err, string(b[20:24]), string(r[20:24]))
		fmt.Print(unix.Munmap(r))
		b[99] = 'z'
		fmt.Print(unix.Msync(b, unix.MS_SYNC), unix.Ftruncate(fd, 3*page))
		b, err = unix.Mremap(b, 2*page, unix.MREMAP_MAYMOVE)
		fmt.Print(err, len(b), string(b[10:16]), string(b[99]), b[100], b[2*page-1])
		b[2*page-1] = 'y'
		fmt.Print(unix.Munmap(b))
		n, err = unix.Pread(fd, buf, 2*page-1)
		var st unix.Stat_t
		err2 = unix.Fstat(fd, &st)
		fmt.Print(n, err, string(buf[0]), buf[1], err2, st.Size)
		_, err = unix.Mmap(fd, 1, 10, rw, unix.MAP_SHARED)
		_, err2 = unix.Mmap(fd, 0, 0, rw, unix.MAP_SHARED)
		fmt.Print(err, err2)
	})
}

// MappedByTwo goroutines.
func MappedByTwo() {
	with(func(fd int) {
		fmt.Print(unix.Ftruncate(fd, 8))
		b, err := unix.Mmap(fd, 0, 8, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			fmt.Print(err)
			return
		}
		var mu sync.Mutex
		incr := func(d byte) {
			mu.Lock()
			defer mu.Unlock()
			b[0] = b[0]*2 + d
		}
		par(func() { incr(1) }, func() { incr(2) })
		fmt.Print(b[0])
		fmt.Print(unix.Munmap(b))
	})
}

// MappedFile reads a file through memory.
func MappedFile() {
	with(func(fd int) {
		n, err := unix.Write(fd, []byte("hello, mapped world"))
		fmt.Print(n, err)
		b, err := unix.Mmap(fd, 0, n, unix.PROT_READ, unix.MAP_SHARED)
		if err != nil {
			fmt.Print(err)
			return
		}
		text := string(b)
		fmt.Print(text, unix.Munmap(b))
	})
}

func Files() {
	with(func(fd int) {
		n, err := unix.Pwrite(fd, []byte("abc"), 2)
		fmt.Print(n, err)
		var b [8]byte
		n, err = unix.Pread(fd, b[:], 0)
		fmt.Printf("%d%v%q", n, err, b[:max(n, 0)])
		off, err := unix.Seek(fd, -1, 2)
		n, err2 := unix.Read(fd, b[:])
		fmt.Print(off, err, n, err2, unix.Ftruncate(fd, 1), unix.Fsync(fd))
		var st unix.Stat_t
		fmt.Print(unix.Fstat(fd, &st), st.Size, st.Mode&unix.S_IFMT == unix.S_IFREG)
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		fmt.Print(flags&unix.O_ACCMODE == unix.O_RDWR, err, unix.Fadvise(fd, 0, 0, unix.FADV_SEQUENTIAL))
	})
	_, err := unix.Open("/no/such/file", unix.O_RDONLY, 0)
	var st unix.Stat_t
	fmt.Print(err, unix.Stat("/no/such/file", &st), unix.Close(99), unix.Fsync(99))
}

// Shared has two goroutines that read from one file.
func Shared() {
	with(func(fd int) {
		unix.Write(fd, []byte("ab"))
		unix.Seek(fd, 0, 0)
		var a, b [1]byte
		par(func() { unix.Read(fd, a[:]) }, func() { unix.Read(fd, b[:]) })
		fmt.Printf("%s%s", a[:], b[:])
	})
}

// Raw passes the kernel a buffer that another goroutine writes.
//
//native:race
func Raw() {
	with(func(fd int) {
		b := []byte("x")
		par(func() { b[0] = 'y' }, func() {
			syscall.Syscall(syscall.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), 1)
		})
		var got [2]byte
		n, _ := unix.Pread(fd, got[:], 0)
		fmt.Print(n, string(got[:n]))
	})
}

func Processors() {
	var s unix.CPUSet
	err := unix.SchedGetaffinity(0, &s)
	fmt.Print(err, s.Count() > 0)
}
