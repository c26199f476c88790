package syscall

import "unsafe"

// System calls by number, as made by golang.org/x/sys/unix and similar libraries. Calls on files use the
// functions that os uses; queries get a plausible answer; calls that only advise have no effect; all others
// are refused. Memory that they read and write is the program's.

//go:linkname xSyscall golang.org/x/sys/unix.Syscall
func xSyscall(trap, a1, a2, a3 uintptr) (r1, r2 uintptr, err Errno) {
	r1, r2, e := hbCall(trap, a1, a2, a3, 0, 0, 0)
	return r1, r2, Errno(e)
}

//go:linkname xSyscall6 golang.org/x/sys/unix.Syscall6
func xSyscall6(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err Errno) {
	r1, r2, e := hbCall(trap, a1, a2, a3, a4, a5, a6)
	return r1, r2, Errno(e)
}

//go:linkname xRawSyscall golang.org/x/sys/unix.RawSyscall
func xRawSyscall(trap, a1, a2, a3 uintptr) (r1, r2 uintptr, err Errno) {
	return xSyscall(trap, a1, a2, a3)
}

//go:linkname xRawSyscall6 golang.org/x/sys/unix.RawSyscall6
func xRawSyscall6(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err Errno) {
	return xSyscall6(trap, a1, a2, a3, a4, a5, a6)
}

//go:linkname xSyscallNoError golang.org/x/sys/unix.SyscallNoError
func xSyscallNoError(trap, a1, a2, a3 uintptr) (r1, r2 uintptr) {
	r1, r2, _ = hbCall(trap, a1, a2, a3, 0, 0, 0)
	return r1, r2
}

//go:linkname xRawSyscallNoError golang.org/x/sys/unix.RawSyscallNoError
func xRawSyscallNoError(trap, a1, a2, a3 uintptr) (r1, r2 uintptr) {
	return xSyscallNoError(trap, a1, a2, a3)
}

//go:linkname xGettimeofday golang.org/x/sys/unix.gettimeofday
func xGettimeofday(tv *Timeval) (err Errno) { return gettimeofday(tv) }

// hbRandom returns random bits, which are the same in every execution.
func hbRandom() uint64

const (
	hbSysFlock     = 73
	hbSysStatfs    = 137
	hbSysFstatfs   = 138
	hbSysPrctl     = 157
	hbSysAffinity  = 204
	hbSysFadvise   = 221
	hbSysPrlimit   = 302
	hbSysGetrandom = 318

	hbMapAnonymous = 0x20
	hbMapPrivate   = 0x02
	hbRemapMayMove = 0x01
	hbProtWrite    = 0x2
	hbSetName      = 15
	hbExtMagic     = 0xEF53
)

// hbBytes returns n bytes of the program at address p.
func hbBytes(p, n uintptr) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), n)
}

// hbText returns the string at address p, which ends with a zero byte.
func hbText(p uintptr) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(hbBytes(p, uintptr(n)))
}

