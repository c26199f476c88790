package syscall

import (
	"internal/effect"
	"unsafe"
)

// inotify: watches of files and directories, and the queues of their events. Only the program changes files,
// so all events come from its own calls.
//
//	call that changes a file ──▶ hbInstances ──▶ watches of an instance: of the file, or its directory
//	                                                 └──▶ events, not yet read ──▶ read, as of a pipe
//
// A call makes its change. Then, for each of its events and each instance, it looks its watches up, and adds the
// event to the queue. These are steps of their own: the kernel does not do them at once, either. The step of the
// change finds the names and nodes of the events. These depend on renames, so a rename is an access to all nodes
// in programs that may watch (hbTouchRenamed), and open files know their new names.
//
// The kernel ends the watches of a file with its last name if no file is open by that name. If a file is open by an
// earlier name, removing the last one is refused.
//
// On Linux, a lookup such as Stat that is under way beside the removal of a file may delay the end of its watches. Not
// here: such a lookup is one step.
//
// A watch for reads (IN_ACCESS, IN_CLOSE_NOWRITE) is refused: a read of a file of the host is no operation on
// its node.

// An hbWatch is one file or directory that an instance watches.
type hbWatch struct {
	node *hbNode
	wd   int32
	mask uint32
}

// An hbInotify is an instance: a pipe to which the kernel writes. Adding a watch, looking watches up and removing
// one are operations on its watches, reading and adding events operations on the pipe.
type hbInotify struct {
	hbPipe
	watches []hbWatch // in the order in which they were made; the slice is never changed, but replaced
	last    int32     // watch descriptor
}

// hbInstances are the instances. The slice is never changed, but replaced.
var hbInstances []*hbInotify

// hbTouchInstances declares a lookup of instances, or a change of the list.
func hbTouchInstances(write bool) {
	effect.Access(unsafe.Pointer(&hbInstances), write)
}

// touchWatches declares a lookup of watches, or a change of them.
func (in *hbInotify) touchWatches(write bool) {
	//mutant: a lookup of watches declares nothing [models TestModels/watched$]: "write)" -> "false)"
	effect.Access(unsafe.Pointer(&in.watches), write)
}

// hbCookie is the number of renames.
var hbCookie uint32

// hbMayWatch reports whether a package of the program mentions a function that makes instances.
func hbMayWatch() bool

const (
	hbMostEvents = 16384 // of a queue
	hbNameUnit   = 16    // names are padded to a multiple of this many bytes

	hbWatchReads = IN_ACCESS | IN_CLOSE_NOWRITE
	hbMaskCreate = 0x10000000 // IN_MASK_CREATE

	// What the mask of a watch may have.
	hbMasks = IN_ALL_EVENTS | IN_UNMOUNT | IN_Q_OVERFLOW | IN_IGNORED | IN_ISDIR | IN_ONESHOT | IN_ONLYDIR | IN_DONT_FOLLOW |
		IN_EXCL_UNLINK | IN_MASK_ADD | hbMaskCreate
)

// hbInotifyInit makes an instance.
func hbInotifyInit(flags int) (fd int, err error) {
	if flags&^(IN_CLOEXEC|IN_NONBLOCK) != 0 {
		return -1, EINVAL
	}
	if !hbMayWatch() {
		hbRefuse("syscall", "system call inotify_init1 by its number")
	}
	in := &hbInotify{hbPipe: hbPipe{writers: 1, readers: 1, room: true, events: true, outside: effect.Changing}}
	node := &hbNode{mode: 0o600, uid: uint32(Getuid()), gid: uint32(Getgid()), nlink: 1}
	f := &hbFile{path: "inotify:", flags: O_RDONLY | flags&O_NONBLOCK, refs: 1, node: node, stream: in}
	hbTouchInstances(true)
	at := 0
	//mutant: instances are told in the order in which they were made [models TestModels/watchedInstances]: "!hbEither()" -> "true"
	for at < len(hbInstances) && !hbEither() { // the kernel notifies instances in the order of their addresses
		at++
	}
	list := append([]*hbInotify(nil), hbInstances[:at]...)
	hbInstances = append(append(list, in), hbInstances[at:]...)
	fd = hbSmallest(f)
	node.ino = hbHash(f.path) + uint64(fd)<<32
	return fd, nil
}

