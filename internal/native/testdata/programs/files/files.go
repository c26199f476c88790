// Package files has programs that write files: what they see of them afterwards, alone and beside
// other goroutines.
package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

// in calls f with an empty directory.
func in(f func(dir string)) {
	dir, err := os.MkdirTemp("", "native")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	f(dir)
}

// word says what became of a call, without paths.
func word(err error) string {
	var no syscall.Errno
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, os.ErrClosed):
		return "closed"
	case errors.As(err, &no):
		return strings.ReplaceAll(no.Error(), " ", "-")
	}
	return err.Error()
}

func content(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return word(err)
	}
	return string(b)
}

func names(dir string) string {
	list, err := os.ReadDir(dir)
	s := ""
	for _, x := range list {
		s += x.Name() + x.Type().String()[:1] + " "
	}
	return s + word(err)
}

// WriteRead: what is written can be read.
func WriteRead() {
	in(func(dir string) {
		p := filepath.Join(dir, "a")
		fmt.Print(word(os.WriteFile(p, []byte("one"), 0o644)), content(p))
		fmt.Print(word(os.WriteFile(p, []byte("b"), 0o644)), content(p))
	})
}

// Modes: what open does with its flags.
func Modes() {
	in(func(dir string) {
		p := filepath.Join(dir, "a")
		for _, flags := range []int{
			os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_CREATE | os.O_EXCL,
			os.O_WRONLY | os.O_APPEND, os.O_RDONLY, os.O_RDWR | os.O_TRUNC, os.O_RDONLY | syscall.O_DIRECTORY,
		} {
			f, err := os.OpenFile(p, flags, 0o600)
			fmt.Print(word(err), " ")
			if err != nil {
				continue
			}
			n, err := f.WriteString("xy")
			fmt.Print(n, word(err), " ")
			f.Seek(0, io.SeekStart)
			b, err := io.ReadAll(f)
			fmt.Print(string(b), word(err), " ", word(f.Close()), word(f.Close()), "; ")
		}
	})
}

// Offsets: seeking, reading and writing at places, holes.
func Offsets() {
	in(func(dir string) {
		f, _ := os.Create(filepath.Join(dir, "a"))
		f.WriteString("0123456789")
		fmt.Print(f.Seek(-3, io.SeekEnd))
		f.WriteString("abcde")
		fmt.Print(f.Seek(-1, io.SeekCurrent))
		_, err := f.Seek(-1, io.SeekStart)
		fmt.Print(word(err))
		f.WriteAt([]byte("Z"), 14)
		b := make([]byte, 20)
		n, err := f.ReadAt(b, 0)
		fmt.Printf("%q %v ", b[:n], err)
		fmt.Print(word(f.Truncate(2)), word(f.Truncate(4)), word(f.Truncate(-1)))
		fmt.Printf("%q ", content(f.Name()))
		st, err := f.Stat()
		fmt.Print(st.Size(), st.Mode(), word(err))
	})
}

