package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/saved"
	"hbcheck.dev/hbcheck/internal/verdicts"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm"
)

// saves saves the searches of a run. A nil *saves saves nothing.
type saves struct {
	dir     string
	auto    bool // dir is in the user's cache directory, and its size is bounded
	resume  bool
	every   time.Duration
	listing *load.Listing
	cache   *verdictCache
	env     []string
	build   string // of hbcheck
	flags   string
	mu      sync.Mutex // guards hosts
	hosts   map[*load.Entry]*vm.HostLog
	saved   int // number of saved searches
	stderr  io.Writer
}

const (
	saveEvery = 30 * time.Second
	// Limits in the user's cache directory: bytes of a search, bytes of all searches, and their age.
	mostOfSearch   = 4 << 30
	mostOfSearches = 8 << 30
	oldestSearch   = 30 * 24 * time.Hour
)

// notSaved are the flags that do not change a search: those about the use of its result, its end and the
// number of its workers.
var notSaved = append([]string{"html", "strict", "assume", "count"}, neutralFlags...)

// newSaves returns where the searches of this run are saved.
func (f *exploreFlags) newSaves(cmd *cobra.Command, listing *load.Listing, cache *verdictCache) (*saves, error) {
	x := &saves{listing: listing, cache: cache, env: f.env, resume: f.resume, every: f.saveEvery, hosts: make(map[*load.Entry]*vm.HostLog), stderr: cmd.ErrOrStderr()}
	switch f.save {
	case "off":
		if f.resume {
			return nil, errors.New("--resume and --save=off exclude each other")
		}
		return nil, nil
	case "auto":
		dir, ok := verdicts.Dir()
		if !ok && f.resume {
			return nil, fmt.Errorf("--resume: nothing is saved with %s=off; name a directory with --save", verdicts.Variable)
		}
		if !ok {
			return nil, nil
		}
		x.dir, x.auto = savesDir(dir), true
	default:
		x.dir = f.save
	}
	var err error
	if x.build, err = ownHash(); err != nil {
		return nil, nil // the file could not record which build saved it
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%q %x", f.args, sha256.Sum256(f.input))
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(notSaved, f.Name) {
			fmt.Fprintf(&b, " --%s=%s", f.Name, f.Value)
		}
	})
	x.flags = b.String()
	return x, nil
}

// savesDir returns the directory of saved searches in the user's cache directory.
func savesDir(cache string) string { return filepath.Join(cache, "searches") }

// host returns the log of the facts that machines of e learn about the host.
func (x *saves) host(e *load.Entry, cache *verdictCache) *vm.HostLog {
	if cache != nil || x == nil {
		return cache.host(e)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.hosts[e] == nil {
		x.hosts[e] = new(vm.HostLog)
	}
	return x.hosts[e]
}

// keep returns the place where the searches of e, in a program that runs in dir, are saved.
func (x *saves) keep(e *explore.Entry, dir string) *explore.Keep {
	if x == nil {
		return nil
	}
	program, err := x.listing.Fingerprint(e.Package)
	if err != nil {
		return nil
	}
	id := sha256.Sum256([]byte(strings.Join([]string{dir, e.Package, e.Name, x.flags}, "\n")))
	name := explore.FileName(e.Name)
	k := &explore.Keep{
		Dir: filepath.Join(x.dir, fmt.Sprintf("%s-%x", name, id[:6])), Resume: x.resume, Every: x.every,
		Host: x.host(e.Source, x.cache), Env: environ("", x.env),
		Header: saved.Header{{Name: "build of hbcheck", Value: x.build}, {Name: "release of Go", Value: x.listing.GoVersion()},
			{Name: "program (it has changed since)", Value: program},
			{Name: "entry", Value: e.Package + "." + e.Name}, {Name: "set of flags", Value: x.flags}},
	}
	if x.auto {
		k.Most = mostOfSearch
	}
	return k
}

// reportSaved reports on stderr that a search was saved, or that there was no saved search to continue.
func (x *saves) reportSaved(k *explore.Keep, r *explore.Result) {
	if x == nil || k == nil || r == nil {
		return
	}
	if x.resume && r.Resumed == nil {
		fmt.Fprintf(x.stderr, "%s.%s: no saved search to continue: explored from the beginning\n", r.Package, r.Entry)
	}
	if r.Saved {
		x.saved++
	}
}

// close prints the number of saved searches. It removes old searches, and then the oldest ones until the rest
// is small enough.
func (x *saves) close() {
	if x != nil && x.saved == 1 {
		fmt.Fprintln(x.stderr, "search saved; the same command with --resume continues it")
	} else if x != nil && x.saved > 1 {
		fmt.Fprintf(x.stderr, "%d searches saved; the same command with --resume continues them\n", x.saved)
	}
	if x != nil && x.auto {
		boundSaves(x.dir, mostOfSearches, time.Now().Add(-oldestSearch))
	}
}

// boundSaves removes the searches in dir that were saved before oldest, and then the oldest until the others
// take at most max bytes. Nothing else is removed.
func boundSaves(dir string, max int64, oldest time.Time) {
	type search struct {
		files []string
		dir   string
		size  int64
		last  time.Time
	}
	var list []search
	all := int64(0)
	dirs, _ := os.ReadDir(dir)
	for _, d := range dirs {
		s := search{dir: filepath.Join(dir, d.Name())}
		files, _ := os.ReadDir(s.dir)
		for _, f := range files {
			info, err := f.Info()
			if err != nil || !info.Mode().IsRegular() || !isSave(f) {
				continue
			}
			s.files = append(s.files, filepath.Join(s.dir, f.Name()))
			s.size += info.Size()
			if info.ModTime().After(s.last) {
				s.last = info.ModTime()
			}
		}
		if s.files != nil {
			list = append(list, s)
			all += s.size
		}
	}
	slices.SortFunc(list, func(a, b search) int { return cmp.Or(a.last.Compare(b.last), strings.Compare(a.dir, b.dir)) })
	for _, s := range list {
		if all <= max && s.last.After(oldest) {
			return
		}
		for _, f := range s.files {
			os.Remove(f)
		}
		os.Remove(s.dir) // succeeds if the directory is empty
		all -= s.size
	}
}

// isSave reports whether a file holds a saved search, or one that is being saved.
func isSave(f fs.DirEntry) bool {
	return strings.HasSuffix(f.Name(), ".hbs") || strings.Contains(f.Name(), ".hbs.") && strings.HasSuffix(f.Name(), ".tmp")
}
