package watches

import (
	"fmt"
	"net"
	"os"
	"syscall"
	"time"
)

// Blocking: a Read that waits in the system.
//
//native:incomplete stopped
func Blocking() {
	in(func(w *watcher) {
		w.f.Fd()
		go w.write("a")
		fmt.Println(w.next()[:8])
	})
}

// LateBeside: a deadline beside an event.
//
//native:incomplete stopped
func LateBeside() {
	in(func(w *watcher) {
		s := ""
		w.f.SetReadDeadline(time.Now().Add(time.Hour))
		par(func() { s = w.next() }, func() { must(os.Mkdir(w.path("a"), 0o777)) }, func() { w.f.SetReadDeadline(time.Unix(1, 0)) })
		fmt.Println(s)
		w.queued()
	})
}

// TwoReaders: of one instance.
//
//native:incomplete stopped
func TwoReaders() {
	in(func(w *watcher) {
		s, u := "", ""
		par(func() { s = w.next() }, func() { u = w.next() }, func() {
			must(os.Mkdir(w.path("a"), 0o777))
			must(os.Mkdir(w.path("b"), 0o777))
			time.Sleep(20 * time.Millisecond)
			w.f.Close()
		})
		fmt.Println(s, u)
	})
}

// Socket: a socket that is a file.
//
//native:incomplete inotify_add_watch of
func Socket() {
	in(func(w *watcher) {
		l, err := net.Listen("unix", w.path("s"))
		must(err)
		w.queued()
		w.add("s", mask)
		must(l.Close())
		w.queued()
	})
}

// SocketBeside: a socket is closed beside a dial.
func SocketBeside() {
	in(func(w *watcher) {
		l, err := net.Listen("unix", w.path("s"))
		must(err)
		par(func() {
			c, err := net.Dial("unix", w.path("s"))
			if err == nil {
				c.Close()
			}
		}, func() { l.Close() })
		w.queued()
	})
}

// AddWritten: a watch is added while the file is written.
func AddWritten() {
	in(func(w *watcher) {
		f, err := os.Create(w.path("a"))
		must(err)
		w.queued()
		par(func() { f.WriteString("x"); f.Close() }, func() { w.add("a", mask) })
		w.queued()
	})
}

// RenamedBeside: a file is written beside its renaming.
//
//native:incomplete stopped
func RenamedBeside() {
	in(func(w *watcher) {
		f, err := os.Create(w.path("a"))
		must(err)
		w.add("a", mask)
		w.queued()
		par(func() { f.WriteString("x"); f.Close() }, func() { must(os.Rename(w.path("a"), w.path("b"))) })
		w.queued()
	})
}

// MovedDir: files are made in a directory beside its renaming.
func MovedDir() {
	in(func(w *watcher) {
		must(os.Mkdir(w.path("d"), 0o777))
		w.add("d", mask)
		w.queued()
		par(func() { fmt.Print(word(os.Mkdir(w.path("d/x"), 0o777))) }, func() { must(os.Rename(w.path("d"), w.path("e"))) })
		w.queued()
	})
}

// OverBeside: a file is opened beside a renaming over it.
//
//native:incomplete stopped
func OverBeside() {
	in(func(w *watcher) {
		w.write("a")
		w.write("b")
		w.add("b", mask)
		w.queued()
		par(func() {
			f, err := os.OpenFile(w.path("b"), os.O_WRONLY|os.O_APPEND, 0)
			must(err)
			f.WriteString("x")
			f.Close()
		}, func() { must(os.Rename(w.path("a"), w.path("b"))) })
		w.queued()
	})
}

// Relative: paths from the working directory.
func Relative() {
	in(func(w *watcher) {
		must(os.Chdir(w.dir))
		must(os.MkdirAll("d/e", 0o777))
		wd, err := syscall.InotifyAddWatch(w.fd, "d/../d/e/.", mask)
		fmt.Print(wd, word(err))
		wd, err = syscall.InotifyAddWatch(w.fd, "d//e", mask)
		fmt.Print(wd, word(err))
		w.queued()
		must(os.Chdir("d/e"))
		w.write("d/e/x")
		must(os.Remove("x"))
		wd, err = syscall.InotifyAddWatch(w.fd, "..", mask)
		fmt.Print(wd, word(err))
		must(os.Remove("../e"))
		w.queued()
		must(os.Chdir("/"))
		w.queued()
	})
}

// Replaced: writers that replace one file.
func Replaced() {
	in(func(w *watcher) {
		must(os.Mkdir(w.path("a"), 0o777))
		must(os.Mkdir(w.path("b"), 0o777))
		w.queued()
		par(func() { must(syscall.Rename(w.path("a"), w.path("c"))) }, func() { must(syscall.Rename(w.path("b"), w.path("c"))) })
		w.queued()
	})
}

// StatRemoved: a file is looked up beside its removal.
func StatRemoved() {
	in(func(w *watcher) {
		w.write("a")
		w.add("a", mask)
		w.queued()
		par(func() { os.Stat(w.path("a")) }, func() { must(os.Remove(w.path("a"))) })
		w.queued()
	})
}