// Append: writes of two descriptors go to the end.
func Append() {
	in(func(dir string) {
		p := filepath.Join(dir, "a")
		f, _ := os.OpenFile(p, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		g, _ := os.OpenFile(p, os.O_WRONLY|os.O_APPEND, 0)
		f.WriteString("1")
		g.WriteString("2")
		f.WriteString("3")
		_, err := f.WriteAt([]byte("x"), 0)
		fmt.Print(content(p), err)
	})
}

// Unlinked: a file that is open has its contents, whatever its name is.
func Unlinked() {
	in(func(dir string) {
		p := filepath.Join(dir, "a")
		f, _ := os.Create(p)
		f.WriteString("old")
		fmt.Print(word(os.Remove(p)), content(p), word(os.Remove(p)))
		os.WriteFile(p, []byte("new"), 0o600)
		f.Seek(0, 0)
		b, err := io.ReadAll(f)
		fmt.Print(string(b), word(err), content(p))
		st, _ := f.Stat()
		at, _ := os.Stat(p)
		fmt.Print(os.SameFile(st, at), os.SameFile(at, at))
	})
}

// Directories: making and removing them.
func Directories() {
	in(func(dir string) {
		p := filepath.Join(dir, "a")
		fmt.Print(word(os.Mkdir(p, 0o755)), word(os.Mkdir(p, 0o755)), word(os.Mkdir(p+"/b/c", 0o755)))
		fmt.Print(word(os.MkdirAll(p+"/b/c", 0o755)), names(p))
		os.WriteFile(p+"/f", nil, 0o600)
		fmt.Print(word(os.Mkdir(p+"/f", 0o755)), word(os.MkdirAll(p+"/f/g", 0o755)))
		fmt.Print(word(os.Remove(p)), word(syscall.Rmdir(p+"/f")), word(syscall.Unlink(p+"/b")))
		fmt.Print(names(p), content(p), content(p+"/f/x"))
		fmt.Print(word(os.RemoveAll(p)), names(dir), word(os.RemoveAll(p)))
		fmt.Print(word(os.WriteFile(p+"/x", nil, 0o600)))
	})
}

// Renaming: what it replaces and what it refuses.
func Renaming() {
	in(func(dir string) {
		at := func(name string) string { return filepath.Join(dir, name) }
		os.WriteFile(at("a"), []byte("a"), 0o600)
		os.WriteFile(at("b"), []byte("b"), 0o600)
		os.MkdirAll(at("d/e"), 0o755)
		os.WriteFile(at("d/e/f"), []byte("f"), 0o600)
		os.Mkdir(at("empty"), 0o755)
		for _, x := range [][2]string{
			{"a", "b"}, {"a", "c"}, {"b", "d"}, {"d", "b"}, {"b", "b"}, {"d", "d/e/g"}, {"d", "empty"}, {"empty/e", "e"},
			{"b", "missing/b"}, {"b", "d/e/h"}, {"d", "moved"}, {"moved/e", "e"}, {"missing", "e"},
		} {
			fmt.Print(word(os.Rename(at(x[0]), at(x[1]))), " ")
		}
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			fmt.Print(strings.TrimPrefix(path, dir), " ")
			return err
		})
		fmt.Print(content(at("e/f")), content(at("e/h")), content(at("moved/e/f")))
	})
}

// Links: symbolic and hard ones.
func Links() {
	in(func(dir string) {
		at := func(name string) string { return filepath.Join(dir, name) }
		os.WriteFile(at("a"), []byte("a"), 0o600)
		os.Mkdir(at("d"), 0o755)
		fmt.Print(word(os.Symlink("a", at("s"))), word(os.Symlink("a", at("s"))), content(at("s")))
		fmt.Print(word(os.Symlink("../a", at("d/up"))), content(at("d/up")))
		fmt.Print(word(os.Symlink("nowhere", at("broken"))), content(at("broken")))
		fmt.Print(word(os.Symlink("loop", at("loop"))), content(at("loop")))
		fmt.Print(word(os.Symlink(at("d"), at("sd"))), content(at("sd/up")), word(os.WriteFile(at("sd/new"), nil, 0o600)), names(at("d")))
		fmt.Print(word(os.WriteFile(at("broken"), []byte("made"), 0o600)), content(at("nowhere")))
		fmt.Print(word(os.Link(at("a"), at("h"))), word(os.Link(at("a"), at("h"))), word(os.Link(at("d"), at("hd"))))
		os.WriteFile(at("h"), []byte("both"), 0o600)
		fmt.Print(content(at("a")), word(os.Remove(at("a"))), content(at("h")), content(at("s")))
		target, err := os.Readlink(at("s"))
		fmt.Print(target, word(err))
		_, err = os.Readlink(at("h"))
		fmt.Print(word(err))
		l, err := os.Lstat(at("s"))
		fmt.Print(l.Mode().Type(), word(err), names(dir))
	})
}

