// Package driven needs values of another package.
package driven

import (
	"context"
	"sync"

	msg "findings.test/driven/message"
)

// A Router knows topics.
type Router struct {
	mu      sync.RWMutex
	aliases map[uint16]string
}

// NewRouter returns a router.
func NewRouter() *Router { return &Router{aliases: map[uint16]string{}} }

// Route finds the topic of m, and filters it.
func (r *Router) Route(ctx context.Context, m *msg.Message, o msg.Options, filter func(o *msg.Options) bool) string {
	if ctx.Err() != nil || filter(&o) {
		return ""
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if m.Props.Alias != nil {
		r.aliases[*m.Props.Alias] = m.Topic // want HBA108 "written while (r.)?mu is locked for reading only"
	}
	return m.Topic
}