// hbInstance returns the instance with descriptor fd.
func hbInstance(fd int) (*hbInotify, error) {
	f, err := hbLookup(fd)
	if err != nil {
		return nil, err
	}
	in, ok := f.stream.(*hbInotify)
	if !ok {
		return nil, EINVAL
	}
	return in, nil
}

func hbInotifyAdd(fd int, path string, mask uint32) (wd int, err error) {
	if mask == 0 || mask&^hbMasks != 0 || mask&IN_MASK_ADD != 0 && mask&hbMaskCreate != 0 {
		return -1, EINVAL
	}
	in, err := hbInstance(fd)
	if err != nil {
		return -1, err
	}
	if path, err = hbPath(_AT_FDCWD, path); err != nil {
		return -1, err
	}
	if mask&hbWatchReads != 0 {
		hbRefuse("syscall", "inotify_add_watch for reads of files (IN_ACCESS, IN_CLOSE_NOWRITE, IN_ALL_EVENTS)")
	}
	hbTouchName(path, false)
	at, e := hbWalk(path, mask&IN_DONT_FOLLOW == 0)
	switch {
	case e != 0:
		return -1, e
	case mask&IN_ONLYDIR != 0 && !at.dir():
		return -1, ENOTDIR
	case at.node != nil && at.node.mode&0o400 == 0:
		return -1, EACCES
	}
	if at.mode()&S_IFMT == S_IFSOCK { // a watch of a socket ends when the socket is closed
		hbRefuse("syscall", "inotify_add_watch of "+at.path+", a socket")
	}
	node, err := at.own()
	if err != nil {
		return -1, err
	}
	//mutant: the last name of a file ends its watches before one is made [models TestModels/watchedLeft]
	defer node.hold()()
	in.touchWatches(true)
	keep := mask & (IN_ALL_EVENTS | IN_ONESHOT | IN_EXCL_UNLINK)
	list := append([]hbWatch(nil), in.watches...)
	for i := range list {
		w := &list[i]
		if w.node != node {
			continue
		}
		switch {
		case mask&hbMaskCreate != 0:
			return -1, EEXIST
		case mask&IN_MASK_ADD != 0:
			keep |= w.mask
		}
		w.mask = keep
		in.watches = list
		return int(w.wd), nil
	}
	in.last++
	in.watches = append(list, hbWatch{node, in.last, keep})
	return int(in.last), nil
}

func hbInotifyRemove(fd int, wd int32) (err error) {
	in, err := hbInstance(fd)
	if err != nil {
		return err
	}
	in.touchWatches(true)
	if !in.drop(wd) {
		return EINVAL
	}
	in.touch()
	in.push(wd, IN_IGNORED, 0, "")
	return nil
}

// drop removes a watch, and reports whether it was there. It is part of a step that declares a change of the
// watches.
func (in *hbInotify) drop(wd int32) bool {
	for i, w := range in.watches {
		if w.wd == wd {
			in.watches = append(in.watches[:i:i], in.watches[i+1:]...)
			return true
		}
	}
	return false
}

// closed forgets the instance.
func (in *hbInotify) closed(f *hbFile) {
	hbTouchInstances(true)
	list := make([]*hbInotify, 0, len(hbInstances))
	for _, x := range hbInstances {
		if x != in {
			list = append(list, x)
		}
	}
	hbInstances = list
	in.hbPipe.closed(f)
}

