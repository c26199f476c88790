package log

import "os"

// A Logger holds a lock while it writes a line. For a file this is not necessary, because a single Write is
// atomic. So goroutines that write to a file hold the lock as readers, whose order makes no difference.
// Otherwise any two lines of different goroutines would be explored in both orders.
// SetOutput holds the lock as a writer.
//
// Claim: no race of the program is lost, and none is invented. Two readers do not synchronise. If the
// real lock does, the two goroutines could also come in the other order, unless something else orders them.

// hbLock is called before a line is written.
func (l *Logger) hbLock() {
	for {
		//mutant: log: the output is read without its lock [models TestModels/logSetOutput]: "l.isDiscard.hbIsFile()" -> "l.hbFile()"
		file := l.isDiscard.hbIsFile()
		if file {
			l.outMu.RLock()
		} else {
			l.outMu.Lock()
		}
		//mutant: log: a logger keeps the lock that it has chosen [models TestModels/logSetOutput]: "l.hbFile() == file" -> "true || file"
		if l.hbFile() == file {
			return
		}
		l.hbRelease(file) // SetOutput has been called meanwhile
	}
}

// hbUnlock is called after a line is written. No other goroutine can have called SetOutput since hbLock.
func (l *Logger) hbUnlock() { l.hbRelease(l.hbFile()) }

func (l *Logger) hbRelease(file bool) {
	if file {
		l.outMu.RUnlock()
	} else {
		l.outMu.Unlock()
	}
}

// hbFile is called with the lock held.
func (l *Logger) hbFile() bool {
	_, ok := l.out.(*os.File)
	//mutant: lines of all loggers commute [models TestModels/logBuffer]: "ok" -> "ok || true"
	return ok
}
