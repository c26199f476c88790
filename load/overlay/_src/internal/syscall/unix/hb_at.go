package unix

import "syscall"

// The calls on files, as package syscall has them.

func Openat(dirfd int, path string, flags int, perm uint32) (int, error) {
	return syscall.HbOpenat(dirfd, path, flags, perm)
}

func Unlinkat(dirfd int, path string, flags int) error { return syscall.HbUnlinkat(dirfd, path, flags) }

func Readlinkat(dirfd int, path string, buf []byte) (int, error) {
	return syscall.HbReadlinkat(dirfd, path, buf)
}

func Mkdirat(dirfd int, path string, mode uint32) error { return syscall.Mkdirat(dirfd, path, mode) }

func Fchownat(dirfd int, path string, uid, gid int, flags int) error {
	return syscall.Fchownat(dirfd, path, uid, gid, flags)
}

func Renameat(olddirfd int, oldpath string, newdirfd int, newpath string) error {
	return syscall.Renameat(olddirfd, oldpath, newdirfd, newpath)
}

func Linkat(olddirfd int, oldpath string, newdirfd int, newpath string, flag int) error {
	return syscall.HbLinkat(olddirfd, oldpath, newdirfd, newpath, flag)
}

func Symlinkat(oldpath string, newdirfd int, newpath string) error {
	return syscall.HbSymlinkat(oldpath, newdirfd, newpath)
}

func Fstatat(dirfd int, path string, stat *syscall.Stat_t, flags int) error {
	return syscall.HbFstatat(dirfd, path, stat, flags)
}

func Fchmodat(dirfd int, path string, mode uint32, flags int) error {
	return syscall.HbFchmodat(dirfd, path, mode, flags)
}

func Utimensat(dirfd int, path string, times *[2]syscall.Timespec, flag int) error {
	return syscall.HbUtimensat(dirfd, path, times, flag)
}

func Fcntl(fd int, cmd int, arg int) (int, error) { return syscall.HbFcntl(fd, cmd, arg) }
