package context

// hbOpens is called once for each context that can be cancelled, before another goroutine can know it.
//
// It makes the channel of Done. The real package makes it in the first call of Done, under a mutex. Then all
// orders of the first calls would be explored, although each call returns the same channel. Two
// differences remain, which no documentation excludes: contexts that are cancelled before Done do not share a
// channel, and calls of Done do not synchronise.
func (c *cancelCtx) hbOpens(parent Context) {
	c.Context = parent
	c.done.Store(make(chan struct{}))
}