// push adds an event to the queue, unless it repeats the last one.
func (in *hbInotify) push(wd int32, mask, cookie uint32, name string) {
	if n := len(in.pages); n >= hbMostEvents {
		for _, p := range in.pages {
			if p.data[5]&(IN_Q_OVERFLOW>>8) != 0 {
				return
			}
		}
		wd, mask, cookie, name = -1, IN_Q_OVERFLOW, 0, ""
	}
	b := make([]byte, SizeofInotifyEvent, SizeofInotifyEvent+len(name)+hbNameUnit)
	if name != "" {
		b = b[:SizeofInotifyEvent+(len(name)+hbNameUnit)/hbNameUnit*hbNameUnit]
		copy(b[SizeofInotifyEvent:], name)
	}
	for i, word := range [4]uint32{uint32(wd), mask, cookie, uint32(len(b) - SizeofInotifyEvent)} {
		for j := range 4 {
			b[4*i+j] = byte(word >> (8 * j))
		}
	}
	//mutant: events that repeat the last one are added [test ./internal/native TestOutcomes/areas/watches]: "n > 0" -> "n < 0"
	if n := len(in.pages); n > 0 && hbSameEvent(in.pages[n-1].data, b) {
		return
	}
	in.pages = append(in.pages[:len(in.pages):len(in.pages)], hbPage{b, hbPageSize})
	in.update()
}

// hbSameEvent reports whether two events differ at most in their cookies.
func hbSameEvent(a, b []byte) bool {
	const cookie = 8
	return string(a[:cookie]) == string(b[:cookie]) && string(a[cookie+4:]) == string(b[cookie+4:])
}

// An hbEvent is an event for those who watch the directory of a file, which see its name in it, and then for
// those who watch the file.
type hbEvent struct {
	mask     uint32
	cookie   uint32
	dir      *hbNode // nil: it is for those who watch the file only
	name     string
	node     *hbNode // nil: it is for those who watch the directory only
	nameless bool    // the open file has lost the name
	wrote    bool    // the call orders what precedes it before a read of the event
}

// hbEventIn returns an event for those who watch the directory of path, which has no symbolic links. It is
// part of the step of the change.
func hbEventIn(path string, mask uint32) (e hbEvent) {
	e.mask = mask
	dir, name := hbSplit(path)
	if i, found := hbIndex(dir); found {
		e.dir, e.name = hbTree[i].node, name
	}
	return e
}

// notify adds the event to the queues.
func (e hbEvent) notify() {
	if e.dir == nil && e.node == nil {
		return
	}
	hbTouchInstances(false)
	for _, in := range hbInstances {
		in.touchWatches(false)
		var to [2]hbWatch // the watches to notify, in this order
		for _, w := range in.watches {
			switch {
			case w.mask&e.mask&IN_ALL_EVENTS == 0, e.nameless && w.mask&IN_EXCL_UNLINK != 0:
			case w.node == e.node:
				to[1] = w
			case w.node == e.dir:
				to[0] = w
			}
		}
		e.send(in, to[0], e.name)
		e.send(in, to[1], "")
	}
}

// send adds the event to the queue for a watch, if there is one.
func (e *hbEvent) send(in *hbInotify, w hbWatch, name string) {
	if w.wd == 0 {
		return
	}
	if w.mask&IN_ONESHOT != 0 {
		in.touchWatches(true)
		if !in.drop(w.wd) {
			return
		}
	}
	//mutant: an event declares nothing [models TestModels/watchedTwice]
	in.touch()
	if e.wrote {
		//mutant: an event of a write releases nothing [models TestModels/watchedOrders]
		effect.Release(unsafe.Pointer(&in.hbPipe))
	}
	in.push(w.wd, e.mask, e.cookie, name)
	if w.mask&IN_ONESHOT != 0 {
		in.push(w.wd, IN_IGNORED, 0, "")
	}
}

// hbDirBit returns IN_ISDIR for a directory.
func hbDirBit(mode uint32) uint32 {
	if mode&S_IFMT == S_IFDIR {
		return IN_ISDIR
	}
	return 0
}