// Permissions: of the owner, who is not root. The verdict of a native run by root is another one,
// so that only what both may do is printed.
func Permissions() {
	in(func(dir string) {
		p := filepath.Join(dir, "a")
		os.WriteFile(p, nil, 0o677)
		st, _ := os.Stat(p)
		fmt.Print(st.Mode(), word(os.Chmod(p, 0o640)))
		st, _ = os.Stat(p)
		fmt.Print(st.Mode())
		f, _ := os.OpenFile(p, os.O_RDWR, 0)
		fmt.Print(word(f.Chmod(0o400)))
		n, err := f.WriteString("still")
		fmt.Print(n, word(err), content(p))
	})
}

// Reading a directory piece by piece.
func Pieces() {
	in(func(dir string) {
		for _, n := range []string{"c", "a", "b"} {
			os.WriteFile(filepath.Join(dir, n), nil, 0o600)
		}
		d, _ := os.Open(dir)
		seen := map[string]bool{}
		for {
			list, err := d.Readdirnames(2)
			for _, n := range list {
				seen[n] = true
			}
			if err != nil {
				fmt.Print(len(seen), err)
				break
			}
		}
		_, err := d.Write(nil)
		fmt.Print(word(err))
	})
}

// Host: what is there on the host can be changed, removed and made again.
func Host() {
	in(func(dir string) {
		before, _ := os.ReadFile("/etc/passwd")
		f, err := os.Open("/etc/passwd")
		b := make([]byte, 4)
		n, _ := f.ReadAt(b, 0)
		st, _ := f.Stat()
		fmt.Print(word(err), string(b[:n]), st.Size() == int64(len(before)), st.Mode().IsRegular())
		fmt.Print(word(os.Symlink("/etc/passwd", filepath.Join(dir, "p"))), content(filepath.Join(dir, "p")) == string(before))
		_, err = f.Write(b)
		fmt.Print(word(err), word(os.Mkdir("/etc", 0o755)), word(os.Mkdir("/etc/passwd/x", 0o755)))
	})
}

// Scanner: buffered writing and reading.
func Scanner() {
	in(func(dir string) {
		f, _ := os.Create(filepath.Join(dir, "a"))
		w := bufio.NewWriter(f)
		for i := range 3 {
			fmt.Fprintln(w, "line", i)
		}
		w.Flush()
		f.Seek(0, 0)
		for s := bufio.NewScanner(f); s.Scan(); {
			fmt.Print(s.Text(), ";")
		}
	})
}

// Copying between files.
func Copying() {
	in(func(dir string) {
		f, _ := os.Create(filepath.Join(dir, "a"))
		f.WriteString("copied")
		f.Seek(1, 0)
		g, _ := os.Create(filepath.Join(dir, "b"))
		n, err := io.Copy(g, f)
		fmt.Print(n, word(err), content(g.Name()))
		n, err = io.Copy(g, strings.NewReader("!"))
		fmt.Print(n, word(err), content(g.Name()))
	})
}

// Exclusive: one of two creates the file.
func Exclusive() {
	in(func(dir string) {
		var won [2]string
		try := func(i int) func() {
			return func() {
				_, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_EXCL, 0o600)
				won[i] = word(err)
			}
		}
		par(try(0), try(1))
		fmt.Print(won)
	})
}

// Mkdirs: one of two makes the directory, and the other sees it.
func Mkdirs() {
	in(func(dir string) {
		var got [2]string
		try := func(i int) func() {
			return func() {
				err := os.Mkdir(filepath.Join(dir, "d"), 0o755)
				got[i] = word(err)
				if err != nil {
					got[i] += names(filepath.Join(dir, "d"))
				}
			}
		}
		par(try(0), try(1))
		fmt.Print(got)
	})
}

// Inside: a file is made in a directory that another goroutine makes.
func Inside() {
	in(func(dir string) {
		d, s := filepath.Join(dir, "d"), ""
		par(func() { os.Mkdir(d, 0o755) }, func() { s = word(os.WriteFile(filepath.Join(d, "f"), nil, 0o600)) })
		fmt.Print(s, names(d))
	})
}

