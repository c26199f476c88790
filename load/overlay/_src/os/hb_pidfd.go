package os

import "syscall"

func checkPidfd() error { return NewSyscallError("pidfd_open", syscall.ENOSYS) }
