// Package rate lets calls through at a rate. Tokens that there is no room for are dropped.
package rate

import (
	"context"
	"time"
)

// Limiter gives a token every interval, and up to burst of them at once.
type Limiter struct {
	tokens chan struct{}
	stop   chan struct{}
}

// New starts a limiter that is full.
func New(interval time.Duration, burst int) *Limiter {
	l := &Limiter{make(chan struct{}, burst), make(chan struct{})}
	for range burst {
		l.tokens <- struct{}{}
	}
	go l.run(interval)
	return l
}

func (l *Limiter) run(interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			select {
			case l.tokens <- struct{}{}:
			default:
			}
		case <-l.stop:
			return
		}
	}
}

// Wait takes a token.
func (l *Limiter) Wait(ctx context.Context) error {
	select {
	case <-l.tokens:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stop ends the limiter.
func (l *Limiter) Stop() { close(l.stop) }
