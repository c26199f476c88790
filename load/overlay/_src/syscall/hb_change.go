package syscall

// System calls that change files: see hb_tree.go.

func Mkdirat(dirfd int, path string, mode uint32) (err error) {
	path, err = hbPath(dirfd, path)
	if err != nil {
		return err
	}
	var dirs hbDirs
	dirs.lock(path)
	defer dirs.unlock()
	//mutant: making a directory is on one name [models TestModels/dirEntered]: "hbTouchNames(" -> "hbTouchName(path, true"
	hbTouchNames()
	if path, err = hbFree(path); err == nil {
		n := hbMake(path, S_IFDIR|mode&^uint32(hbUmask)&0o1777)
		n.nlink = 2
		hbCreated(path, n)
	}
	return err
}

// hbFree returns path without symbolic links, if a file can be made there.
func hbFree(path string) (at string, err error) {
	to, e := hbWalk(path, false)
	switch {
	case e == 0:
		return "", EEXIST
	case e != ENOENT || to.path == "":
		return "", e
	}
	return to.path, hbWritable(to.path)
}

const hbRemoveDir = 0x200 // AT_REMOVEDIR

func unlinkat(dirfd int, path string, flags int) (err error) {
	path, err = hbPath(dirfd, path)
	if err != nil {
		return err
	}
	var dirs hbDirs
	if flags&hbRemoveDir != 0 {
		dirs.lock(path, path+"/.")
		defer dirs.unlock()
		hbTouchNames()
	} else {
		dirs.lock(path)
		defer dirs.unlock()
		//mutant: removing a file reads names [models TestModels/fileRemoved]: "path, true" -> "path, false"
		hbTouchName(path, true)
	}
	at, e := hbWalk(path, false)
	switch {
	case e != 0:
		return e
	case flags&hbRemoveDir == 0 && at.dir():
		return EISDIR
	case flags&hbRemoveDir != 0 && !at.dir():
		return ENOTDIR
	}
	if err := hbWritable(at.path); err != nil {
		return err
	}
	switch at.mode() & S_IFMT {
	case S_IFDIR:
		if list, e := hbList(&at); e != 0 || list != "" {
			return ENOTEMPTY
		}
	case S_IFLNK:
		hbRefuseShared("file", "removing the symbolic link "+at.path+" beside other goroutines")
	}
	hbSet(at.path, nil)
	if at.node != nil {
		at.node.touch(true)
		at.node.nlink--
	}
	hbUnlinked(&at)
	return nil
}

func Renameat(olddirfd int, oldpath string, newdirfd int, newpath string) (err error) {
	if oldpath, err = hbPath(olddirfd, oldpath); err != nil {
		return err
	}
	if newpath, err = hbPath(newdirfd, newpath); err != nil {
		return err
	}
	var dirs hbDirs
	dirs.lock(oldpath, newpath, newpath+"/.")
	defer dirs.unlock()
	hbTouchRenamed()
	from, e := hbWalk(oldpath, false)
	if e != 0 {
		return e
	}
	to, e := hbWalk(newpath, false)
	switch {
	case e == ENOENT && to.path != "":
		if !from.dir() && newpath[len(newpath)-1] == '/' {
			return ENOTDIR
		}
	case e != 0:
		return e
	case from.path == to.path || from.node != nil && from.node == to.node:
		return nil
	case to.dir() && !from.dir():
		return EISDIR
	case !to.dir() && from.dir():
		return ENOTDIR
	case to.dir():
		if list, e := hbList(&to); e != 0 || list != "" {
			return ENOTEMPTY
		}
	}
	if err := hbWritable(from.path); err != nil {
		return err
	}
	if err := hbWritable(to.path); err != nil {
		return err
	}
	if from.mode()&S_IFMT == S_IFLNK {
		hbRefuseShared("file", "renaming the symbolic link "+from.path+" beside other goroutines")
	}
	inside := from.path + "/"
	if from.dir() {
		if len(to.path) > len(inside) && to.path[:len(inside)] == inside {
			return EINVAL
		}
		if from.node == nil || from.node.host {
			hbRefuse("file", "renaming the directory "+from.path+" of the host")
		}
		if hbInUse(from.path) {
			//mutant: directories that are in use move [models TestModels/dirInUse]
			hbRefuseShared("file", "renaming the directory "+from.path+", in which a directory is open, beside other goroutines")
		}
	}
	node, err := from.own()
	if err != nil {
		return err
	}
	hbSet(to.path, node)
	hbSet(from.path, nil)
	if from.dir() {
		hbMoved(inside, to.path+"/")
	}
	if to.node != nil {
		to.node.touch(true)
		//mutant: a file over which another one is renamed keeps its name [models TestModels/renamedOver]
		to.node.nlink--
		to.node.pin(to.path)
		release := to.node.hold()
		hbRenamed(from.path, to.path, node, to.node)
		dirs.unlock()
		release()
	} else {
		hbRenamed(from.path, to.path, node, nil)
	}
	return nil
}

