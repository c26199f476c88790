// assumed: nothing

//go:debug asynctimerchan=1
package main

import "time"

// What a timer as before Go 1.23 sends may come when Stop has returned, and what was there was taken.
func main() {
	t := time.NewTimer(time.Millisecond)
	time.Sleep(time.Millisecond)
	if !t.Stop() {
		select {
		case <-t.C:
		default:
		}
	}
	select {
	case <-t.C:
		panic("stale")
	default:
	}
}