// Emptying: a directory is removed while a file is made in it.
func Emptying() {
	in(func(dir string) {
		d := filepath.Join(dir, "d")
		os.Mkdir(d, 0o755)
		a, b := "", ""
		par(func() { a = word(os.Remove(d)) }, func() { b = word(os.WriteFile(filepath.Join(d, "f"), nil, 0o600)) })
		fmt.Print(a, b, names(d))
	})
}

// Listing beside making and removing.
func Listing() {
	in(func(dir string) {
		p, s := filepath.Join(dir, "a"), ""
		par(func() { os.WriteFile(p, nil, 0o600); os.Remove(p) }, func() { s = names(dir) })
		fmt.Print(s)
	})
}

// Replacing: readers see the old file or the new one, never none.
func Replacing() {
	in(func(dir string) {
		p := filepath.Join(dir, "a")
		os.WriteFile(p, []byte("old"), 0o600)
		os.WriteFile(p+"2", []byte("new"), 0o600)
		s := ""
		par(func() { os.Rename(p+"2", p) }, func() { s = content(p) })
		fmt.Print(s, content(p))
	})
}

// Truncating: a reader may see the file that is written again empty.
func Truncating() {
	in(func(dir string) {
		p := filepath.Join(dir, "a")
		os.WriteFile(p, []byte("ab"), 0o600)
		s := ""
		par(func() { os.WriteFile(p, []byte("cd"), 0o600) }, func() { s = content(p) })
		fmt.Print(s)
	})
}

// Writers: two descriptors with an offset each overwrite each other.
func Writers() {
	in(func(dir string) {
		p := filepath.Join(dir, "a")
		f, _ := os.Create(p)
		g, _ := os.OpenFile(p, os.O_WRONLY, 0)
		par(func() { f.WriteString("f") }, func() { g.WriteString("gg") })
		fmt.Print(content(p))
	})
}

