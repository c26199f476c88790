package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"hbcheck.dev/hbcheck/explore"
)

// stopSignals are the signals that end a search with its findings so far: that of Ctrl-C, and those of
// timeout(1), a cancelled CI job and a closed terminal.
var stopSignals = map[os.Signal]error{
	os.Interrupt:    errors.New("interrupted"),
	syscall.SIGTERM: errors.New("interrupted (SIGTERM)"),
	syscall.SIGHUP:  errors.New("interrupted (SIGHUP)"),
}

// interrupts returns a context that is done at the first of stopSignals, so that the results so far are
// printed. If narrates is set, a second signal makes hbcheck print them at once (explore.WithHurry). The next
// one ends the process. Signals that the process was started to ignore, as by nohup, are ignored.
func interrupts(parent context.Context, narrates bool) (ctx context.Context, release func()) {
	if parent == nil {
		parent = context.Background()
	}
	hurry := make(chan struct{})
	ctx, cancel := context.WithCancelCause(explore.WithHurry(parent, hurry))
	signals, released := make(chan os.Signal, 2), make(chan struct{})
	for s := range stopSignals {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		select {
		case s := <-signals:
			if !narrates {
				signal.Stop(signals)
			}
			cancel(stopSignals[s])
		case <-released:
			return
		}
		select {
		case <-signals:
			signal.Stop(signals)
			close(hurry)
		case <-released:
		}
	}()
	return ctx, sync.OnceFunc(func() {
		signal.Stop(signals)
		close(released)
		cancel(nil)
	})
}

// tellWaiting prints what hbcheck waits for, if the caller does not call over within a second after ctx is
// done.
func tellWaiting(ctx context.Context, w io.Writer) (over func()) {
	ended := make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
		case <-ended:
			return
		}
		select {
		case <-time.After(time.Second):
			fmt.Fprintln(w, "\ninterrupted: saving the search and reporting its findings; press Ctrl-C again to report without saving, a third time to quit immediately")
		case <-ended:
		}
	}()
	return sync.OnceFunc(func() { close(ended) })
}
