// assumed: nothing
package main

import "time"

type meter struct {
	start time.Time
	took  time.Duration
}

func (m *meter) stop() { m.took = time.Now().Sub(m.start) }

func slow(d time.Duration) bool { return d > 100*time.Microsecond }

// What has passed is compared elsewhere than it is computed.
func main() {
	m := &meter{start: time.Now()}
	m.stop()
	if slow(m.took) {
		panic("slow")
	}
}
