package sync

// A Pool is a set of temporary objects.
//
// The real Pool promises nothing about which object Get returns. Here it is a
// choice: the one put last, whoever put it, another one of a few, or none, as
// after a collection. Calls from the standard library, whose own pools (of fmt's
// printers and the like) are not worth exploring, always get a new object.
type Pool struct {
	_     noCopy
	items []any
	_     uintptr

	// New optionally specifies a function to generate
	// a value when Get would otherwise return nil.
	New func() any
}

// Put adds x to the pool.
func (p *Pool) Put(x any) {
	if x != nil && hbPool(p) {
		hbPut(x)
		p.items = append(p.items, x)
	}
}

// Get takes an object out of the pool, or calls p.New if there is none.
func (p *Pool) Get() any {
	fresh := p.New
	if hbPool(p) {
		k := 0
		if n := len(p.items); n > 0 && hbTries(n+1) {
			k = hbPick(n + 1)
			hbPool(p) // the others have moved
		}
		if k == 1 {
			p.items = nil
		}
		if n := len(p.items) - 1; n >= 0 {
			i := n
			if k > 1 && k-2 < n {
				i = k - 2
			}
			x := p.items[i]
			copy(p.items[i:], p.items[i+1:])
			p.items[n] = nil
			p.items = p.items[:n]
			hbGot(x)
			return x
		}
		fresh = p.fresh()
	}
	if fresh != nil {
		return fresh()
	}
	return nil
}

// Putting x synchronizes with getting it.
func hbPut(x any)
func hbGot(x any)

// hbTries reports whether n ways may be tried.
func hbTries(n int) bool

// hbPool is a visible access to p, which the code behind it carries out. It
// reports false, and is none, if the caller's caller is in the standard library.
func hbPool(p *Pool) bool
