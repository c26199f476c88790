package time

import (
	"internal/godebug"
	"unsafe"
)

// Time is virtual: the machine's clock stands still until a sleeper wakes or a
// timer fires, which sets it to that deadline if it is not later already.
// Unless the machine runs with virtual time, sleepers and timers wake in any
// order: a program cannot rely on how long anything takes.

// Sleep pauses the current goroutine for at least the duration d. A negative
// or zero duration causes Sleep to return immediately.
func Sleep(d Duration) {
	if d > 0 {
		hbArming()
		hbArm(int64(d))
		hbSleep()
	}
}

// hbArm sets the calling goroutine's deadline to d nanoseconds from now. The machine keeps the
// deadline outside of registers, because it means nothing where time has no order.
func hbArm(d int64)

// hbArming precedes hbArm in the goroutine that sleeps or starts a timer: where time can pass
// meanwhile, it is an operation that reads the clock.
func hbArming()

// hbSleep waits for the calling goroutine's deadline.
func hbSleep()

// hbTick is the element type of a timer's channel. The machine knows the type, and turns a received
// tick into the Time at which it was sent. Where time has no order, it is the Time at which the
// tick is received, so that the time of sending is not part of the state. The machine hides the
// channel's buffer from len and cap, as the runtime does since Go 1.23.
type hbTick struct {
	wall uint64
	ext  int64 // nanoseconds on the clock and 1
	loc  *Location
}

// hbTimer is what Timer and Ticker have in common. While it is armed, a hidden
// goroutine of its own executes hbRun.
type hbTimer struct {
	c      chan hbTick // nil: call f
	f      func()
	period int64
	armed  bool
	early  bool // the timer behaves as before Go 1.23
	send   bool // the timer cannot be stopped: it sends by itself
	bubble bool // the timer was made in a bubble of testing/synctest
}

// early reports whether timers work as before Go 1.23. Then programs can see the buffer of a
// timer's channel, and Stop and Reset leave it as it is. When a timer is not armed any more, its
// tick may still be on its way.
var early = func() bool {
	v := godebug.New("asynctimerchan").Value()
	return v == "1" || v == "2"
}()

// hbSent is what the channel of an early timer holds: a Time. The machine knows the type.
type hbSent struct {
	wall uint64
	ext  int64
	loc  *Location
}

// hbRun waits for the deadline and sends a tick or starts the function.
func hbRun(r *hbTimer, d int64) {
	hbArm(d)
	for {
		hbFire(r)
		if r.c == nil {
			r.armed = false
			goFunc(r.f)
			return
		}
		//mutant: nothing is on its way [env TestPrograms/timerflight]: false
		if r.early && !r.send {
			s := &hbTimer{c: r.c, armed: true, early: true, send: true}
			hbGo(hbRun, s, 0)
		} else {
			hbSend(r.c, Local)
		}
		if r.period == 0 {
			r.armed = false
			return
		}
		hbArm(r.period)
	}
}

// hbFire waits for the calling goroutine's deadline. It is not enabled while a tick waits to be
// received: the next one would be dropped, and no goroutine could notice that.
func hbFire(r *hbTimer)

// hbSend puts a tick into c, which is empty, or that of an early timer.
func hbSend(c chan hbTick, loc *Location)

// hbDrain takes back a tick nobody has received and reports whether there was one.
func hbDrain(c chan hbTick) bool

func goFunc(f func()) { go f() }

// hbGo starts run(r, d) in r's hidden goroutine.
func hbGo(run func(*hbTimer, int64), r *hbTimer, d int64)

// hbKill ends r's hidden goroutine.
func hbKill(r *hbTimer)

// hbChange is a visible access to the timer, which the code after it carries out.
func hbChange(r *hbTimer)

// stop disarms r and reports whether it was armed or its tick had not been received.
func (r *hbTimer) stop() bool {
	r.inside("stop")
	hbChange(r)
	pending := r.armed
	if pending {
		hbKill(r)
		r.armed = false
	}
	//mutant: Stop empties channels of early timers [env TestPrograms/timerearly]: drop 2
	if r.c != nil && !r.early && hbDrain(r.c) {
		pending = true
	}
	return pending
}

// reset is stop and arming again.
func (r *hbTimer) reset(d, period int64) bool {
	r.inside("reset")
	pending := r.stop()
	r.period = period
	r.arm(d)
	return pending
}

// inside ends the program if r is a bubble's and the caller is in none, as the runtime does.
func (r *hbTimer) inside(what string) {
	if r.bubble && !runtimeIsBubbled() {
		fatal(what + " of synctest timer from outside bubble")
	}
}

// fatal is implemented in package runtime.
func fatal(s string)

func (r *hbTimer) arm(d int64) {
	r.armed = true
	hbGo(hbRun, r, d)
}

// newTimer returns an armed timer with a channel. known is set if other code gets the timer, and
// not only its channel.
func newTimer(d, period int64, known bool) *Timer {
	r := &hbTimer{period: period, early: early, send: !known, bubble: runtimeIsBubbled()}
	if early {
		c := make(chan hbSent, 1)
		r.c = *(*chan hbTick)(unsafe.Pointer(&c))
	} else {
		r.c = make(chan hbTick, 1)
	}
	hbArming()
	r.arm(d)
	return &Timer{*(*chan Time)(unsafe.Pointer(&r.c)), true, r}
}

// The Timer type represents a single event. When the Timer expires, the
// current time will be sent on C, unless the Timer was created by AfterFunc.
// It has the layout of Ticker.
type Timer struct {
	C         <-chan Time
	initTimer bool
	r         *hbTimer // an object of its own, so that the hidden goroutine cannot reach the memory of C
}

// NewTimer creates a new Timer that will send the current time on its channel
// after at least duration d.
func NewTimer(d Duration) *Timer {
	return newTimer(int64(d), 0, true)
}

// Stop prevents the Timer from firing. It returns true if the call stops the
// timer, false if the timer has already expired or been stopped. A tick that
// has not been received is taken back.
func (t *Timer) Stop() bool {
	if !t.initTimer {
		panic("time: Stop called on uninitialized Timer")
	}
	return t.r.stop()
}

// Reset changes the timer to expire after duration d. It returns true if the
// timer had been active, false if the timer had expired or been stopped.
func (t *Timer) Reset(d Duration) bool {
	if !t.initTimer {
		panic("time: Reset called on uninitialized Timer")
	}
	return t.r.reset(int64(d), 0)
}

// After waits for the duration to elapse and then sends the current time on
// the returned channel.
func After(d Duration) <-chan Time {
	return newTimer(int64(d), 0, false).C
}

// AfterFunc waits for the duration to elapse and then calls f in its own
// goroutine.
func AfterFunc(d Duration, f func()) *Timer {
	r := &hbTimer{f: f, bubble: runtimeIsBubbled()}
	hbArming()
	r.arm(int64(d))
	return &Timer{initTimer: true, r: r}
}
