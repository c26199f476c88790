// Package watches has programs that watch files and directories with inotify.
package watches

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

// mask has all events but those of reads.
const mask = syscall.IN_ALL_EVENTS &^ (syscall.IN_ACCESS | syscall.IN_CLOSE_NOWRITE)

// watcher is an instance of inotify beside an empty directory.
type watcher struct {
	dir string
	f   *os.File
	fd  int
}

// in calls f with a watcher of an empty directory, which is watched.
func in(f func(w *watcher)) {
	dir, err := os.MkdirTemp("", "native")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		panic(err)
	}
	w := &watcher{dir, os.NewFile(uintptr(fd), "inotify"), fd}
	defer w.f.Close()
	w.add("", mask)
	f(w)
}

func (w *watcher) path(name string) string { return filepath.Join(w.dir, name) }

// add prints the number of the watch.
func (w *watcher) add(name string, mask uint32) {
	wd, err := syscall.InotifyAddWatch(w.fd, w.path(name), mask)
	fmt.Print("[", wd, word(err), "]")
}

func (w *watcher) write(name string) {
	if err := os.WriteFile(w.path(name), []byte("x"), 0o666); err != nil {
		panic(err)
	}
}

// word says what became of a call.
func word(err error) string {
	var no syscall.Errno
	switch {
	case err == nil:
		return ""
	case errors.Is(err, os.ErrClosed):
		return "closed"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "late"
	case errors.As(err, &no):
		return strings.ReplaceAll(no.Error(), " ", "-")
	}
	return err.Error()
}

var names = []string{"ACCESS", "MODIFY", "ATTRIB", "CLOSE", "", "OPEN", "FROM", "TO", "CREATE", "DELETE", "DELETE_SELF", "MOVE_SELF", "", "", "OVERFLOW", "IGNORED"}

// events returns the events in b.
func events(b []byte) string {
	s := ""
	for len(b) > 0 {
		e := (*syscall.InotifyEvent)(unsafe.Pointer(&b[0]))
		s += fmt.Sprint(" ", e.Wd)
		for i, name := range names {
			if e.Mask>>i&1 != 0 {
				s += name
			}
		}
		if e.Mask&syscall.IN_ISDIR != 0 {
			s += "/"
		}
		if e.Cookie != 0 {
			s += "+"
		}
		s += string(bytes.TrimRight(b[16:16+e.Len], "\x00"))
		b = b[16+e.Len:]
	}
	return s
}

// queued prints the events in the queue.
func (w *watcher) queued() {
	b := make([]byte, 4096)
	n, err := syscall.Read(w.fd, b)
	fmt.Println(events(b[:max(n, 0)]), word(err))
}

