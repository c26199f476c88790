package syscall

import (
	"internal/effect"
	"unsafe"
)

// The changes of the program to files of the host: a tree in memory over the real one, which is
// only read. It is guest memory, so that it rewinds, is part of a state, and is gone when
// the execution ends.
//
//	host     /tmp/        /src/a.txt   /src/b.txt
//	hbTree   /tmp/x = 1   /src/a.txt = 2            (b.txt removed: /src/b.txt = nil)
//	program  /tmp/x       /src/a.txt
//
// A call that looks a path up, or changes the file that it names, is one step, which follows the whole path.
// Two of these calls depend on each other
//
//	through hbNames   a row of bytes for the names in a directory, chosen by a hash of its path, and a
//	                  byte in it for each name: a lookup of the name reads the byte; a call that adds
//	                  or removes a file writes it. A listing of the directory reads the row. A change of
//	                  a path that others contain (directories, links, renames) writes all bytes.
//	through an hbNode for accesses to its contents, and to the offset of an open file.
//
// The byte of a call must not depend on other goroutines. It is the byte of the path with symbolic links
// followed. So making and removing links is refused while there are other goroutines.

// An hbNode is a file, directory or symbolic link in memory.
type hbNode struct {
	mode    uint32 // as in Stat_t
	uid     uint32
	gid     uint32
	nlink   uint64 // for a file: the number of its names
	ino     uint64
	slot    int       // index of its byte in hbNames; 0: it has no name
	data    []byte    // contents of a file
	files   []*hbFile // the open files, in programs that may watch
	held    int       // number of open files, and of calls that notify of changes: hb_watch.go
	mapped  int       // number of mappings: hb_map.go
	before  []byte    // memory that is mapped and not part of data any more
	parent  *hbNode   // the directory in which it had its last name, if it is still open: hb_watch.go
	target  string    // target of a symbolic link
	socket  any       // for a socket: its listener
	several bool      // for a file: it has had several names
	opening int       // for a directory: calls that have found it, and whose descriptor is not in the table yet
	host    bool      // for a directory: names that are not in hbTree are the host's
	times   [2]Timespec
	fixed   bool // times are what the program has set
}

// An hbName is a path whose meaning differs from that on the host.
type hbName struct {
	path  string  // absolute, without symbolic links
	node  *hbNode // nil: the file was removed
	times int     // number of files made at this path, for different inode numbers
}

// hbTree is sorted by path.
var hbTree []hbName

var hbNames struct {
	rows  [64][64]byte
	nodes [1024]byte
}

// hbRow has the bytes of the names in dir, which is without symbolic links.
func hbRow(dir string) *[64]byte { return &hbNames.rows[hbHash(dir)%uint64(len(hbNames.rows))] }

// hbTouchName declares a lookup of path, or that a file is added or removed there.
func hbTouchName(path string, write bool) {
	//mutant: the byte of a name is that of a link to it [models TestCaches/fileLinked]: "hbResolve(path)" -> "path"
	path = hbResolve(path)
	//mutant: a way up from a missing directory leads nowhere [models TestModels/dirClimbed]: "hbClimbs(path)" -> "false && hbClimbs(path)"
	if hbClimbs(path) {
		effect.Range(unsafe.Pointer(&hbNames), unsafe.Sizeof(hbNames.rows), write)
		return
	}
	dir, base := hbSplit(path)
	row := hbRow(dir)
	//mutant: names are not declared [models TestModels/fileMade]
	effect.Access(unsafe.Pointer(&row[hbHash(base)%uint64(len(row))]), write)
}

// hbResolve returns path, which is absolute, without symbolic links as far as it exists.
func hbResolve(path string) string {
	at, e := hbWalk(path, true)
	if e == 0 || e == ENOENT && at.path != "" {
		return at.path
	}
	dir, base := hbSplit(path)
	if dir = hbResolve(dir); dir == "/" {
		return dir + base
	}
	return dir + "/" + base
}

