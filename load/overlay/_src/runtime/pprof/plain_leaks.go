//go:build go1.27

package pprof

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
)

// hbHasLeaks says that there is a profile of leaked goroutines.
const hbHasLeaks = true

// hbLeaked finds the leaked goroutines. With debug 2 text has the stacks of all goroutines.
func hbLeaked(debug int) (n int, text string)

// leaked is the number of goroutines that the last search has found; the current search holds searching.
var (
	leaked    atomic.Int64
	searching sync.Mutex
)

// hbLeaks returns the number of leaked goroutines that the last search has found.
func hbLeaks() int { return int(leaked.Load()) }

// hbWriteLeaks searches for leaked goroutines, and writes their stacks.
func hbWriteLeaks(w io.Writer, debug int) error {
	if debug <= 0 {
		syscall.HbRefuseConstruct("the profile goroutineleak in the format of pprof (debug 0)")
	}
	searching.Lock()
	defer searching.Unlock()
	n, text := hbLeaked(min(debug, 2))
	leaked.Store(int64(n))
	if debug == 1 {
		if _, err := fmt.Fprintf(w, "goroutineleak profile: total %d\n", n); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, text)
	return err
}