// hbInUse reports whether a directory at dir, or in it, is open or the working directory. The names
// that a call reads there are determined before its turn, so they must not depend on renames by
// other goroutines.
func hbInUse(dir string) bool {
	for _, f := range hbOpenFiles() {
		if f != nil && f.directory() && hbWithin(f.path, dir) {
			return true
		}
	}
	for _, x := range hbTree {
		if x.node != nil && x.node.opening > 0 && hbWithin(x.path, dir) {
			return true
		}
	}
	return hbWithin(hbDir, dir)
}

// hbWithin reports whether path is dir, or in it.
func hbWithin(path, dir string) bool {
	return len(path) >= len(dir) && path[:len(dir)] == dir && (len(path) == len(dir) || path[len(dir)] == '/')
}

// hbMoved moves everything in directory from to directory to.
func hbMoved(from, to string) {
	var moved []hbName
	for _, x := range hbTree {
		if len(x.path) > len(from) && x.path[:len(from)] == from && x.node != nil {
			moved = append(moved, x)
		}
	}
	for _, x := range moved {
		hbSet(to+x.path[len(from):], x.node)
		hbSet(x.path, nil)
		for _, f := range x.node.files {
			if len(f.path) > len(from) && f.path[:len(from)] == from {
				f.path = to + f.path[len(from):]
			}
		}
	}
	for _, f := range hbOpenFiles() {
		if f != nil && len(f.path) >= len(from)-1 && f.path+"/" == from {
			f.path = to[:len(to)-1]
		} else if f != nil && len(f.path) > len(from) && f.path[:len(from)] == from {
			f.path = to + f.path[len(from):]
		}
	}
	//mutant: the working directory stays where it was [models TestModels/dirLeft]: "hbWithin(" -> "false && hbWithin("
	if dir := from[:len(from)-1]; hbWithin(hbDir, dir) {
		hbDir = to[:len(to)-1] + hbDir[len(dir):]
	}
}

func linkat(olddirfd int, oldpath string, newdirfd int, newpath string, flags int) (err error) {
	if oldpath, err = hbPath(olddirfd, oldpath); err != nil {
		return err
	}
	if newpath, err = hbPath(newdirfd, newpath); err != nil {
		return err
	}
	var dirs hbDirs
	dirs.lock(newpath)
	defer dirs.unlock()
	//mutant: the number of links of an open file is not declared [models TestModels/linked]: "hbTouchAll" -> "hbTouchNames"
	hbTouchAll()
	from, e := hbWalk(oldpath, false)
	if e != 0 {
		return e
	}
	if from.dir() {
		return EPERM
	}
	if newpath, err = hbFree(newpath); err != nil {
		return err
	}
	node, err := from.own()
	if err == nil {
		hbSet(newpath, node)
		node.nlink++
		node.several = true
		node.linked()
		hbCreated(newpath, node)
	}
	return err
}

