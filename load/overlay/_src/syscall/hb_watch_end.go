package syscall

// The end of watches. They end when the file has lost its last name, and no call and no open file holds it
// any more. As on Linux, a held file without a name also holds its directory.

// over reports whether the file has no name, is not open, and no call holds it. The step of the caller
// declares a change of the node.
func (n *hbNode) over() bool {
	least := uint64(0)
	if n.mode&S_IFMT == S_IFDIR {
		least = 1 // a directory is a name of itself
	}
	if n.nlink > least {
		return false
	}
	//mutant: a file ends while its events are added [models TestModels/watchedGone]: true
	return n.held == 0
}

// hold lets a call hold the file, whose name it has looked up in this step, until it calls release.
func (n *hbNode) hold() (release func()) {
	if !hbMayWatch() {
		return func() {}
	}
	n.held++
	return n.release
}

// release ends a call that holds the file.
func (n *hbNode) release() {
	n.touch(true)
	n.held--
	n.endIfOver()
}

// endIfOver ends the watches of the file if it is over. It is part of a step that declares a change of the node.
func (n *hbNode) endIfOver() {
	if !n.over() {
		if n.several && n.nlink == 0 {
			n.refuseWatched()
		}
		return
	}
	if dir := n.parent; dir != nil {
		n.parent = nil
		defer dir.release()
	}
	hbTouchInstances(false)
	for _, in := range hbInstances {
		in.touchWatches(true)
		for _, w := range in.watches {
			if w.node != n {
				continue
			}
			in.drop(w.wd)
			in.touch()
			if w.mask&IN_DELETE_SELF != 0 {
				in.push(w.wd, IN_DELETE_SELF, 0, "")
			}
			in.push(w.wd, IN_IGNORED, 0, "")
			break
		}
	}
}

// refuseWatched ends the execution if the file, which has no name, is watched.
func (n *hbNode) refuseWatched() {
	hbTouchInstances(false)
	for _, in := range hbInstances {
		in.touchWatches(false)
		for _, w := range in.watches {
			if w.node == n {
				hbRefuse("file", "removing all names of a file that is watched, had several names, and is open")
			}
		}
	}
}

// pin makes n, which has lost its last name, at path, hold the directory of path as long as n is open. It is
// part of a step that declares a change of n, and the directory is locked.
func (n *hbNode) pin(path string) {
	if n.held == 0 || n.over() || n.parent != nil || n.mode&S_IFMT != S_IFDIR && n.nlink > 0 {
		return
	}
	dir, _ := hbSplit(path)
	if i, found := hbIndex(dir); found && hbTree[i].node != nil {
		n.parent = hbTree[i].node
		n.parent.held++
	}
}

// hbUnlinked notifies of the removal of a name, in a step that declares a change of the node.
func hbUnlinked(at *hbAt) {
	if !hbMayWatch() {
		return
	}
	n, dir := at.node, hbDirBit(at.mode())
	e := hbEventIn(at.path, IN_DELETE|dir)
	if n != nil {
		n.pin(at.path)
	}
	switch {
	case n == nil:
		e.notify()
	case dir != 0:
		n.endIfOver()
		e.notify()
	default:
		n.held++
		n.linked()
		n.release()
		e.notify()
	}
}