// hbCreated notifies of a new name of a file.
func hbCreated(path string, n *hbNode) {
	if !hbMayWatch() {
		return
	}
	hbEventIn(path, IN_CREATE|hbDirBit(n.mode)).notify()
}

// changed notifies of a change of the file with the name path. wrote: the call was Write.
func (n *hbNode) changed(mask uint32, path string, wrote bool) {
	if n.slot == 0 || !hbMayWatch() {
		return // the file never had a name, or nobody watches
	}
	e := hbEventIn(path, mask|hbDirBit(n.mode))
	//mutant: a file without a name has lost its directory [test ./internal/native TestOutcomes/areas/watches]: "n.parent != nil" -> "false"
	if n.parent != nil {
		e.dir = n.parent
		_, e.name = hbSplit(path)
	}
	i, found := hbIndex(path)
	opened := wrote || mask&(IN_OPEN|IN_CLOSE_WRITE) != 0 // the kernel knows the name of the open file
	e.node, e.nameless, e.wrote = n, opened && (!found || hbTree[i].node != n), wrote
	e.notify()
}

// linked notifies of a change of the number of names.
func (n *hbNode) linked() {
	if hbMayWatch() {
		hbEvent{mask: IN_ATTRIB | hbDirBit(n.mode), node: n}.notify()
	}
}

// opened notifies of the opening of a file with the given mode.
func (f *hbFile) opened(mode uint32) {
	switch {
	case f.node != nil:
		f.own(f.node)
		f.node.changed(IN_OPEN, f.path, false)
	case hbMayWatch():
		hbEventIn(f.path, IN_OPEN|hbDirBit(mode)).notify()
	}
}

// own lets f be the open file of n.
func (f *hbFile) own(n *hbNode) {
	if f.node = n; n != nil && hbMayWatch() {
		n.held++
		n.files = append(n.files[:len(n.files):len(n.files)], f)
	}
}

// wrote notifies of a Write of n bytes.
func (f *hbFile) wrote(n int) {
	if n > 0 {
		f.node.changed(IN_MODIFY, f.path, true)
	}
}

// ended notifies of the end of an open file description, in a step that declares a change of its node.
func (f *hbFile) ended() {
	if f.node == nil || f.stream != nil || !hbMayWatch() {
		return
	}
	var files []*hbFile
	for _, x := range f.node.files {
		if x != f {
			files = append(files, x)
		}
	}
	f.node.files = files
	if hbWrites(f.flags) {
		f.node.changed(IN_CLOSE_WRITE, f.path, false)
	}
	f.node.release()
}

// hbTouchRenamed declares that any path may lead elsewhere afterwards, and, in programs that may watch, that
// open files have other names.
func hbTouchRenamed() {
	//mutant: a rename is not on the nodes of open files [models TestModels/watchedRename]: "hbMayWatch()" -> "false"
	if hbMayWatch() {
		hbTouchAll()
	} else {
		hbTouchNames()
	}
}

// hbRenamed notifies of a rename of node from one path to another. lost is the node that had the
// new name before, and has lost it, or nil; the caller holds it. It is part of a step that declares
// a change of lost.
func hbRenamed(from, to string, node, lost *hbNode) {
	if !hbMayWatch() {
		return
	}
	//mutant: files that are open keep their names [models TestModels/watchedRenameClose]: "node.files" -> "node.files[:0]"
	for _, f := range node.files {
		if f.path == from {
			f.path = to
		}
	}
	hbCookie++
	dir := hbDirBit(node.mode)
	was, is := hbEventIn(from, IN_MOVED_FROM|dir), hbEventIn(to, IN_MOVED_TO|dir)
	was.cookie, is.cookie = hbCookie, hbCookie
	was.notify()
	is.notify()
	if lost != nil {
		lost.linked()
	}
	hbEvent{mask: IN_MOVE_SELF, node: node}.notify()
}
