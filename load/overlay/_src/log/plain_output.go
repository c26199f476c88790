package log

import (
	"io"
	"os"
	"sync/atomic"
)

// hbOutput is the kind of the output. Only SetOutput changes it, with the lock held. It is atomic, because
// the choice of the lock depends on it (hb_lock.go).
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
