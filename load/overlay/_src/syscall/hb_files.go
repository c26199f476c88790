package syscall

import (
	"internal/effect"
	"unsafe"
)

// Files of the machine. The table of open files is guest memory, so it rewinds
// with everything else. Contents come from the host, and changes by the
// program stay in memory (hb_tree.go).
//
// Calls depend on each other through these objects; the kernel orders nothing:
//
//	the table       open writes it, because it takes the smallest free number, and so does close; the
//	                lookup of a descriptor by its number reads it. If the program cannot see numbers,
//	                nothing depends on the table: see hb_numbers.go
//	a description   read and seek move its offset, and close releases it; for a file in memory, also
//	                its node
//	hbNames         the meanings of paths
//	hbDir           the working directory
//
// Output is a visible operation itself, and needs no offset. So calls on the standard output streams declare
// nothing, and closing one of these streams is refused while there are other goroutines.

// An hbFile is an open file description.
type hbFile struct {
	path  string // absolute
	off   int64
	flags int
	refs  int     // descriptors that share it
	node  *hbNode // a file in memory, or nil
	list  string  // the entries of a directory that has been read

	stream hbStream // stream of a pipe
	lock   *hbLock  // locks of its inode; nil before the first call of Flock
}

// HbFile is a file for package internal/poll, which does not close the descriptor while it uses the file.
type HbFile = *hbFile

// hbFiles maps descriptors to open files.
var hbFiles = []*hbFile{
	{path: "/dev/stdin", flags: O_RDWR, refs: 1},
	{path: "/dev/stdout", flags: O_RDWR, refs: 1},
	{path: "/dev/stderr", flags: O_RDWR, refs: 1},
}

// hbDir is the working directory if the program has changed it.
var hbDir string

// hbLeaveDir lets the working directory end.
var hbLeaveDir = func() {}

const hbNull = "/dev/null"

// The functions without bodies are natives: vm/native_files.go.

// hbStat fills st, which no other goroutine knows.
func hbStat(path string, follow bool, st *Stat_t) Errno
func hbPread(path string, p []byte, off int64) (n int, e Errno)
func hbReaddir(path string) (entries string, e Errno)
func hbReadlink(path string) (target string, e Errno)

// hbDescribed records that the program reads the size and times of path, a file of the host. Of other files
// it knows the kind only.
func hbDescribed(path string)
func hbGetcwd() string
func hbStdin(p []byte, off int64) int
func hbWrite(fd int, p []byte)

// hbRefuse ends the execution, because what has no model. code is a vm.RefusalCode.
func hbRefuse(code, what string)

// HbRefuse is for package net.
func HbRefuse(what string) { hbRefuse("socket", what) }

// HbRefuseConstruct is for package runtime/pprof.
func HbRefuseConstruct(what string) { hbRefuse("construct", what) }

func hbError(e Errno) error {
	if e == 0 {
		return nil
	}
	return errnoErr(e)
}

// hbRefuseShared is hbRefuse if there are other goroutines, or have been.
func hbRefuseShared(code, what string)

func hbTable(write bool) { effect.Access(unsafe.Pointer(&hbFiles), write) }

func (f *hbFile) output() bool { return f.path == "/dev/stdout" || f.path == "/dev/stderr" }

// touch declares an access to the description.
func (f *hbFile) touch(write bool) {
	switch {
	case f.node != nil:
		f.node.touch(write)
	case !f.output():
		effect.Access(unsafe.Pointer(f), write)
	}
}

func hbAlloc(f *hbFile) int {
	if !hbShows() {
		return hbTake(f)
	}
	return hbSmallest(f)
}

// hbSmallest gives f the smallest free number.
func hbSmallest(f *hbFile) int {
	//mutant: opening takes no number [models TestModels/opens]: "hbTable(true" -> "hbTable(false"
	hbTable(true)
	for fd, g := range hbFiles {
		if g == nil {
			hbFiles[fd] = f
			return fd
		}
	}
	hbFiles = append(hbFiles, f)
	return len(hbFiles) - 1
}

func hbLookup(fd int) (*hbFile, error) {
	if fd < hbFirst {
		hbTable(false)
	}
	return hbKnown(fd)
}

