package log

import (
	"io"
	"os"
	"sync/atomic"
)

// A Logger holds a lock while it writes a line. For a file that is not necessary, because a single Write is
// atomic: goroutines that write there at the same time hold the lock as readers, whose order makes no
// difference. Otherwise every two lines of different goroutines would be explored in both orders.
// SetOutput holds the lock as a writer.
//
// Claim: no race of the program is lost, and none is invented. Two readers do not synchronise. Where the
// lock does, the two goroutines could have come in the other order, unless something else orders them.

// hbOutput says what the output is. Only SetOutput changes it, which holds the lock; but the choice of the
// lock depends on it, so it is atomic.
type hbOutput struct {
	atomic.Bool // nothing
	file        atomic.Bool
}

func hbIsFile(w io.Writer) bool {
	_, ok := w.(*os.File)
	//mutant: lines of all loggers commute [models TestModels/logBuffer]: "ok" -> "ok || true"
	return ok
}

func (o *hbOutput) hbSet(w io.Writer) {
	o.Store(w == io.Discard)
	o.file.Store(hbIsFile(w))
}

// hbLock is called before a line is written.
func (l *Logger) hbLock() {
	for {
		//mutant: log: the output is read without its lock [models TestModels/logSetOutput]: "l.isDiscard.file.Load()" -> "hbIsFile(l.out)"
		file := l.isDiscard.file.Load()
		if file {
			l.outMu.RLock()
		} else {
			l.outMu.Lock()
		}
		//mutant: log: a logger keeps the lock that it has chosen [models TestModels/logSetOutput]: "hbIsFile(l.out) == file" -> "true || file"
		if hbIsFile(l.out) == file {
			return
		}
		l.hbRelease(file) // SetOutput has been called meanwhile
	}
}

// hbUnlock is called after that. No other goroutine can have called SetOutput.
func (l *Logger) hbUnlock() { l.hbRelease(hbIsFile(l.out)) }

func (l *Logger) hbRelease(file bool) {
	if file {
		l.outMu.RUnlock()
	} else {
		l.outMu.Unlock()
	}
}