// hbClimbs reports whether path goes up from a missing directory. Then the place to which path
// leads depends on whether the directory is made before the call's turn.
func hbClimbs(path string) bool {
	for i := range len(path) - 2 {
		if path[i:i+3] == "/.." && (i+3 == len(path) || path[i+3] == '/') {
			return true
		}
	}
	return false
}

// hbTouchNames declares that any path may lead elsewhere afterwards.
func hbTouchNames() {
	//mutant: making a directory reads names [models TestModels/dirMade]: "rows), true" -> "rows), false"
	effect.Range(unsafe.Pointer(&hbNames), unsafe.Sizeof(hbNames.rows), true)
}

// hbTouchAll is hbTouchNames, and declares that any node changes.
func hbTouchAll() {
	effect.Range(unsafe.Pointer(&hbNames), unsafe.Sizeof(hbNames), true)
}

// touch declares an access to the contents.
func (n *hbNode) touch(write bool) {
	p := unsafe.Pointer(n)
	if n.slot != 0 {
		p = unsafe.Pointer(&hbNames.nodes[n.slot])
	}
	//mutant: contents are not declared [models TestModels/contents]: "write)" -> "false)"
	effect.Access(p, write)
}

// hbSlot returns the byte of a node that is made at path.
func hbSlot(path string) int { return 1 + int(hbHash(path)>>6%uint64(len(hbNames.nodes)-1)) }

// hbHash is FNV-1a.
func hbHash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// hbSplit returns the directory and the last element of an absolute path.
func hbSplit(path string) (dir, base string) {
	for len(path) > 1 && path[len(path)-1] == '/' {
		path = path[:len(path)-1]
	}
	i := len(path) - 1
	for i > 0 && path[i] != '/' {
		i--
	}
	if i <= 0 {
		return "/", path[min(1, len(path)):]
	}
	return path[:i], path[i+1:]
}

