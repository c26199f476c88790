package watches

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// MadeRemoved: a file is made beside its removal.
func MadeRemoved() {
	in(func(w *watcher) {
		par(func() { must(os.Mkdir(w.path("a"), 0o777)) }, func() { fmt.Print(word(os.Remove(w.path("a")))) })
		w.queued()
	})
}

// AddRemoved: a watch is added to a file beside its removal. The watch ends.
func AddRemoved() {
	in(func(w *watcher) {
		w.write("a")
		w.queued()
		ok := false
		par(func() {
			_, err := syscall.InotifyAddWatch(w.fd, w.path("a"), mask)
			ok = err == nil
		}, func() { must(os.Remove(w.path("a"))) })
		fmt.Print(ok)
		w.queued()
	})
}

// AddRemovedDir is AddRemoved for a directory.
func AddRemovedDir() {
	in(func(w *watcher) {
		must(os.Mkdir(w.path("a"), 0o777))
		w.queued()
		ok := false
		par(func() {
			_, err := syscall.InotifyAddWatch(w.fd, w.path("a"), mask)
			ok = err == nil
		}, func() { must(os.Remove(w.path("a"))) })
		fmt.Print(ok)
		w.queued()
	})
}

// ModeRemoved: the mode of a file changes beside its removal.
func ModeRemoved() {
	in(func(w *watcher) {
		w.write("a")
		w.add("a", mask)
		w.queued()
		par(func() { fmt.Print(word(os.Chmod(w.path("a"), 0o600))) }, func() { must(os.Remove(w.path("a"))) })
		w.queued()
	})
}

// OneTime: one of the times of a file changes.
func OneTime() {
	in(func(w *watcher) {
		w.write("a")
		w.queued()
		must(os.Chtimes(w.path("a"), time.Unix(1e9, 0), time.Time{}))
		w.queued()
		must(os.Chtimes(w.path("a"), time.Time{}, time.Unix(1e9, 0)))
		w.queued()
		must(os.Chtimes(w.path("a"), time.Time{}, time.Time{}))
		w.queued()
	})
}

// HostDir: a directory of the host is opened.
func HostDir() {
	in(func(w *watcher) {
		wd, err := syscall.InotifyAddWatch(w.fd, "/usr", syscall.IN_OPEN)
		fmt.Print(wd, word(err))
		_, err = os.ReadDir("/usr/share")
		fmt.Print(word(err), strings.Contains(w.next(), "OPEN/share"))
	})
}

// Masks: bits that no event has.
func Masks() {
	in(func(w *watcher) {
		w.write("a")
		w.queued()
		for i := range 32 {
			if 1<<i&(syscall.IN_ACCESS|syscall.IN_CLOSE_NOWRITE|syscall.IN_ONLYDIR) == 0 {
				w.add("a", 1<<i)
				w.add("a", syscall.IN_MODIFY|1<<i)
			}
		}
	})
}

// TwoInstances: in which order instances are told.
func TwoInstances() {
	in(func(w *watcher) {
		fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK)
		must(err)
		defer syscall.Close(fd)
		_, err = syscall.InotifyAddWatch(fd, w.dir, mask)
		must(err)
		b := make([]byte, 100)
		par(func() { must(os.Mkdir(w.path("a"), 0o777)) }, func() {
			n, _ := syscall.Read(fd, b)
			m, _ := syscall.Read(w.fd, b)
			fmt.Print(n > 0, m > 0)
		})
	})
}

// OtherInstance: in which order instances are told.
func OtherInstance() {
	in(func(w *watcher) {
		fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK)
		must(err)
		defer syscall.Close(fd)
		_, err = syscall.InotifyAddWatch(fd, w.dir, mask)
		must(err)
		b := make([]byte, 100)
		par(func() { must(os.Mkdir(w.path("a"), 0o777)) }, func() {
			n, _ := syscall.Read(w.fd, b)
			m, _ := syscall.Read(fd, b)
			fmt.Print(n > 0, m > 0)
		})
	})
}

