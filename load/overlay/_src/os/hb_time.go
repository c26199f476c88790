package os

import (
	"syscall"
	"time"
)

// ModTime returns when the file was last written. What the program has written in this execution
// has no time that means anything: the verdict says so.
func (fs *fileStat) ModTime() time.Time {
	if fs.sys.Mtim.Nsec == syscall.HbUntimed {
		hbUntimed()
	}
	return fs.modTime
}

func hbUntimed()