// hbKnown is hbLookup without a declaration: the caller has declared the lookup, or the descriptor is its
// own, and no other goroutine uses it.
func hbKnown(fd int) (*hbFile, error) {
	if fd >= hbFirst {
		return hbTaken(fd)
	}
	if fd < 0 || fd >= len(hbFiles) || hbFiles[fd] == nil {
		return nil, EBADF
	}
	return hbFiles[fd], nil
}

// hbPath makes path, which is relative to directory dirfd, absolute.
func hbPath(dirfd int, path string) (string, error) {
	if len(path) == 0 {
		return "", ENOENT
	}
	if path[0] == '/' {
		return path, nil
	}
	if dirfd != _AT_FDCWD {
		d, err := hbLookup(dirfd)
		if err != nil {
			return "", err
		}
		return d.path + "/" + path, nil
	}
	effect.Access(unsafe.Pointer(&hbDir), false)
	if hbDir == "" {
		return hbGetcwd() + "/" + path, nil
	}
	return hbDir + "/" + path, nil
}

// access modes of open.
func hbReads(flags int) bool  { return flags&O_ACCMODE != O_WRONLY }
func hbWrites(flags int) bool { return flags&O_ACCMODE != O_RDONLY }

func openat(dirfd int, path string, flags int, mode uint32) (fd int, err error) {
	path, err = hbPath(dirfd, path)
	if err != nil {
		return -1, err
	}
	f := &hbFile{path: path, flags: flags, refs: 1}
	if path != hbNull {
		if err := f.open(mode); err != nil {
			return -1, err
		}
	}
	fd = hbAlloc(f)
	if f.directory() {
		f.node.opening--
	}
	return fd, nil
}

// hbAbsent records that the program opens a file that does not exist.
func hbAbsent()

// directory reports whether f is a directory in memory.
func (f *hbFile) directory() bool { return f.node != nil && f.node.mode&S_IFMT == S_IFDIR }

// open finds or makes the file.
func (f *hbFile) open(mode uint32) error {
	const tmpfile = 0x400000
	if f.flags&tmpfile != 0 {
		return EOPNOTSUPP
	}
	var dirs hbDirs
	if f.flags&O_CREAT != 0 {
		dirs.lock(f.path)
		defer dirs.unlock()
	}
	//mutant: making a file reads names [models TestModels/fileMade]: ".flags&O_CREAT != 0" -> "alse"
	hbTouchName(f.path, f.flags&O_CREAT != 0)
	at, e := hbWalk(f.path, f.flags&O_NOFOLLOW == 0 && f.flags&(O_CREAT|O_EXCL) != O_CREAT|O_EXCL)
	switch {
	case e == ENOENT && f.flags&O_CREAT != 0 && at.path != "":
		if err := hbWritable(at.path); err != nil {
			return err
		}
		if f.path[len(f.path)-1] == '/' {
			return EISDIR
		}
		f.path, f.node = at.path, hbMake(at.path, S_IFREG|mode&^uint32(hbUmask)&0o7777)
		hbCreated(f.path, f.node)
		dirs.unlock()
		f.opened(S_IFREG)
		return nil
	case e != 0:
		if e == ENOENT {
			hbAbsent()
		}
		return e
	case f.flags&(O_CREAT|O_EXCL) == O_CREAT|O_EXCL:
		return EEXIST
	}
	dirs.unlock()
	f.path = at.path
	switch m := at.mode() & S_IFMT; {
	case m == S_IFLNK:
		return ELOOP
	case m == S_IFSOCK && at.node != nil:
		return ENXIO
	case m == S_IFIFO, m == S_IFSOCK:
		hbRefuse("file", "opening "+f.path+", a pipe or socket of another process")
	case f.flags&O_DIRECTORY != 0 && m != S_IFDIR:
		return ENOTDIR
	case m == S_IFDIR && (hbWrites(f.flags) || f.flags&(O_CREAT|O_TRUNC) != 0):
		return EISDIR
	case at.node != nil && hbReads(f.flags) && at.node.mode&0o400 == 0, at.node != nil && hbWrites(f.flags) && at.node.mode&0o200 == 0:
		return EACCES
	case m != S_IFREG && hbWrites(f.flags):
		hbRefuse("file", "opening "+f.path+" for writing, which is no file")
	case hbWrites(f.flags):
		if at.node == nil && f.flags&O_TRUNC != 0 {
			at.st.Size = 0 // the contents need not be read
		}
		if _, err := at.own(); err != nil {
			return err
		}
		f.node = at.node
		f.opened(S_IFREG)
		if f.flags&O_TRUNC != 0 {
			f.node.touch(true)
			f.node.resize(0)
			f.node.changed(IN_MODIFY, f.path, false)
		}
		return nil
	}
	f.node = at.node
	if f.directory() {
		//mutant: a directory is open only when it has a descriptor [models TestModels/dirOpening]
		f.node.opening++
	}
	f.opened(at.mode())
	return nil
}

