package vm

import (
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
)

// A hostView is the file system of the host as it was when each of its files was first looked at. All
// machines for a program share one, so that what the host's files say is the same in every execution,
// though others may write to them, and the kernel makes some (/proc/stat) anew each time. The zero
// value has looked at nothing.
type hostView struct {
	mu       sync.Mutex
	infos    [2]map[string]hostAnswer[fs.FileInfo] // of paths; [1]: symbolic links followed
	lists    map[string]hostAnswer[string]         // of directories
	targets  map[string]hostAnswer[string]         // of symbolic links
	contents map[string]hostContent
	size     int64 // bytes in contents
}

// A hostAnswer is what the host has said.
type hostAnswer[T any] struct {
	value T
	err   error
}

// hostContent is what is in a file.
type hostContent struct {
	data []byte // nil: it is not kept
	made bool   // the kernel makes it when it is read
}

// Contents are kept of files of so many bytes, and of so many bytes together. What is larger is thought
// to be an ordinary file, which stays as it is.
const (
	maxKeptFile = 1 << 20
	maxKeptAll  = 64 << 20
)

// files returns the view that machines for m's program share. A program that is run sees the host as it is.
func (m *Machine) files() *hostView {
	if m.cfg.Run {
		return new(hostView)
	}
	shared := &m.link.prog.Files
	shared.Lock()
	defer shared.Unlock()
	v, _ := shared.Value.(*hostView)
	if v == nil {
		v = new(hostView)
		shared.Value = v
	}
	return v
}

// kept returns what m has for path, after asking for it if there is nothing.
func kept[T any](v *hostView, m *map[string]hostAnswer[T], path string, ask func(string) (T, error)) (T, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	a, known := (*m)[path]
	if !known {
		if *m == nil {
			*m = make(map[string]hostAnswer[T])
		}
		a.value, a.err = ask(path)
		//mutant: files of the host are looked at again [test ./vm ^TestHostView$]
		(*m)[path] = a
	}
	return a.value, a.err
}

func (v *hostView) stat(path string, follow bool) (fs.FileInfo, error) {
	if follow {
		return kept(v, &v.infos[1], path, os.Stat)
	}
	return kept(v, &v.infos[0], path, os.Lstat)
}

func (v *hostView) names(path string) (string, error) { return kept(v, &v.lists, path, hostNames) }

func (v *hostView) target(path string) (string, error) { return kept(v, &v.targets, path, os.Readlink) }

// content returns what is in a file.
func (v *hostView) content(path string) hostContent {
	v.mu.Lock()
	defer v.mu.Unlock()
	c, known := v.contents[path]
	if !known {
		if v.contents == nil {
			v.contents = make(map[string]hostContent)
		}
		if c = readKept(path); v.size+int64(len(c.data)) > maxKeptAll {
			c = hostContent{}
		}
		v.size += int64(len(c.data))
		//mutant: contents of the host's files are read again [test ./vm ^TestHostView$]
		v.contents[path] = c
	}
	return c
}

// readKept returns what is in a file that is small enough. A file of the kernel's, as there are below
// /proc, is not as large as it says: only reading shows what is in it.
func readKept(path string) (c hostContent) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxKeptFile {
		return hostContent{}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return hostContent{}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxKeptFile+1))
	if err != nil || len(data) > maxKeptFile {
		return hostContent{}
	}
	return hostContent{data: append([]byte{}, data...), made: int64(len(data)) != info.Size()}
}

// readAt reads from a file.
func (v *hostView) readAt(path string, b []byte, off int64) (int, error) {
	c := v.content(path)
	if c.data == nil {
		return readAt(path, b, off)
	}
	return copy(b, c.data[min(off, int64(len(c.data))):]), nil
}
