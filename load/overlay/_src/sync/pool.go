package sync

// A Pool is a set of temporary objects.
//
// The real Pool promises nothing about which object Get returns. Here this is a choice: the object
// that was put last, by whichever goroutine; another one of a few; or none, as after collections.
// The second call of runtime.GC after an object was put takes it out. Calls from the standard
// library, whose own pools (of fmt's printers and the like) are not worth exploring, always get a
// new object.
type Pool struct {
	_      noCopy
	items  []any
	old    uint32 // number of the first items that were there at the last collection
	listed bool   // the pool is in pools

	// New optionally specifies a function to generate
	// a value when Get would otherwise return nil.
	New func() any
}

// Put adds x to the pool.
func (p *Pool) Put(x any) {
	if x != nil && hbPool(p, collections) {
		if collections != nil && !p.listed {
			pools, p.listed = append(pools, p), true
		}
		hbPut(x)
		p.items = append(p.items, x)
	}
}

// Get takes an object out of the pool, or calls p.New if there is none.
func (p *Pool) Get() any {
	fresh := p.New
	if hbPool(p, collections) {
		k := 0
		if n := len(p.items); n > 0 && hbTries(n+1) {
			k = hbPick(n + 1)
			hbPool(p, collections) // the other items have moved
		}
		if k == 1 {
			p.items, p.old = nil, 0
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
			if i < int(p.old) {
				p.old--
			}
			hbGot(x)
			return x
		}
		//mutant: models read New [models TestModels/poolNew]: ".fresh()" -> ".New"
		fresh = p.fresh()
	}
	if fresh != nil {
		return fresh()
	}
	return nil
}

// pools are the Pools that collections look at.
var pools []*Pool

// collections stands for collections in operations on Pools; nil if there are none.
var collections = runtime_registerPoolCleanup(empty)

func runtime_registerPoolCleanup(f func()) *uint32

// empty is called by a collection.
func empty() {
	kept := pools[:0:0]
	for _, p := range pools {
		//mutant: what Pools hold is collected [models TestModels/poolOnce]: "append([]any(nil), p.items[p.old:]...)" -> "nil"
		p.items = append([]any(nil), p.items[p.old:]...)
		p.old = uint32(len(p.items))
		p.listed = p.old > 0
		if p.listed {
			kept = append(kept, p)
		}
	}
	pools = kept
}

// Putting x synchronizes with getting it.
func hbPut(x any)
func hbGot(x any)

// hbTries reports whether n ways may be tried.
func hbTries(n int) bool

// hbPool is a visible access to p, which the code after it carries out; it reads collections. It
// reports false, and is not an access, if the caller's caller is in the standard library.
func hbPool(p *Pool, collections *uint32) bool