func symlinkat(oldpath string, newdirfd int, newpath string) (err error) {
	if newpath, err = hbPath(newdirfd, newpath); err != nil {
		return err
	}
	hbRefuseShared("file", "making the symbolic link "+newpath+" beside other goroutines")
	if oldpath == "" {
		return ENOENT
	}
	var dirs hbDirs
	dirs.lock(newpath)
	defer dirs.unlock()
	hbTouchNames()
	if newpath, err = hbFree(newpath); err == nil {
		n := hbMake(newpath, S_IFLNK|0o777)
		n.target = oldpath
		hbCreated(newpath, n)
	}
	return err
}

// hbOwn returns the node of path, and the path without symbolic links. If the file is not in memory yet, it is
// copied, so that it can be changed.
func hbOwn(dirfd int, path string, follow bool) (n *hbNode, to string, err error) {
	path, err = hbPath(dirfd, path)
	if err != nil {
		return nil, "", err
	}
	hbTouchName(path, true)
	at, e := hbWalk(path, follow)
	if e != 0 {
		return nil, "", e
	}
	n, err = at.own()
	return n, at.path, err
}

// hbOwnOpen is hbOwn for an open file.
func hbOwnOpen(fd int) (n *hbNode, path string, err error) {
	f, err := hbLookup(fd)
	if err != nil {
		return nil, "", err
	}
	if f.node == nil {
		var st Stat_t
		if hbDevice(f.path, &st) {
			return nil, "", EINVAL
		}
		n, path, err = hbOwn(_AT_FDCWD, f.path, true)
		f.own(n)
		return n, path, err
	}
	return f.node, f.path, nil
}

// chmod changes the mode, which decides whether others can follow a path, and open what it names.
func (n *hbNode) chmod(mode uint32, path string) {
	//mutant: who opens files does not know modes [models TestModels/modeOpened]: "n.slot == 0" -> "true || n.slot == 0"
	if n.slot == 0 {
		n.touch(true)
	} else {
		//mutant: who asks for modes does not know them [models TestModels/modeShown]: "hbTouchAll" -> "hbTouchNames"
		hbTouchAll()
	}
	n.mode = n.mode&S_IFMT | mode&0o7777
	n.changed(IN_ATTRIB, path, false)
}

func fchmodat(dirfd int, path string, mode uint32) (err error) {
	n, path, err := hbOwn(dirfd, path, true)
	if err == nil {
		//mutant: a file ends while its mode changes [models TestModels/watchedMode]
		defer n.hold()()
		n.chmod(mode, path)
	}
	return err
}

func fchmodat2(dirfd int, path string, mode uint32, flags int) (err error) {
	n, path, err := hbOwn(dirfd, path, flags&_AT_SYMLINK_NOFOLLOW == 0)
	if err == nil {
		defer n.hold()()
		n.chmod(mode, path)
	}
	return err
}

func Fchmod(fd int, mode uint32) (err error) {
	n, path, err := hbOwnOpen(fd)
	if err == nil {
		n.chmod(mode, path)
	}
	return err
}

// chown refuses changes, as for a user who is not root.
func (n *hbNode) chown(uid, gid int, path string) error {
	if uid != -1 && uint32(uid) != n.uid || gid != -1 && uint32(gid) != n.gid {
		return EPERM
	}
	if uid != -1 || gid != -1 {
		n.changed(IN_ATTRIB, path, false)
	}
	return nil
}

func Fchownat(dirfd int, path string, uid int, gid int, flags int) (err error) {
	n, path, err := hbOwn(dirfd, path, flags&_AT_SYMLINK_NOFOLLOW == 0)
	if err == nil {
		defer n.hold()()
		err = n.chown(uid, gid, path)
	}
	return err
}

func Fchown(fd int, uid int, gid int) (err error) {
	n, path, err := hbOwnOpen(fd)
	if err == nil {
		err = n.chown(uid, gid, path)
	}
	return err
}