// next waits for events.
func (w *watcher) next() string {
	b := make([]byte, 4096)
	n, err := w.f.Read(b)
	return events(b[:n]) + word(err)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Written: a file that is new, and one that exists.
func Written() {
	in(func(w *watcher) {
		w.write("a")
		w.queued()
		w.write("a")
		w.queued()
		w.queued()
	})
}

// Merged: an event that repeats the last one of the queue is not added.
func Merged() {
	in(func(w *watcher) {
		w.write("a")
		w.add("a", syscall.IN_MODIFY)
		f, err := os.OpenFile(w.path("a"), os.O_WRONLY|os.O_APPEND, 0)
		must(err)
		w.queued()
		f.WriteString("y")
		f.WriteString("y")
		f.Write(nil)
		w.queued()
		f.Close()
		w.queued()
	})
}

// Attributes: a file in a watched directory, which is watched, too.
func Attributes() {
	in(func(w *watcher) {
		w.write("a")
		w.add("a", mask)
		w.queued()
		must(os.Chmod(w.path("a"), 0o600))
		must(os.Truncate(w.path("a"), 1))
		must(os.Chtimes(w.path("a"), time.Unix(1e9, 0), time.Unix(1e9, 0)))
		must(os.Lchown(w.path("a"), os.Getuid(), -1))
		w.queued()
	})
}

// Linked: further names.
func Linked() {
	in(func(w *watcher) {
		w.write("a")
		w.add("a", mask)
		w.queued()
		must(os.Link(w.path("a"), w.path("l")))
		must(os.Symlink("a", w.path("s")))
		w.queued()
		must(os.Remove(w.path("a")))
		w.queued()
		must(os.Remove(w.path("l")))
		w.queued()
	})
}

// Renamed: a file that is open, and whose later names are in events.
func Renamed() {
	in(func(w *watcher) {
		f, err := os.Create(w.path("a"))
		must(err)
		w.add("a", mask)
		w.queued()
		must(os.Rename(w.path("a"), w.path("b")))
		f.WriteString("x")
		w.queued()
		must(os.Remove(w.path("b")))
		f.WriteString("x")
		w.queued()
		f.Close()
		w.queued()
	})
}

// RenamedOver: the file that had the name is gone.
func RenamedOver() {
	in(func(w *watcher) {
		w.write("a")
		w.write("b")
		w.add("b", mask)
		w.queued()
		must(os.Rename(w.path("a"), w.path("b")))
		w.queued()
		w.write("b")
		w.queued()
	})
}

// Directories: made, renamed, removed.
func Directories() {
	in(func(w *watcher) {
		must(os.Mkdir(w.path("d"), 0o777))
		w.add("d", mask|syscall.IN_ONLYDIR)
		w.write("d/x")
		w.queued()
		must(os.Rename(w.path("d"), w.path("e")))
		must(os.Remove(w.path("e/x")))
		w.queued()
		must(os.Chmod(w.path("e"), 0o700))
		w.queued()
		must(os.Mkdir(w.path("f"), 0o777))
		w.add("f", mask)
		w.queued()
		must(syscall.Rename(w.path("e"), w.path("f")))
		w.queued()
		must(os.Remove(w.path("f")))
		w.queued()
	})
}

// Watches: the errors and numbers of watches.
func Watches() {
	in(func(w *watcher) {
		w.write("a")
		w.add("none", mask)
		w.add("a", 0)
		w.add("a", mask|syscall.IN_ONLYDIR)
		w.add("a", syscall.IN_ATTRIB)
		w.add("a", syscall.IN_MODIFY|syscall.IN_MASK_ADD)
		w.add("a", syscall.IN_MODIFY|1<<28)
		w.queued()
		must(os.Chmod(w.path("a"), 0o600))
		must(os.Truncate(w.path("a"), 0))
		w.queued()
		_, err := syscall.InotifyRmWatch(w.fd, 2)
		fmt.Print(word(err))
		_, err = syscall.InotifyRmWatch(w.fd, 2)
		fmt.Print(word(err))
		_, err = syscall.InotifyRmWatch(1, 2)
		fmt.Print(word(err))
		w.queued()
		w.add("a", syscall.IN_ATTRIB|syscall.IN_ONESHOT)
		must(os.Chmod(w.path("a"), 0o644))
		must(os.Chmod(w.path("a"), 0o600))
		w.queued()
		_, err = syscall.InotifyInit1(3)
		fmt.Print(word(err))
	})
}

// Small: a buffer without room for an event.
func Small() {
	in(func(w *watcher) {
		w.write("a")
		_, err := w.f.Read(make([]byte, 31))
		fmt.Println(word(err))
		n, err := w.f.Read(make([]byte, 33))
		fmt.Println(n, word(err))
	})
}

// Awaited: one goroutine writes, another one waits.
func Awaited() {
	in(func(w *watcher) {
		go w.write("a")
		s := ""
		for !strings.Contains(s, "CLOSE") {
			s += w.next()
		}
		fmt.Println(s)
	})
}

// Closed: closing ends a Read.
func Closed() {
	in(func(w *watcher) {
		s := ""
		par(func() { s = w.next() }, func() { w.f.Close() })
		fmt.Println(s)
	})
}

// Deadline: a Read that ends with it.
func Deadline() {
	in(func(w *watcher) {
		w.f.SetReadDeadline(time.Now().Add(time.Millisecond))
		fmt.Println(w.next())
	})
}

// TwoFiles: events of two goroutines.
func TwoFiles() {
	in(func(w *watcher) {
		par(func() { must(os.Mkdir(w.path("a"), 0o777)) }, func() { must(os.Mkdir(w.path("b"), 0o777)) })
		w.queued()
	})
}

// AddBeside: a watch is made beside a change.
func AddBeside() {
	in(func(w *watcher) {
		must(os.Mkdir(w.path("d"), 0o777))
		w.queued()
		par(func() { w.add("d", syscall.IN_CREATE) }, func() { must(os.Mkdir(w.path("d/e"), 0o777)) })
		w.queued()
	})
}

// Reloads: a writer replaces a file by renaming, a reader waits for the name.
func Reloads() {
	in(func(w *watcher) {
		w.write("conf")
		w.write("new")
		w.queued()
		go func() { must(os.Rename(w.path("new"), w.path("conf"))) }()
		for s := ""; !strings.Contains(s, "TO+conf"); {
			s = w.next()
		}
		b, err := os.ReadFile(w.path("conf"))
		fmt.Println(string(b), word(err))
	})
}