// GoneDir: a directory is removed, while a file is open that was in it.
func GoneDir() {
	in(func(w *watcher) {
		must(os.Mkdir(w.path("d"), 0o777))
		f, err := os.Create(w.path("d/x"))
		must(err)
		w.add("d", mask)
		w.queued()
		must(os.Remove(w.path("d/x")))
		must(os.Remove(w.path("d")))
		w.queued()
		f.WriteString("x")
		w.queued()
		must(os.Mkdir(w.path("d"), 0o777))
		w.add("d", mask)
		w.queued()
		f.WriteString("x")
		f.Close()
		w.queued()
	})
}

// OpenDir: a directory is removed while it is open.
func OpenDir() {
	in(func(w *watcher) {
		must(os.Mkdir(w.path("d"), 0o777))
		f, err := os.Open(w.path("d"))
		must(err)
		w.add("d", mask)
		w.queued()
		must(os.Remove(w.path("d")))
		w.queued()
		f.Close()
		w.queued()
	})
}

// LastName: a file is open by another name than its last.
//
//native:incomplete removing all names of a file that is watched
func LastName() {
	in(func(w *watcher) {
		f, err := os.Create(w.path("a"))
		must(err)
		must(os.Link(w.path("a"), w.path("b")))
		w.add("a", mask)
		w.queued()
		must(os.Remove(w.path("a")))
		must(os.Remove(w.path("b")))
		w.queued()
		f.WriteString("x")
		f.Close()
		w.queued()
	})
}

// Dups: a descriptor of an instance, and of a file, that share.
func Dups() {
	in(func(w *watcher) {
		fd, err := syscall.Dup(w.fd)
		must(err)
		f, err := os.Create(w.path("a"))
		must(err)
		g, err := syscall.Dup(int(f.Fd()))
		must(err)
		f.Close()
		w.queued()
		syscall.Write(g, []byte("x"))
		syscall.Close(g)
		w.f.Close()
		b := make([]byte, 100)
		n, err := syscall.Read(fd, b)
		fmt.Println(events(b[:max(n, 0)]), word(err))
		must(os.Mkdir(w.path("d"), 0o777))
		n, err = syscall.Read(fd, b)
		fmt.Println(events(b[:max(n, 0)]), word(err))
		must(syscall.Close(fd))
	})
}

// Calls: what else can be done with an instance.
func Calls() {
	in(func(w *watcher) {
		_, err := syscall.Write(w.fd, []byte("x"))
		fmt.Print(word(err))
		_, err = syscall.Seek(w.fd, 0, 0)
		fmt.Print(word(err))
		_, err = syscall.Pread(w.fd, make([]byte, 50), 0)
		fmt.Print(word(err))
		fmt.Print(word(syscall.Ftruncate(w.fd, 0)))
		fmt.Print(word(syscall.Fsync(w.fd)))
		var st syscall.Stat_t
		fmt.Print(word(syscall.Fstat(w.fd, &st)), st.Mode&^0o777, st.Size)
		n, err := syscall.Read(w.fd, nil)
		fmt.Print(n, word(err))
		_, err = syscall.InotifyAddWatch(77, w.dir, mask)
		fmt.Print(word(err))
		_, err = syscall.InotifyAddWatch(w.fd, "", mask)
		fmt.Print(word(err))
		_, err = syscall.InotifyRmWatch(w.fd, 5)
		fmt.Print(word(err))
		_, err = syscall.InotifyRmWatch(w.fd, 1)
		fmt.Print(word(err))
		w.queued()
		w.add("", mask)
		w.queued()
	})
}

// Nothing: an instance without events is read.
func Nothing() {
	in(func(w *watcher) {
		n, err := syscall.Read(w.fd, nil)
		fmt.Print(n, word(err))
		n, err = syscall.Read(w.fd, make([]byte, 4))
		fmt.Print(n, word(err))
		w.write("a")
		n, err = syscall.Read(w.fd, nil)
		fmt.Print(n, word(err))
		n, err = w.f.Read(nil)
		fmt.Print(n, word(err))
	})
}

// Excluded: events of a file without a name.
func Excluded() {
	in(func(w *watcher) {
		w.add("", mask|syscall.IN_EXCL_UNLINK)
		f, err := os.Create(w.path("a"))
		must(err)
		w.add("a", mask|syscall.IN_EXCL_UNLINK)
		must(os.Remove(w.path("a")))
		w.queued()
		f.WriteString("x")
		f.Chmod(0o600)
		f.Truncate(0)
		f.Close()
		w.queued()
	})
}

