// assumed: nothing

//go:debug asynctimerchan=1
package main

import "time"

// Before Go 1.23 a timer's value may arrive after Stop has returned and the channel has been emptied.
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
