package time

import "unsafe"

// A Ticker holds a channel that delivers “ticks” of a clock at intervals. It
// has the layout of Timer.
type Ticker struct {
	C          <-chan Time // The channel on which the ticks are delivered.
	initTicker bool
	r          *hbTimer
}

// NewTicker returns a new Ticker whose channel is sent a tick every d. It
// panics if d is not positive.
func NewTicker(d Duration) *Ticker {
	if d <= 0 {
		panic("non-positive interval for NewTicker")
	}
	return (*Ticker)(unsafe.Pointer(newTimer(int64(d), int64(d), true)))
}

// Stop turns off a ticker. After Stop, no more ticks will be sent.
func (t *Ticker) Stop() {
	if t.initTicker { // others are tolerated, issue 21874
		t.r.stop()
	}
}

// Reset stops a ticker and resets its period to the specified duration.
func (t *Ticker) Reset(d Duration) {
	if d <= 0 {
		panic("non-positive interval for Ticker.Reset")
	}
	if !t.initTicker {
		panic("time: Reset called on uninitialized Ticker")
	}
	t.r.reset(int64(d), int64(d))
}

// Tick is a convenience wrapper for NewTicker providing access to the ticking
// channel only.
func Tick(d Duration) <-chan Time {
	if d <= 0 {
		return nil
	}
	return newTimer(int64(d), int64(d), false).C
}