// Appenders: two descriptors that append do not.
func Appenders() {
	in(func(dir string) {
		p := filepath.Join(dir, "a")
		app := func(s string) func() {
			return func() {
				f, _ := os.OpenFile(p, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
				f.WriteString(s)
				f.Close()
			}
		}
		par(app("1"), app("22"))
		fmt.Print(content(p))
	})
}

// Shared: two goroutines write to one open file.
func Shared() {
	in(func(dir string) {
		f, _ := os.Create(filepath.Join(dir, "a"))
		par(func() { f.WriteString("ab") }, func() { f.WriteString("c") })
		fmt.Print(content(f.Name()))
	})
}

// Lost: a counter in a file.
func Lost() {
	in(func(dir string) {
		p := filepath.Join(dir, "n")
		os.WriteFile(p, []byte{'0'}, 0o600)
		inc := func() {
			f, _ := os.OpenFile(p, os.O_RDWR, 0)
			var b [1]byte
			f.ReadAt(b[:], 0)
			b[0]++
			f.WriteAt(b[:], 0)
		}
		par(inc, inc)
		fmt.Print(content(p))
	})
}

// Raced: what is written is memory of the program.
//
//native:race
func Raced() {
	in(func(dir string) {
		f, _ := os.Create(filepath.Join(dir, "a"))
		b := []byte("x")
		par(func() { f.Write(b) }, func() { b[0] = 'y' })
		fmt.Print(content(f.Name()))
	})
}

// Removing: a file is read while it is removed.
func Removing() {
	in(func(dir string) {
		p, s := filepath.Join(dir, "a"), ""
		os.WriteFile(p, []byte("x"), 0o600)
		par(func() { os.Remove(p) }, func() { s = content(p) })
		fmt.Print(s)
	})
}

// Working: paths relative to the working directory.
func Working() {
	in(func(dir string) {
		old, _ := os.Getwd()
		defer os.Chdir(old)
		fmt.Print(word(os.Chdir(dir)), word(os.WriteFile("a", []byte("here"), 0o600)), content("a"), content("./../"+filepath.Base(dir)+"/a"))
		fmt.Print(names("."), word(os.Mkdir("d", 0o755)), word(os.Chdir("d")), content("../a"), word(os.Chdir("x")))
	})
}

// locks calls f with three open descriptions of one file.
func locks(f func(a, b, c *os.File)) {
	in(func(dir string) {
		var fs [3]*os.File
		for i := range fs {
			f, err := os.OpenFile(filepath.Join(dir, "f"), os.O_CREATE|os.O_RDWR, 0o666)
			if err != nil {
				panic(err)
			}
			defer f.Close()
			fs[i] = f
		}
		f(fs[0], fs[1], fs[2])
	})
}

const (
	shared   = syscall.LOCK_SH
	excluded = syscall.LOCK_EX
	now      = syscall.LOCK_NB
	unlocked = syscall.LOCK_UN
)

func lock(f *os.File, how int) string { return word(syscall.Flock(int(f.Fd()), how)) }

// LockExcludes: one description at a time has a lock that excludes others.
func LockExcludes() {
	locks(func(a, b, c *os.File) {
		fmt.Print(lock(a, excluded|now), lock(b, excluded|now), lock(b, shared|now), lock(a, excluded), lock(b, unlocked), lock(b, excluded|now))
		fmt.Print(lock(a, unlocked), lock(b, excluded|now), lock(a, excluded|now), lock(c, 0), lock(c, excluded|shared))
	})
}

// LockShares: several have one that does not, and no lock is kept by one who tries for another.
func LockShares() {
	locks(func(a, b, c *os.File) {
		fmt.Print(lock(a, shared), lock(b, shared|now), lock(c, excluded|now), lock(a, excluded|now))
		fmt.Print(lock(b, excluded|now), lock(a, shared|now), lock(b, shared|now), lock(a, shared|now))
	})
}

// LockCloses: closing the last descriptor of a description gives the lock up.
func LockCloses() {
	locks(func(a, b, c *os.File) {
		lock(a, excluded)
		d, err := syscall.Dup(int(a.Fd()))
		fmt.Print(err)
		a.Close()
		fmt.Print(lock(b, excluded|now))
		syscall.Close(d)
		fmt.Print(lock(b, excluded|now), lock(a, unlocked))
	})
}

// LockOthers: files are locked apart, and by any name.
func LockOthers() {
	locks(func(a, b, c *os.File) {
		g, err := os.Create(a.Name() + "g")
		if err != nil {
			panic(err)
		}
		defer g.Close()
		fmt.Print(lock(a, excluded|now), lock(g, excluded|now))
		os.Rename(a.Name(), a.Name()+"h")
		h, err := os.Open(a.Name() + "h")
		if err != nil {
			panic(err)
		}
		defer h.Close()
		fmt.Print(lock(h, shared|now), lock(b, shared|now))
	})
}

// LockDirectory: a directory can be locked.
func LockDirectory() {
	in(func(dir string) {
		a, _ := os.Open(dir)
		b, _ := os.Open(dir)
		fmt.Print(lock(a, excluded|now), lock(b, excluded|now))
		a.Close()
		fmt.Print(lock(b, shared|now))
		b.Close()
	})
}

// LockTries: who comes first.
func LockTries() {
	locks(func(a, b, c *os.File) {
		var x, y string
		par(func() { x = lock(a, excluded|now) }, func() { y = lock(b, shared|now) })
		fmt.Print(x, y)
	})
}

// LockWaits until the lock is given up.
func LockWaits() {
	locks(func(a, b, c *os.File) {
		var mu sync.Mutex
		say := func(s string) { mu.Lock(); defer mu.Unlock(); fmt.Print(s) }
		lock(a, shared)
		par(func() { lock(b, excluded); say("b"); lock(b, unlocked) }, func() {
			say("a")
			lock(a, unlocked)
			lock(c, shared)
			say("c")
			lock(c, unlocked)
		})
	})
}

// LockWaitsForClose of the file that is locked.
func LockWaitsForClose() {
	locks(func(a, b, c *os.File) {
		var mu sync.Mutex
		say := func(s string) { mu.Lock(); defer mu.Unlock(); fmt.Print(s) }
		lock(a, excluded)
		par(func() { lock(b, excluded); say("b") }, func() { say("a"); a.Close() })
	})
}