func Lchown(path string, uid int, gid int) (err error) {
	return Fchownat(_AT_FDCWD, path, uid, gid, _AT_SYMLINK_NOFOLLOW)
}

func utimensat(dirfd int, path string, times *[2]Timespec, flag int) (err error) {
	to := *times
	const omit, now = 1<<30 - 2, 1<<30 - 1
	mask := uint32(IN_ATTRIB)
	switch access, modify := to[0].Nsec == omit, to[1].Nsec == omit; {
	case access && modify:
		return nil
	case modify:
		mask = IN_ACCESS
	case access:
		mask = IN_MODIFY
	}
	n, path, err := hbOwn(dirfd, path, flag&_AT_SYMLINK_NOFOLLOW == 0)
	if err != nil {
		return err
	}
	defer n.hold()()
	n.touch(true)
	for i, t := range to {
		switch t.Nsec {
		case omit:
		case now:
			n.fixed = false
		default:
			n.times[i], n.fixed = t, true
		}
	}
	n.changed(mask, path, false)
	return nil
}

func Ftruncate(fd int, length int64) (err error) {
	f, err := hbLookup(fd)
	switch {
	case err != nil:
		return err
	case length < 0, f.node == nil, !hbWrites(f.flags), f.node.mode&S_IFMT != S_IFREG:
		return EINVAL
	}
	f.node.touch(true)
	f.node.resize(length)
	f.node.changed(IN_MODIFY, f.path, false)
	return nil
}

func Truncate(path string, length int64) (err error) {
	if length < 0 {
		return EINVAL
	}
	n, path, err := hbOwn(_AT_FDCWD, path, true)
	switch {
	case err != nil:
		return err
	case n.mode&S_IFMT == S_IFDIR:
		return EISDIR
	case n.mode&0o200 == 0:
		return EACCES
	}
	defer n.hold()()
	n.touch(true)
	n.resize(length)
	n.changed(IN_MODIFY, path, false)
	return nil
}

// Sync has no effect: files are in memory.

func Fsync(fd int) (err error) {
	f, err := hbLookup(fd)
	if err == nil && f.stream != nil {
		err = EINVAL
	}
	return err
}

func Fdatasync(fd int) (err error) { return Fsync(fd) }

// The calls of package internal/syscall/unix.

func HbOpenat(dirfd int, path string, flags int, mode uint32) (fd int, err error) {
	return openat(dirfd, path, flags, mode)
}

func HbUnlinkat(dirfd int, path string, flags int) error { return unlinkat(dirfd, path, flags) }

func HbReadlinkat(dirfd int, path string, buf []byte) (int, error) {
	return readlinkat(dirfd, path, buf)
}

func HbLinkat(olddirfd int, oldpath string, newdirfd int, newpath string, flags int) error {
	return linkat(olddirfd, oldpath, newdirfd, newpath, flags)
}

func HbSymlinkat(oldpath string, newdirfd int, newpath string) error {
	return symlinkat(oldpath, newdirfd, newpath)
}

func HbFstatat(fd int, path string, stat *Stat_t, flags int) error {
	return fstatat(fd, path, stat, flags)
}

func HbFchmodat(dirfd int, path string, mode uint32, flags int) error {
	return fchmodat2(dirfd, path, mode, flags)
}

func HbUtimensat(dirfd int, path string, times *[2]Timespec, flags int) error {
	return utimensat(dirfd, path, times, flags)
}

func HbFcntl(fd int, cmd int, arg int) (val int, err error) { return fcntl(fd, cmd, arg) }

// HbCapture keeps later writes to the standard output in memory. printed returns them.
func HbCapture() (printed func() string) {
	n := &hbNode{mode: S_IFREG | 0o600}
	hbTable(true)
	hbFiles[1] = &hbFile{path: "/dev/stdout", flags: O_RDWR, refs: 1, node: n}
	return func() string {
		n.touch(false)
		n.settle()
		return string(n.data)
	}
}