// hbIndex returns the index of path in hbTree, or the index for inserting it.
func hbIndex(path string) (i int, found bool) {
	lo, hi := 0, len(hbTree)
	for lo < hi {
		if m := int(uint(lo+hi) / 2); hbTree[m].path < path {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo, lo < len(hbTree) && hbTree[lo].path == path
}

// hbSet puts node at path; nil removes the file there.
func hbSet(path string, node *hbNode) {
	i, found := hbIndex(path)
	if !found { // one allocation, whatever the number of names: other goroutines add names, too
		tree := make([]hbName, len(hbTree)+1)
		copy(tree, hbTree[:i])
		copy(tree[i+1:], hbTree[i:])
		tree[i] = hbName{path: path}
		hbTree = tree
	}
	hbTree[i].node = node
}

// hbMake puts a new node at path. Its inode number depends on the number of earlier files at the path, but
// not on the order in which files are made.
func hbMake(path string, mode uint32) *hbNode {
	n := &hbNode{mode: mode, uid: uint32(Getuid()), gid: uint32(Getgid()), nlink: 1, slot: hbSlot(path)}
	hbSet(path, n)
	i, _ := hbIndex(path)
	hbTree[i].times++
	n.ino = hbHash(path) + uint64(hbTree[i].times)<<32
	return n
}

// hbMakeLike takes the host's file at path into memory, with its contents.
func hbMakeLike(path string, st *Stat_t) (n *hbNode, err error) {
	n = &hbNode{mode: st.Mode, uid: st.Uid, gid: st.Gid, nlink: 1, ino: st.Ino, slot: hbSlot(path), times: [2]Timespec{st.Atim, st.Mtim}, fixed: true}
	switch st.Mode & S_IFMT {
	case S_IFDIR:
		n.host, n.nlink = true, 2
	case S_IFREG:
		n.data = make([]byte, st.Size)
		for off := 0; off < len(n.data); {
			k, e := hbPread(path, n.data[off:], int64(off))
			if e != 0 {
				return nil, e
			}
			if k == 0 {
				n.data = n.data[:off]
			}
			off += k
		}
	default:
		hbRefuse("file", "changing "+path+", which is no file or directory")
	}
	for _, f := range hbOpenFiles() {
		if f == nil || f.node != nil || f.output() {
			continue
		}
		if open := new(Stat_t); hbStat(f.path, true, open) == 0 && open.Ino == st.Ino {
			hbRefuseShared("file", "changing "+path+", which is open, beside other goroutines")
			f.own(n)
		}
	}
	hbSet(path, n)
	return n, nil
}

// hbAt is the result of following a path.
type hbAt struct {
	path string  // absolute, without symbolic links; "" if the directory is missing
	node *hbNode // nil: the file is the host's, or missing
	st   Stat_t  // of the host's file
}

func (at *hbAt) mode() uint32 {
	if at.node != nil {
		return at.node.mode
	}
	return at.st.Mode
}

func (at *hbAt) dir() bool { return at.mode()&S_IFMT == S_IFDIR }

// own returns the node, after copying the file into memory if it is not there yet.
func (at *hbAt) own() (*hbNode, error) {
	if at.node == nil {
		if at.mode()&S_IFMT == S_IFREG {
			hbDescribed(at.path)
		}
		n, err := hbMakeLike(at.path, &at.st)
		if err != nil {
			return nil, err
		}
		at.node = n
	}
	return at.node, nil
}

// hbMaxLinks is the number of symbolic links that the kernel follows.
const hbMaxLinks = 40

// hbWalk follows path, which is absolute. A symbolic link at its end is followed if follow is set.
// For a missing file hbWalk returns ENOENT and the path at which the file can be made.
func hbWalk(path string, follow bool) (at hbAt, e Errno) {
	at.path = "/"
	if e := hbAtName(&at); e != 0 {
		return hbAt{}, e
	}
	links := 0
	for rest := path; ; {
		for len(rest) > 0 && rest[0] == '/' {
			rest = rest[1:]
		}
		if rest == "" {
			return at, 0
		}
		if !at.dir() {
			return hbAt{}, ENOTDIR
		}
		if at.node != nil && at.mode()&0o100 == 0 {
			return hbAt{}, EACCES
		}
		elem := rest
		for i := range len(rest) {
			if rest[i] == '/' {
				elem = rest[:i]
				break
			}
		}
		rest = rest[len(elem):]
		last := true
		for i := range len(rest) {
			last = last && rest[i] == '/'
		}
		switch elem {
		case ".":
			continue
		case "..":
			at.path, _ = hbSplit(at.path)
			if e := hbAtName(&at); e != 0 {
				return hbAt{}, e
			}
			continue
		}
		dir := at
		if len(elem) > 255 {
			return hbAt{}, ENAMETOOLONG
		}
		if at.path != "/" {
			elem = "/" + elem
		}
		at = hbAt{path: dir.path + elem}
		if e := hbAtName(&at); e != 0 {
			if e != ENOENT || !last {
				return hbAt{}, e
			}
			return hbAt{path: dir.path + elem}, ENOENT
		}
		if at.mode()&S_IFMT == S_IFLNK && (follow || rest != "") {
			if links++; links > hbMaxLinks {
				return hbAt{}, ELOOP
			}
			target := ""
			if at.node != nil {
				target = at.node.target
			} else if target, e = hbReadlink(at.path); e != 0 {
				return hbAt{}, e
			}
			if at = dir; len(target) > 0 && target[0] == '/' {
				at = hbAt{path: "/"}
				if e := hbAtName(&at); e != 0 {
					return hbAt{}, e
				}
			}
			rest = target + rest
		}
	}
}

// hbAtName fills in the file at at.path, whose directory exists.
func hbAtName(at *hbAt) Errno {
	at.node, at.st = nil, Stat_t{}
	if i, found := hbIndex(at.path); found {
		if at.node = hbTree[i].node; at.node == nil {
			return ENOENT
		}
		return 0
	}
	if dir, _ := hbSplit(at.path); len(hbTree) > 0 && at.path != "/" {
		if i, found := hbIndex(dir); found && (hbTree[i].node == nil || !hbTree[i].node.host) {
			return ENOENT // the directory of that name on the host is another one
		}
	}
	return hbStat(at.path, false, &at.st)
}

// hbWritable returns an error if names cannot be added to and removed from the directory of path.
func hbWritable(path string) error {
	dir, _ := hbSplit(path)
	if i, found := hbIndex(dir); found && hbTree[i].node != nil && hbTree[i].node.mode&0o300 != 0o300 {
		return EACCES
	}
	return nil
}

// hbList returns the entries of a directory in the format of hbReaddir: a letter, the name and a zero byte
// for each, sorted.
func hbList(at *hbAt) (list string, e Errno) {
	if at.node == nil || at.node.host {
		if list, e = hbReaddir(at.path); e != 0 {
			return "", e
		}
	}
	prefix := at.path
	if prefix != "/" {
		prefix += "/"
	}
	for i := range hbTree {
		x := &hbTree[i]
		if len(x.path) <= len(prefix) || x.path[:len(prefix)] != prefix {
			continue
		}
		name, direct := x.path[len(prefix):], true
		for j := range len(name) {
			direct = direct && name[j] != '/'
		}
		if direct {
			list = hbListed(list, name, x.node)
		}
	}
	return list, 0
}

// hbListed returns list with the entry of node for name; without an entry for name if node is nil.
func hbListed(list, name string, node *hbNode) string {
	entry := ""
	if node != nil {
		kind := "f"
		switch node.mode & S_IFMT {
		case S_IFDIR:
			kind = "d"
		case S_IFLNK:
			kind = "l"
		case S_IFSOCK:
			kind = "?" // the node has the kind
		}
		entry = kind + name + "\x00"
	}
	pos := 0
	for pos < len(list) {
		end := pos
		for list[end] != 0 {
			end++
		}
		switch have := list[pos+1 : end]; {
		case have == name:
			return list[:pos] + entry + list[end+1:]
		case have > name:
			return list[:pos] + entry + list[pos:]
		}
		pos = end + 1
	}
	return list + entry
}

// stat fills in st.
func (n *hbNode) stat(st *Stat_t) {
	*st = Stat_t{Dev: 1, Ino: n.ino, Nlink: n.nlink, Mode: n.mode, Uid: n.uid, Gid: n.gid, Blksize: 4096}
	st.Size = int64(len(n.data) + len(n.target))
	st.Blocks = (st.Size + 511) / 512
	times := n.times
	if !n.fixed {
		// The file has no time: see os.(*fileStat).ModTime.
		times = [2]Timespec{{Sec: hbStart, Nsec: HbUntimed}, {Sec: hbStart, Nsec: HbUntimed}}
	}
	st.Atim, st.Mtim, st.Ctim = times[0], times[1], times[1]
}

// hbStart is the Unix time at which the clock starts.
const hbStart = 1770091506

// HbUntimed are the nanoseconds of the time of a file that the program has written.
const HbUntimed = 1

// resize cuts or extends the contents.
func (n *hbNode) resize(size int64) {
	if n.mapped > 0 {
		n.resizeMapped(size)
	} else if size <= int64(len(n.data)) {
		n.data = n.data[:size:size]
	} else {
		n.data = append(n.data, make([]byte, size-int64(len(n.data)))...)
	}
	n.fixed = false
}

// write puts p at offset off.
func (n *hbNode) write(p []byte, off int64) {
	n.settle()
	if end := off + int64(len(p)); end > int64(len(n.data)) {
		n.resize(end)
	}
	copy(n.data[off:], p)
	copy(n.before, n.data)
	n.fixed = false
	// Writing happens before reading the data, as package syscall informs the race detector.
	//mutant: files: writing orders nothing [models TestModels/fileOrders]
	effect.Release(unsafe.Pointer(n))
}
