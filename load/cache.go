package load

import (
	"embed"
	"fmt"
	"go/token"
	"io/fs"
	"reflect"
	"sync"
)

// A Cache keeps parsed and type-checked std packages from one Load to the next in the same process: without a
// cache, tests and benchmarks that load hundreds of small programs spend most of their time on these
// packages. The zero value is an empty cache. It may be shared by concurrent Loads, which then take turns in
// all phases but the first.
//
// Programs loaded with the same cache share one file set, syntax trees and
// types, but nothing that is written to after Load. Their packages are checked whole, but declarations that
// a program does not mention (see prune) have no SSA. The positions of their declarations depend on earlier
// loads.
//
// A cache serves one Go distribution, set of build tags and overlay at a time; a Load with another one
// empties the cache. It does not notice changes of files.
type Cache struct {
	mu   sync.Mutex
	key  cacheKey            // guarded by mu
	fset *token.FileSet      // guarded by mu
	end  int                 // guarded by mu; end of the last file in fset
	std  map[string]*Package // guarded by mu; checked packages by path
}

// cacheKey determines the std packages of a Load.
type cacheKey struct {
	goroot, version, tags, root string
	overlay                     fs.FS // nil if it is not comparable, which matches nothing
}

// embedded represents the overlay that is not configured.
var embedded fs.FS = embed.FS{}

// enter locks the cache for l and adapts it to l's needs.
func (c *Cache) enter(l *loader) {
	c.mu.Lock()
	key := cacheKey{goroot: l.goEnv.GOROOT, root: l.cfg.Root, version: l.goEnv.GOVERSION, tags: fmt.Sprintf("%q", l.std.ctxt.BuildTags)}
	if l.cfg.Overlay == nil {
		key.overlay = embedded
	} else if reflect.TypeOf(l.overlay).Comparable() {
		key.overlay = l.overlay
	}
	if c.fset == nil || c.key != key || key.overlay == nil {
		c.key, c.fset, c.end, c.std = key, token.NewFileSet(), 0, make(map[string]*Package)
	}
	l.fset, l.end = c.fset, max(c.end, c.fset.Base()-1) // a program may have got files since (generic.go)
}

// leave keeps the std packages of l that have been checked, and unlocks the
// cache.
func (c *Cache) leave(l *loader) {
	c.end = l.end
	for _, p := range l.all {
		if p.Std && p.Types != nil {
			c.std[p.Path] = p.shared()
		}
	}
	c.mu.Unlock()
}

// get returns a copy of the package at path for a Load of its own, or nil. The
// caller is between enter and leave.
func (c *Cache) get(path string) *Package {
	if p := c.std[path]; p != nil {
		return p.shared()
	}
	return nil
}

// shared returns a copy of p without data that differ between Loads.
func (p *Package) shared() *Package {
	q := *p
	q.SSA, q.Imports, q.done = nil, nil, nil
	return &q
}