// hbCall makes a system call on linux/amd64. The addresses among its arguments are those of objects that
// the caller keeps alive.
//
//go:linkname hbCall internal/runtime/syscall/linux.Syscall6
func hbCall(num, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2, errno uintptr) {
	fd := int(int32(a1))
	if int(a1) >= hbFirst {
		fd = int(a1)
	}
	switch num {
	case SYS_READ:
		return hbResult(read(fd, hbBytes(a2, a3)))
	case SYS_WRITE:
		return hbResult(write(fd, hbBytes(a2, a3)))
	case SYS_PREAD64:
		return hbResult(pread(fd, hbBytes(a2, a3), int64(a4)))
	case SYS_PWRITE64:
		return hbResult(pwrite(fd, hbBytes(a2, a3), int64(a4)))
	case SYS_OPEN:
		return hbResult(openat(_AT_FDCWD, hbText(a1), int(a2), uint32(a3)))
	case SYS_OPENAT:
		return hbResult(openat(fd, hbText(a2), int(a3), uint32(a4)))
	case SYS_CLOSE:
		return hbResult(0, Close(fd))
	case SYS_LSEEK:
		off, err := Seek(fd, int64(a2), int(a3))
		return hbResult(int(off), err)
	case SYS_STAT:
		return hbResult(0, fstatat(_AT_FDCWD, hbText(a1), (*Stat_t)(unsafe.Pointer(a2)), 0))
	case SYS_LSTAT:
		return hbResult(0, fstatat(_AT_FDCWD, hbText(a1), (*Stat_t)(unsafe.Pointer(a2)), _AT_SYMLINK_NOFOLLOW))
	case SYS_FSTAT:
		return hbResult(0, Fstat(fd, (*Stat_t)(unsafe.Pointer(a2))))
	case SYS_NEWFSTATAT:
		return hbResult(0, fstatat(fd, hbText(a2), (*Stat_t)(unsafe.Pointer(a3)), int(a4)))
	case SYS_FTRUNCATE:
		return hbResult(0, Ftruncate(fd, int64(a2)))
	case SYS_FSYNC, SYS_FDATASYNC, SYS_SYNC_FILE_RANGE:
		return hbResult(0, Fsync(fd))
	case SYS_MKDIRAT:
		return hbResult(0, Mkdirat(fd, hbText(a2), uint32(a3)))
	case SYS_UNLINK:
		return hbResult(0, unlinkat(_AT_FDCWD, hbText(a1), 0))
	case SYS_UNLINKAT:
		return hbResult(0, unlinkat(fd, hbText(a2), int(a3)))
	case SYS_DUP:
		return hbResult(Dup(fd))
	case SYS_PIPE, SYS_PIPE2:
		flags := int(a2)
		if num == SYS_PIPE {
			flags = 0
		}
		var fds [2]_C_int
		err := pipe2(&fds, flags)
		if err == nil {
			*(*[2]_C_int)(unsafe.Pointer(a1)) = fds
		}
		return hbResult(0, err)
	case SYS_INOTIFY_INIT:
		return hbResult(hbInotifyInit(0))
	case SYS_INOTIFY_INIT1:
		return hbResult(hbInotifyInit(int(a1)))
	case SYS_INOTIFY_ADD_WATCH:
		return hbResult(hbInotifyAdd(fd, hbText(a2), uint32(a3)))
	case SYS_INOTIFY_RM_WATCH:
		return hbResult(0, hbInotifyRemove(fd, int32(a2)))
	case SYS_FCNTL:
		return hbResult(fcntl(fd, int(a2), int(a3)))
	case SYS_GETDENTS64:
		return hbResult(Getdents(fd, hbBytes(a2, a3)))
	case SYS_GETCWD:
		return hbResult(Getcwd(hbBytes(a1, a2)))
	case hbSysFlock:
		return hbResult(0, Flock(fd, int(a2)))
	case SYS_SETSOCKOPT:
		return hbResult(0, hbSetOption(fd, int(int32(a2)), int(int32(a3)), taken(hbBytes(a4, a5))))
	case SYS_GETSOCKOPT:
		size := (*uint32)(unsafe.Pointer(a5))
		value, err := hbOption(fd, int(int32(a2)), int(int32(a3)))
		if err == nil {
			*size = uint32(fill(hbBytes(a4, uintptr(*size)), value))
		}
		return hbResult(0, err)
	case SYS_RECVFROM:
		if a5 != 0 {
			hbRefuse("socket", "recvfrom with an address")
		}
		return hbResult(hbRecv(fd, hbBytes(a2, a3), int(a4)))
	case SYS_IOCTL: // calls for terminals; no file is a terminal
		if _, err := hbLookup(fd); err != nil {
			return hbResult(-1, err)
		}
		return hbResult(-1, ENOTTY)

	case SYS_GETPID, SYS_GETTID:
		return uintptr(Getpid()), 0, 0
	case SYS_GETPPID:
		return uintptr(Getppid()), 0, 0
	case SYS_GETUID, SYS_GETEUID, SYS_GETGID, SYS_GETEGID:
		return uintptr(Getuid()), 0, 0
	case SYS_UNAME:
		return hbResult(0, Uname((*Utsname)(unsafe.Pointer(a1))))
	case SYS_GETTIMEOFDAY:
		return 0, 0, uintptr(gettimeofday((*Timeval)(unsafe.Pointer(a1))))
	case SYS_CLOCK_GETTIME:
		var tv Timeval
		if e := gettimeofday(&tv); e != 0 {
			return ^uintptr(0), 0, uintptr(e)
		}
		*(*Timespec)(unsafe.Pointer(a2)) = Timespec{tv.Sec, tv.Usec * 1000}
		return 0, 0, 0
	case SYS_CLOCK_GETRES:
		*(*Timespec)(unsafe.Pointer(a2)) = Timespec{0, 1}
		return 0, 0, 0
	case hbSysGetrandom:
		for b := hbBytes(a1, a2); len(b) > 0; b = b[min(8, len(b)):] {
			for i, bits := 0, hbRandom(); i < min(8, len(b)); i++ {
				b[i], bits = byte(bits), bits>>8
			}
		}
		return a2, 0, 0
	case SYS_SYSINFO:
		*(*Sysinfo_t)(unsafe.Pointer(a1)) = Sysinfo_t{Uptime: 1, Totalram: 8 << 30, Freeram: 4 << 30, Procs: 100, Unit: 1}
		return 0, 0, 0
	case SYS_GETRLIMIT:
		return hbLimits(a1, a2)
	case hbSysPrlimit:
		if a1 != 0 && int(a1) != Getpid() {
			return hbResult(-1, ESRCH)
		}
		if a4 != 0 {
			return hbLimits(a2, a4)
		}
		return 0, 0, 0
	case SYS_GETRUSAGE:
		*(*Rusage)(unsafe.Pointer(a2)) = Rusage{Maxrss: 64 << 10}
		return 0, 0, 0
	case hbSysStatfs, hbSysFstatfs:
		*(*Statfs_t)(unsafe.Pointer(a2)) = Statfs_t{Type: hbExtMagic, Bsize: 4096, Blocks: 64 << 20, Bfree: 32 << 20, Bavail: 32 << 20,
			Files: 16 << 20, Ffree: 8 << 20, Namelen: 255, Frsize: 4096}
		return 0, 0, 0
	case hbSysAffinity:
		if a2 < 8 {
			return hbResult(-1, EINVAL)
		}
		*(*uint64)(unsafe.Pointer(a3)) = 0xF // the processors of runtime.NumCPU
		return 8, 0, 0

	case SYS_MADVISE, SYS_MLOCK, SYS_MUNLOCK, SYS_MSYNC, hbSysFadvise, SYS_SCHED_YIELD:
		return 0, 0, 0
	case SYS_MUNMAP:
		hbUnmap(unsafe.Pointer(a1))
		return 0, 0, 0
	case SYS_MREMAP:
		p, err := hbRemap(unsafe.Pointer(a1), int(a3), a4&hbRemapMayMove != 0)
		if err != nil {
			return hbResult(-1, err)
		}
		return uintptr(p), a3, 0 // the second result is a register that the kernel does not change
	case SYS_MPROTECT:
		if a3&hbProtWrite == 0 {
			hbRefuse("syscall", "protecting memory from writes")
		}
		return 0, 0, 0
	case hbSysPrctl:
		if a1 == hbSetName {
			return 0, 0, 0
		}
	case SYS_MMAP:
		return hbMmap(a2, a3, a4, int(int32(a5)), int64(a6))
	}
	hbRefuse("syscall", "system call "+hbCallName(num))
	return 0, 0, uintptr(ENOSYS)
}

