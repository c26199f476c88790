package syscall

import (
	"internal/effect"
	"unsafe"
)

// Locks of directories, in programs that may watch files. As on Linux, a call that adds, removes or renames
// a file locks the directory until those who watch it have been told. So the events of a directory come in
// the order of its changes.

// hbDirFree says which locks are free. Directories share them, by a hash of their paths.
var hbDirFree = [8]bool{true, true, true, true, true, true, true, true}

// hbDirs are the locks that a call has taken.
type hbDirs struct{ list [3]*bool }

// lock takes the locks of the directories of files.
func (d *hbDirs) lock(files ...string) {
	if !hbMayWatch() {
		return
	}
	var wants [len(hbDirFree)]bool
	for _, path := range files {
		dir, _ := hbSplit(path)
		wants[hbHash(hbResolve(dir))%uint64(len(wants))] = true
	}
	n := 0
	for i, want := range wants {
		if want {
			//mutant: directories are not locked [models TestModels/watchedInOrder]
			effect.Wait(unsafe.Pointer(&hbDirFree[i]), effect.Inside, &hbDirFree[i])
			hbDirFree[i] = false
			d.list[n] = &hbDirFree[i]
			n++
		}
	}
}

// unlock releases the locks, once.
func (d *hbDirs) unlock() {
	for i, free := range d.list {
		if free != nil {
			effect.Access(unsafe.Pointer(free), true)
			*free = true
			d.list[i] = nil
		}
	}
}
