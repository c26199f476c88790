package inputs

import "sync"

// A Limiter allows one event in Interval, and at most Burst at once.
type Limiter struct {
	Interval, Burst int8
	mu              sync.Mutex
	last            int8 // when tokens were counted
	tokens          int8
	version         Version
}

// Allow reports whether an event may happen at time now. Time may stand still, and events come in any
// order. The wrong one gives tokens back for time that has not passed.
func (l *Limiter) Allow(now int8) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	elapsed := now - l.last // wraps if they are far apart
	if l.version == Right && now < l.last {
		elapsed = 0
	} else if l.version == Right && elapsed < 0 {
		elapsed = 127
	}
	if elapsed < 0 {
		elapsed = -elapsed
	}
	if more := elapsed / l.Interval; more > 0 {
		l.tokens = min(l.Burst, l.tokens+min(more, l.Burst))
		l.last = now
	}
	if l.tokens == 0 {
		return false
	}
	l.tokens--
	return true
}
