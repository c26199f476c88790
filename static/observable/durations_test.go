package observable_test

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/static/observable"
)

// TestLibraryDurations: durations that the library has computed are of the clock, those that configure it
// are not.
func TestLibraryDurations(t *testing.T) {
	prog := vmtest.Load(t, `package main

import (
	"database/sql"
	"net"
	"time"
)

func Stats(db *sql.DB, limit time.Duration) bool { return db.Stats().WaitDuration > limit }
func Kept(s *sql.DBStats, limit time.Duration) bool { return s.WaitDuration > limit }
func Dialer(d *net.Dialer, limit time.Duration) bool { return d.Timeout > limit }
func main() {}
`)
	for name, sure := range map[string]bool{"Stats": true, "Kept": true, "Dialer": false} {
		fn := prog.Entries[0].Func.Pkg.Func(name)
		prog.EnsureBuilt(fn)
		n := 0
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if op, ok := i.(*ssa.BinOp); ok {
					n++
					if c, ok := observable.ComparedTimes(op); !ok || c.Perhaps == sure {
						t.Errorf("%s: %+v, %t", name, c, ok)
					}
				}
			}
		}
		if n != 1 {
			t.Errorf("%s: %d comparisons", name, n)
		}
	}
}
