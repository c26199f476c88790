package context

// hbOpens is called once for each context that can be cancelled, before another goroutine can know it. It
// makes the channel of Done, which the real package makes when Done is called for the first time. The calls of
// several goroutines would then lock a mutex, and be explored in all orders, though each returns the same
// channel. What differs is not part of the documented behaviour: the channel of a context that was cancelled
// before Done is not shared with other contexts, and calls of Done synchronise nothing.
func (c *cancelCtx) hbOpens(parent Context) {
	c.Context = parent
	c.done.Store(make(chan struct{}))
}
