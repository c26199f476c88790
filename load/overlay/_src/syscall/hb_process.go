package syscall

// The process and its user have fixed numbers, so that executions do not differ.

func Getpid() (pid int)   { return 1000 }
func Getppid() (ppid int) { return 1 }
func Gettid() (tid int)   { return 1000 }
func Getuid() (uid int)   { return 1000 }
func Geteuid() (euid int) { return 1000 }
func Getgid() (gid int)   { return 1000 }
func Getegid() (egid int) { return 1000 }

func getgroups(n int, list *_Gid_t) (nn int, err error) { return 0, nil }

var hbUmask = 0o022

func Umask(mask int) (oldmask int) {
	//mutant: the mask of modes is known to those who change it only [models TestModels/umaskMade]: "hbTouchNames()" -> "hbTable(true)"
	hbTouchNames() // calls that make files read the mask
	oldmask, hbUmask = hbUmask, mask
	return oldmask
}

// HbRaise sends a signal to the program. Package os/signal sets it, if the program imports it.
var HbRaise func(sig Signal)

// Kill sends a signal to the program itself; signals to other processes are refused.
func Kill(pid int, sig Signal) (err error) {
	switch {
	case pid != Getpid():
		hbRefuse("signal", "sending "+sig.String()+" to another process")
	case sig < 0 || sig > 64:
		return EINVAL
	case sig == 0:
	case HbRaise == nil:
		HbDefault(sig)
	default:
		HbRaise(sig)
	}
	return nil
}

// HbDefault is the effect of a signal without Notify: none, or the signal is refused.
func HbDefault(sig Signal) {
	switch sig {
	case SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGSEGV, SIGTERM,
		SIGSTKFLT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGSYS, 32, 33, 34:
		hbRefuse("signal", "sending "+sig.String()+", which nothing is notified of")
	}
}

func forkExec(argv0 string, argv []string, attr *ProcAttr) (pid int, err error) {
	hbRefuse("process", "starting a process")
	return 0, ENOSYS
}
