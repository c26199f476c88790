package host

import (
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"

	"hbcheck.dev/hbcheck/load"
)

// A View is the file system of the host, with each file as it was at its first read. All machines for
// a program share one. So the host's files have the same contents in every execution, even if others
// write to them, or the kernel generates them at each read (/proc/stat). The zero value has read no
// file.
type View struct {
	root     string // of the files of a bundle; empty: the host's own (load.Config.Root)
	mu       sync.Mutex
	infos    [2]map[string]answer[fs.FileInfo] // by path: its data; [1]: symbolic links followed
	lists    map[string]answer[string]         // by directory: its entries
	targets  map[string]answer[string]         // by symbolic link: its target
	digests  map[string]answer[string]         // by file whose content is not kept: the digest
	contents map[string]Content
	size     int64 // bytes in contents
}

// An answer is an answer of the host.
type answer[T any] struct {
	value T
	err   error
}

// Content is the content of a file.
type Content struct {
	Data []byte // nil: the content is not kept
	Made bool   // the kernel generates it at each read
}

// maxKeptFile bounds the size of a file whose content is kept, and maxKeptAll the sum of the sizes. A
// larger file is assumed to be an ordinary file that does not change.
const (
	maxKeptFile = 1 << 20
	maxKeptAll  = 64 << 20
)

// NewView returns a view of the files below root, or of all files if root is empty.
func NewView(root string) *View { return &View{root: root} }

// kept returns m's answer for path, and asks the host if there is no answer yet. The key is a copy, because
// path may be in the program's memory, which changes.
func kept[T any](v *View, m *map[string]answer[T], path string, ask func(string) (T, error)) (T, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	a, known := (*m)[path]
	if !known {
		if *m == nil {
			*m = make(map[string]answer[T])
		}
		a.value, a.err = ask(path)
		//mutant: files of the host are looked at again [test ./vm/host ^TestHostView$]
		//mutant: what is kept about files has the memory of the program as its names [test ./vm/host TestHostViewName]: "strings.Clone(path)" -> "path + strings.Clone(path)[:0]"
		(*m)[strings.Clone(path)] = a
	}
	return a.value, a.err
}

func (v *View) Stat(path string, follow bool) (fs.FileInfo, error) {
	if follow {
		return kept(v, &v.infos[1], path, onHost(v, os.Stat))
	}
	return kept(v, &v.infos[0], path, onHost(v, os.Lstat))
}

func (v *View) Names(path string) (string, error) {
	return kept(v, &v.lists, path, onHost(v, namesOf))
}

func (v *View) Target(path string) (string, error) {
	target, err := kept(v, &v.targets, path, onHost(v, os.Readlink))
	return SeenPath(target, OnWindows), err
}

// onHost returns a version of ask that takes paths of the program.
func onHost[T any](v *View, ask func(string) (T, error)) func(string) (T, error) {
	return func(path string) (T, error) { return ask(v.path(path)) }
}

// path returns the host's path for a path of the program. A program in a bundle sees nothing outside of it.
func (v *View) path(path string) string { return load.Rooted(v.root, hostPath(path, OnWindows)) }

// Content returns the content of a file.
func (v *View) Content(path string) Content {
	v.mu.Lock()
	defer v.mu.Unlock()
	c, known := v.contents[path]
	if !known {
		if v.contents == nil {
			v.contents = make(map[string]Content)
		}
		if c = readKept(v.path(path)); v.size+int64(len(c.Data)) > maxKeptAll {
			c = Content{}
		}
		v.size += int64(len(c.Data))
		//mutant: contents of the host's files are read again [test ./vm/host ^TestHostView$]
		v.contents[strings.Clone(path)] = c
	}
	return c
}

// readKept returns the content of a file that is small enough. A kernel file, such as those below /proc,
// does not show its real size, so it has to be read.
func readKept(path string) (c Content) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxKeptFile {
		return Content{}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Content{}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxKeptFile+1))
	if err != nil || len(data) > maxKeptFile {
		return Content{}
	}
	return Content{Data: append([]byte{}, data...), Made: int64(len(data)) != info.Size()}
}

// ReadAt reads from a file.
func (v *View) ReadAt(path string, b []byte, off int64) (int, error) {
	c := v.Content(path)
	if c.Data == nil {
		return readAt(v.path(path), b, off)
	}
	return copy(b, c.Data[min(off, int64(len(c.Data))):]), nil
}
