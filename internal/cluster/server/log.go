//go:build cluster

package server

import (
	"fmt"
	"sync"
)

// logged keeps the last error that the server inside has logged.
type logged struct {
	mu   sync.Mutex
	text string
}

func (l *logged) keep(format string, v []any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = fmt.Sprintf(format, v...)
}

func (l *logged) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text
}

func (l *logged) Errorf(format string, v ...any) { l.keep(format, v) }
func (l *logged) Fatalf(format string, v ...any) { l.keep(format, v) }
func (l *logged) Noticef(string, ...any)         {}
func (l *logged) Warnf(string, ...any)           {}
func (l *logged) Debugf(string, ...any)          {}
func (l *logged) Tracef(string, ...any)          {}