func Close(fd int) (err error) {
	if fd < hbFirst {
		//mutant: Close reads the table [models TestModels/rawClose$]: "hbTable(true" -> "hbTable(false"
		hbTable(true)
	}
	f, err := hbKnown(fd)
	if err != nil {
		return err
	}
	if fd < hbFirst {
		hbFiles[fd] = nil
	} else {
		hbRelease(fd)
	}
	if f.output() {
		hbRefuseShared("file", "closing "+f.path+" while other goroutines may print")
	}
	//mutant: Close leaves the file [models TestModels/rawClose]
	f.touch(true)
	f.refs--
	if f.refs == 0 && f.stream != nil {
		f.stream.closed(f)
	}
	if f.refs == 0 {
		f.ended()
		f.unlock()
	}
	return nil
}

func Dup(fd int) (nfd int, err error) {
	f, err := hbLookup(fd)
	if err != nil {
		return -1, err
	}
	nfd = hbAlloc(f)
	f.refs++
	return nfd, nil
}

// HbBlocks returns the operations of an FD on the caller's own descriptor fd; nil if they never wait.
func HbBlocks(fd int) HbBlocking {
	if f, _ := hbKnown(fd); f != nil && f.stream != nil {
		return f.stream.open(f)
	}
	return nil
}

// HbOpen returns the file of the caller's own descriptor fd, nil if there is none.
func HbOpen(fd int) HbFile {
	f, _ := hbKnown(fd)
	return f
}

func read(fd int, p []byte) (n int, err error) {
	f, err := hbLookup(fd)
	if err != nil {
		return -1, err
	}
	return f.Read(p)
}

func (f *hbFile) Read(p []byte) (n int, err error) {
	if f.stream != nil {
		return f.stream.read(f, p)
	}
	//mutant: reading moves no offset [models TestModels/rawFiles]: "touch(true" -> "touch(false"
	f.touch(true)
	b := make([]byte, len(p)) // p is memory of the program: it is written last
	n, err = f.pread(b, f.off)
	if n > 0 {
		f.off += int64(n)
		fill(p, b[:n])
	}
	return n, err
}

func pread(fd int, p []byte, offset int64) (n int, err error) {
	f, err := hbLookup(fd)
	if err != nil {
		return -1, err
	}
	return f.Pread(p, offset)
}

func (f *hbFile) Pread(p []byte, offset int64) (n int, err error) {
	if f.stream != nil {
		return -1, ESPIPE
	}
	f.touch(false)
	b := make([]byte, len(p))
	if n, err = f.pread(b, offset); n > 0 {
		fill(p, b[:n])
	}
	return n, err
}

// pread reads into p, which no other goroutine knows.
func (f *hbFile) pread(p []byte, offset int64) (n int, err error) {
	var bits uint64
	switch {
	case f.refs == 0, !hbReads(f.flags):
		return -1, EBADF
	case offset < 0:
		return -1, EINVAL
	case f.node != nil && f.node.mode&S_IFMT == S_IFDIR:
		return -1, EISDIR
	case len(p) == 0 || f.path == hbNull:
		return 0, nil
	case f.node != nil:
		f.node.settle()
		//mutant: files: reading orders nothing [models TestModels/fileOrders]
		effect.Acquire(unsafe.Pointer(f.node))
		return copy(p, f.node.data[min(offset, int64(len(f.node.data))):]), nil
	case f.path == "/dev/stdin":
		return hbStdin(p, offset), nil
	case f.path == "/dev/urandom", f.path == "/dev/random":
		for i := range p {
			if i%8 == 0 {
				bits = hbRandom()
			}
			p[i] = byte(bits >> (i % 8 * 8))
		}
		return len(p), nil
	}
	n, e := hbPread(f.path, p, offset)
	if e != 0 {
		return -1, errnoErr(e)
	}
	if offset == 0 && n > 0 {
		hbNoteMade(f.path)
	}
	return n, nil
}

