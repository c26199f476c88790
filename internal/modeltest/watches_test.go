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
	// A watch that is made while another goroutine removes the file ends with the file.
	{"watchedLeft", "falsea|true--a|truea--", `
		os.Mkdir("DIR/a", 0o777)
		in := inotify("DIR", syscall.IN_DELETE)
		together(func() {
			_, err := syscall.InotifyAddWatch(in, "DIR/a", syscall.IN_DELETE_SELF)
			print(err == nil)
		}, func() { os.Remove("DIR/a") })
		print(inotified(in))`},
	// One goroutine changes the mode of a file while another one removes it.
	{"watchedMode", "---a|-a--|-a---", `
		os.WriteFile("DIR/a", nil, 0o666)
		in := inotify("DIR", syscall.IN_DELETE)
		syscall.InotifyAddWatch(in, "DIR/a", syscall.IN_ATTRIB|syscall.IN_DELETE_SELF)
		together(func() { os.Chmod("DIR/a", 0o600) }, func() { os.Remove("DIR/a") })
		print(inotified(in))`},
	// The events of a directory come in the order of its changes.
	{"watchedInOrder", "a|ab", `
		in := inotify("DIR", syscall.IN_CREATE)
		together(func() { os.Mkdir("DIR/a", 0o777) }, func() {
			if _, err := os.Stat("DIR/a"); err == nil {
				os.Mkdir("DIR/b", 0o777)
			}
		})
		print(inotified(in))`},
	// Either of two instances may be the first to be told.
	{"watchedInstances", "-|-a|a-|a-a", `
		in, other := inotify("DIR", syscall.IN_CREATE), inotify("DIR", syscall.IN_CREATE)
		together(func() { os.Mkdir("DIR/a", 0o777) }, func() { print(inotified(other)); print("-"); print(inotified(in)) })`},
	// A file that is open keeps its directory, which ends when it is closed.
	{"watchedKeeps", "a--d|ad--|da--", `
		os.Mkdir("DIR/d", 0o777)
		f, _ := os.Create("DIR/d/a")
		in := inotify("DIR/d", syscall.IN_DELETE_SELF|syscall.IN_CLOSE_WRITE)
		syscall.InotifyAddWatch(in, "DIR", syscall.IN_DELETE)
		together(func() { os.Remove("DIR/d/a"); os.Remove("DIR/d") }, func() { f.Close() })
		print(inotified(in))`},
	// One goroutine closes a file while another one renames it.
	{"watchedRenameClose", "ab|ba|bb", `
		f, _ := os.Create("DIR/a")
		in := inotify("DIR", syscall.IN_CLOSE_WRITE|syscall.IN_MOVED_TO)
		together(func() { f.Close() }, func() { os.Rename("DIR/a", "DIR/b") })
		print(inotified(in))`},
	// One goroutine closes a file while another one renames its directory.
	{"watchedMoveClose", "a", `
		os.Mkdir("DIR/d", 0o777)
		f, _ := os.Create("DIR/d/a")
		in := inotify("DIR/d", syscall.IN_CLOSE_WRITE)
		together(func() { f.Close() }, func() { os.Rename("DIR/d", "DIR/e") })
		print(inotified(in))`},
	// One goroutine closes an instance while another one changes the directory.
	{"watchedClosed", "", `
		in := inotify("DIR", syscall.IN_CREATE)
		together(func() { os.Mkdir("DIR/a", 0o777) }, func() { syscall.Close(in) })
		print(inotified(in))`},
}
