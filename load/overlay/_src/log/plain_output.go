package log

import (
	"io"
	"os"
	"sync/atomic"
)

// hbOutput says what the output is. Only SetOutput changes it, which holds the lock; but the choice of the
// lock depends on it (hb_lock.go), so it is atomic.
type hbOutput struct {
	atomic.Bool // nothing
	file        atomic.Bool
}

func (o *hbOutput) hbSet(w io.Writer) {
	o.Store(w == io.Discard)
	_, file := w.(*os.File)
	o.file.Store(file)
}

func (o *hbOutput) hbIsFile() bool { return o.file.Load() }
