package modeltest

// Watches of files with inotify.

const watchHead = `
// inotify returns an instance that watches path.
func inotify(path string, mask uint32) int {
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK)
	if err == nil {
		_, err = syscall.InotifyAddWatch(fd, path, mask)
	}
	if err != nil {
		panic(err)
	}
	return fd
}

// inotified returns the names in the queue of an instance, and "-" for an event without a name.
func inotified(fd int) string {
	b := make([]byte, 1024)
	n, _ := syscall.Read(fd, b)
	s := ""
	for b = b[:max(n, 0)]; len(b) > 0; {
		e := (*syscall.InotifyEvent)(unsafe.Pointer(&b[0]))
		if e.Len > 0 {
			s += strings.TrimRight(string(b[16:16+e.Len]), "\x00")
		} else {
			s += "-"
		}
		b = b[16+e.Len:]
	}
	return s
}
`

func init() { programs = append(programs, watchPrograms...) }

var watchPrograms = []program{
	{"watched", "d|de", `
		in := inotify("DIR", syscall.IN_CREATE)
		os.Mkdir("DIR/d", 0o777)
		together(func() { syscall.InotifyAddWatch(in, "DIR/d", syscall.IN_CREATE) }, func() { os.Create("DIR/d/e") })
		print(inotified(in))`},
	{"watchedTwice", "ab|ba", `
		in := inotify("DIR", syscall.IN_CREATE)
		together(func() { os.Create("DIR/a") }, func() { os.Create("DIR/b") })
		print(inotified(in))`},
	{"watchedRename", "ab|ba|bb", `
		f, _ := os.Create("DIR/a")
		in := inotify("DIR", syscall.IN_MODIFY|syscall.IN_MOVED_TO)
		together(func() { f.WriteString("x") }, func() { os.Rename("DIR/a", "DIR/b") })
		print(inotified(in))`},
	{"watchedOrders", "1", `
		f, _ := os.Create("DIR/a")
		in := inotify("DIR", syscall.IN_MODIFY)
		r := os.NewFile(uintptr(in), "inotify")
		x := 0
		together(func() { x = 1; f.WriteString("x") }, func() { var b [64]byte; r.Read(b[:]); print(x) })`},
	// The removal of a file that is open ends its watch when it is closed.
	{"watchedGone", "-a--|a---", `
		f, _ := os.Create("DIR/a")
		in := inotify("DIR/a", syscall.IN_ATTRIB|syscall.IN_DELETE_SELF)
		syscall.InotifyAddWatch(in, "DIR", syscall.IN_CLOSE_WRITE)
		together(func() { os.Remove("DIR/a") }, func() { f.Close() })
		print(inotified(in))`},
	// An instance that is closed beside a change.
	{"watchedClosed", "", `
		in := inotify("DIR", syscall.IN_CREATE)
		together(func() { os.Mkdir("DIR/a", 0o777) }, func() { syscall.Close(in) })
		print(inotified(in))`},
}