// Copied: a tree of files.
func Copied() {
	in(func(w *watcher) {
		must(os.MkdirAll(w.path("a/b"), 0o777))
		w.write("a/x")
		w.queued()
		must(os.CopyFS(w.path("c"), os.DirFS(w.path("a"))))
		w.queued()
		must(os.RemoveAll(w.path("a")))
		w.queued()
		must(os.Rename(w.path("c"), w.path("d")))
		w.add("d", mask)
		w.add("d/b", mask)
		must(os.RemoveAll(w.path("d")))
		w.queued()
	})
}

// Oneshot: a watch that ends with its first event, of a file and of its directory.
func Oneshot() {
	in(func(w *watcher) {
		w.write("a")
		w.queued()
		w.add("a", syscall.IN_MODIFY|syscall.IN_DELETE_SELF|syscall.IN_ONESHOT)
		must(os.Remove(w.path("a")))
		w.queued()
		w.add("", mask|syscall.IN_ONESHOT)
		w.write("b")
		w.queued()
		w.add("", mask|syscall.IN_ONESHOT)
		must(os.Rename(w.path("b"), w.path("c")))
		w.queued()
		w.add("c", syscall.IN_IGNORED|syscall.IN_ONESHOT)
		must(os.Remove(w.path("c")))
		w.queued()
	})
}

// RemoveWatch: a watch is removed beside a change.
func RemoveWatch() {
	in(func(w *watcher) {
		par(func() { must(os.Mkdir(w.path("a"), 0o777)) }, func() { syscall.InotifyRmWatch(w.fd, 1) })
		w.queued()
	})
}

// CloseBeside: an instance is closed beside a change.
func CloseBeside() {
	in(func(w *watcher) {
		par(func() { must(os.Mkdir(w.path("a"), 0o777)) }, func() { w.f.Close() }, func() { fmt.Println(w.next()) })
	})
}

// Sizes: files are truncated and made longer.
func Sizes() {
	in(func(w *watcher) {
		w.write("a")
		w.add("a", mask)
		w.queued()
		must(os.Truncate(w.path("a"), 1))
		w.queued()
		f, err := os.OpenFile(w.path("a"), os.O_RDWR|os.O_TRUNC|os.O_CREATE, 0o666)
		must(err)
		w.queued()
		f.WriteAt(nil, 5)
		f.WriteAt([]byte("x"), 5)
		f.ReadFrom(strings.NewReader("abc"))
		f.Sync()
		f.Truncate(100)
		w.queued()
		f.Chmod(0o644)
		f.Chown(-1, -1)
		f.Close()
		w.queued()
	})
}

// Symlinks: a link is watched, and what it leads to.
func Symlinks() {
	in(func(w *watcher) {
		w.write("a")
		must(os.Symlink("a", w.path("l")))
		w.queued()
		w.add("l", mask)
		w.add("l", mask|syscall.IN_DONT_FOLLOW)
		w.write("l")
		w.queued()
		must(os.Chmod(w.path("l"), 0o600))
		must(os.Lchown(w.path("l"), os.Getuid(), -1))
		w.queued()
		must(os.Rename(w.path("l"), w.path("m")))
		w.queued()
		must(os.Remove(w.path("m")))
		must(os.Remove(w.path("a")))
		w.queued()
	})
}

// GoneDirs: as GoneDir, with a directory in it, and one renamed over it.
func GoneDirs() {
	in(func(w *watcher) {
		must(os.MkdirAll(w.path("d/s"), 0o777))
		f, err := os.Create(w.path("d/s/x"))
		must(err)
		w.add("d", mask)
		w.add("d/s", mask)
		w.queued()
		must(os.Remove(w.path("d/s/x")))
		must(os.Remove(w.path("d/s")))
		w.queued()
		must(os.Mkdir(w.path("e"), 0o777))
		must(syscall.Rename(w.path("e"), w.path("d")))
		w.queued()
		f.WriteString("x")
		w.queued()
		f.Close()
		w.queued()
	})
}