// hbMadeFiles are the files read so far that the kernel makes when they are read, sorted by path. The
// contents of such a file may differ when it is read again; in the machine they do not.
var hbMadeFiles []hbMadeFile

type hbMadeFile struct {
	path  string
	again bool // the file was read more than once
}

// hbMade reports whether the kernel makes the host's file at path. hbSame records that it has not changed.
func hbMade(path string) bool
func hbSame(path string)

// hbNoteMade records that the file at path is read from its beginning.
func hbNoteMade(path string) {
	if !hbMade(path) {
		return
	}
	effect.Access(unsafe.Pointer(&hbMadeFiles), true)
	i := 0
	for i < len(hbMadeFiles) && hbMadeFiles[i].path < path {
		i++
	}
	if i < len(hbMadeFiles) && hbMadeFiles[i].path == path {
		hbMadeFiles[i].again = true
		hbSame(path)
		return
	}
	hbMadeFiles = append(hbMadeFiles, hbMadeFile{})
	copy(hbMadeFiles[i+1:], hbMadeFiles[i:])
	hbMadeFiles[i] = hbMadeFile{path: path}
}

func write(fd int, p []byte) (n int, err error) {
	f, err := hbLookup(fd)
	if err != nil {
		return -1, err
	}
	return f.Write(p)
}

func (f *hbFile) Write(p []byte) (n int, err error) {
	switch {
	case f.stream != nil:
		return f.stream.write(f, p)
	case f.node != nil:
		b := taken(p)
		f.touch(true)
		if f.refs == 0 || !hbWrites(f.flags) {
			return -1, EBADF
		}
		if f.flags&O_APPEND != 0 {
			f.off = int64(len(f.node.data))
		}
		f.node.write(b, f.off)
		f.off += int64(len(b))
		f.wrote(len(b))
		return len(b), nil
	}
	f.touch(false)
	switch {
	case f.refs == 0, !hbWrites(f.flags):
		return -1, EBADF
	case f.path == "/dev/stdout":
		hbWrite(1, p)
	case f.path == "/dev/stderr":
		hbWrite(2, p)
	}
	return len(p), nil // the rest is /dev/null
}

func pwrite(fd int, p []byte, offset int64) (n int, err error) {
	f, err := hbLookup(fd)
	if err != nil {
		return -1, err
	}
	return f.Pwrite(p, offset)
}

func (f *hbFile) Pwrite(p []byte, offset int64) (n int, err error) {
	if f.stream != nil {
		return -1, ESPIPE
	}
	if f.node != nil {
		b := taken(p)
		f.touch(true)
		switch {
		case f.refs == 0 || !hbWrites(f.flags):
			return -1, EBADF
		case offset < 0:
			return -1, EINVAL
		case f.flags&O_APPEND != 0:
			offset = int64(len(f.node.data)) // as Linux does
		}
		f.node.write(b, offset)
		f.wrote(len(b))
		return len(b), nil
	}
	f.touch(false)
	switch {
	case f.refs == 0:
		return -1, EBADF
	case f.path == hbNull:
		return len(p), nil
	case !hbWrites(f.flags):
		return -1, EBADF
	}
	return -1, ESPIPE
}

func Seek(fd int, offset int64, whence int) (off int64, err error) {
	f, err := hbLookup(fd)
	if err != nil {
		return -1, err
	}
	return f.Seek(offset, whence)
}

func (f *hbFile) Seek(offset int64, whence int) (off int64, err error) {
	//mutant: seeking moves no offset [models TestModels/seeks]: "touch(true" -> "touch(false"
	f.touch(true)
	switch f.path {
	case "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return -1, ESPIPE
	}
	if f.refs == 0 {
		return -1, EBADF
	}
	if _, ok := f.stream.(*hbInotify); ok && whence >= 0 && whence <= 2 {
		return 0, nil // Seek has no effect on an inotify descriptor
	}
	if f.stream != nil {
		return -1, ESPIPE
	}
	switch whence {
	case 0:
	case 1:
		offset += f.off
	case 2:
		st := new(Stat_t)
		if err := f.describe(st); err != nil {
			return -1, err
		}
		offset += st.Size
	default:
		return -1, EINVAL
	}
	if offset < 0 {
		return -1, EINVAL
	}
	f.off, f.list = offset, ""
	return offset, nil
}
