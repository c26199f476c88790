package os

import (
	"syscall"
	"time"
)

// ModTime returns when the file was last written. The time of a file that the program has written in
// this execution means nothing: the verdict names it.
func (fs *fileStat) ModTime() time.Time {
	if fs.sys.Mtim.Nsec == syscall.HbUntimed {
		hbUntimed()
	}
	return fs.modTime
}

func hbUntimed()
