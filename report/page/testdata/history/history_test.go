// Package history has a counter in two cells, of which a reader sees one before and one after a change.
package history

import (
	"sync/atomic"
	"testing"

	"hbcheck.dev/hbcheck/hbtest/lin"
)

type counter struct{ up, down atomic.Int64 }

func TestTorn(t *testing.T) {
	lin.Check(t, lin.Object[*counter]{
		New: func() *counter { return new(counter) },
		Ops: []lin.Op[*counter]{
			lin.Do("Inc", func(c *counter) any { c.up.Add(1); return nil }),
			lin.Do("Dec", func(c *counter) any { c.down.Add(1); return nil }),
			lin.Do("Get", func(c *counter) any { n := -c.down.Load(); return n + c.up.Load() }),
		},
		Final: []lin.Op[*counter]{lin.Do("Get", func(c *counter) any { return c.up.Load() - c.down.Load() })},
	})
}