// hbResult returns the results of a system call.
func hbResult(n int, err error) (r1, r2, errno uintptr) {
	if err == nil {
		return uintptr(n), 0, 0
	}
	if e, ok := err.(Errno); ok {
		return ^uintptr(0), 0, uintptr(e)
	}
	return ^uintptr(0), 0, uintptr(EINVAL)
}

// hbLimits writes the limit on a resource.
func hbLimits(resource, p uintptr) (r1, r2, errno uintptr) {
	limit := Rlimit{^uint64(0), ^uint64(0)}
	if resource == RLIMIT_NOFILE {
		limit = Rlimit{1024, 1 << 20}
	}
	*(*Rlimit)(unsafe.Pointer(p)) = limit
	return 0, 0, 0
}

// hbMmap allocates memory, or maps a file that is in memory. It maps a copy of a file of the host, for
// reading. That suffices, because only the program could change the file.
func hbMmap(n, prot, flags uintptr, fd int, off int64) (r1, r2, errno uintptr) {
	switch {
	case n == 0:
		return hbResult(-1, EINVAL)
	case n > 1<<30:
		return hbResult(-1, ENOMEM)
	}
	if flags&hbMapAnonymous == 0 && flags&hbMapPrivate == 0 {
		write := prot&hbProtWrite != 0
		p, err := hbMap(fd, int(n), off, write)
		switch {
		case err == nil:
			return uintptr(p), 0, 0
		case err != ENODEV || write:
			return hbResult(-1, err)
		}
	}
	b := make([]byte, (n+4095)&^4095)
	if flags&hbMapAnonymous == 0 {
		for at := uintptr(0); at < n; {
			k, err := pread(fd, b[at:n], off+int64(at))
			if err != nil {
				return hbResult(-1, err)
			}
			if k == 0 {
				break
			}
			at += uintptr(k)
		}
	}
	return uintptr(unsafe.Pointer(&b[0])), 0, 0
}

func hbDigits(n uintptr) string {
	var b [20]byte
	i := len(b)
	for ; n > 0 || i == len(b); n /= 10 {
		i--
		b[i] = byte('0' + n%10)
	}
	return string(b[i:])
}
