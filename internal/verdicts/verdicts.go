// Package verdicts remembers on disk what was found out about entries, until something changes that
// it depends on: the program, hbcheck itself, the flags, or what the program has learnt of the host.
//
// What is damaged, or of another hbcheck, is not found; processes may share a directory.
package verdicts

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/cache"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/vm"
)

// Variable is the environment variable that says where the store is; its value off says that there is
// none.
const Variable = "HBCHECKCACHE"

// The details of warnings.
func init() {
	for _, d := range []explore.Detail{explore.Crashed{}, explore.TestFailed{}, explore.Exited{}, explore.WaitCycle{}, explore.MainBlocked{},
		explore.LeftBehind{}, explore.LivesOn{}, explore.Spins{}, explore.Loops{}, explore.Conflict{}} {
		gob.Register(d)
	}
}

// maxResult is what an encoded result may take: most have less than a hundredth of it.
const maxResult = 1 << 20

// maxSize is what a store may take on disk when a run has ended.
const maxSize = 128 << 20

// A Store is a directory of what is remembered.
type Store struct {
	dir   string
	cache *cache.Cache
	grown bool
}

// Dir returns the directory of the user's store; ok is false if there is none.
func Dir() (dir string, ok bool) {
	switch dir = os.Getenv(Variable); {
	case dir == "off":
		return "", false
	case dir != "":
		return dir, filepath.IsAbs(dir)
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", false
	}
	return filepath.Join(base, "hbcheck"), true
}

// Open opens the store in dir, and makes the directory if there is none.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	c, err := cache.Open(dir)
	if err != nil {
		return nil, err
	}
	return &Store{dir: dir, cache: c}, nil
}

// A Verdict is a result with what it depends on outside of the program.
type Verdict struct {
	Result *explore.Result
	Host   []vm.HostFact
}

// A Name is that of an entry.
type Name struct{ Package, Entry string }

// Worth reports whether r would be the same if the entry were explored again: everything is covered,
// or all but what it names of the environment, and nothing is wrong. (A bug that is no warning is to be
// looked at, and its schedule to be written again.)
func Worth(r *explore.Result) bool {
	assumed := func(why explore.Reason) bool { return why.Cause == explore.CauseAssumed }
	decided := r.Verdict == explore.OK ||
		r.Verdict == explore.Incomplete && !slices.ContainsFunc(r.Incomplete, func(why explore.Reason) bool { return !assumed(why) })
	wrong := func(b *explore.Bug) bool { return !b.Warning }
	return decided && !slices.ContainsFunc(r.Bugs, wrong) && r.SolverTrouble == "" && r.Stats.Checked == nil
}

// Verdict returns what is remembered under key, if the host still answers as it did; env are the
// variables of the program.
func (s *Store) Verdict(key string, env []string) (*explore.Result, bool) {
	var v Verdict
	if !s.get(key, &v) || v.Result == nil {
		return nil, false
	}
	for _, f := range v.Host {
		if !f.Holds(env) {
			return nil, false
		}
	}
	v.Result.Cached = true
	return v.Result, true
}

// Remember keeps r under key, if it is worth it, and reports whether it is kept.
func (s *Store) Remember(key string, r *explore.Result, host []vm.HostFact, env []string) bool {
	if !Worth(r) || slices.ContainsFunc(host, func(f vm.HostFact) bool { return !f.Holds(env) }) {
		return false
	}
	data, err := encode(&Verdict{r, host})
	if err != nil || len(data) > maxResult {
		return false
	}
	// What does not come back as it is now would be another verdict.
	var back Verdict
	if decode(data, &back) != nil || !same(reflect.ValueOf(back.Result), reflect.ValueOf(r.Exported())) {
		return false
	}
	return s.put(key, data)
}

// Names returns the entries that are remembered under key.
func (s *Store) Names(key string) (list []Name, ok bool) {
	ok = s.get(key, &list)
	return list, ok
}

// RememberNames keeps the entries of a run under key.
func (s *Store) RememberNames(key string, list []Name) {
	if data, err := encode(list); err == nil {
		s.put(key, data)
	}
}

func (s *Store) get(key string, v any) bool {
	data, _, err := s.cache.GetBytes(action(key))
	return err == nil && decode(data, v) == nil
}

func (s *Store) put(key string, data []byte) bool {
	s.grown = true
	return s.cache.PutBytes(action(key), data) == nil
}

func action(key string) cache.ActionID { return sha256.Sum256([]byte(key)) }

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func decode(data []byte, v any) error { return gob.NewDecoder(bytes.NewReader(data)).Decode(v) }

// Close removes what has not been used for days, and then the oldest, until what is left is small
// enough.
func (s *Store) Close() {
	if !s.grown {
		return
	}
	s.cache.Trim()
	s.bound(maxSize)
}

// bound removes the oldest entries until the others take at most max bytes.
func (s *Store) bound(max int64) {
	type file struct {
		name string
		size int64
		used time.Time
	}
	var files []file
	var all int64
	each(s.dir, func(name string, info fs.FileInfo) {
		files = append(files, file{name, info.Size(), info.ModTime()})
		all += info.Size()
	})
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.name, b.name)) })
	for _, f := range files {
		if all <= max {
			return
		}
		if os.Remove(f.name) == nil {
			all -= f.size
		}
	}
}

// each calls f for the files of entries in the store in dir.
func each(dir string, f func(name string, info fs.FileInfo)) {
	for i := range 256 {
		sub := filepath.Join(dir, hexByte(i))
		list, _ := os.ReadDir(sub)
		for _, e := range list {
			if !isEntry(e.Name()) {
				continue
			}
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				f(filepath.Join(sub, e.Name()), info)
			}
		}
	}
}

func hexByte(i int) string {
	return string("0123456789abcdef"[i>>4]) + string("0123456789abcdef"[i&15])
}

// isEntry reports whether package cache has given a file its name: 64 digits, and -a or -d.
func isEntry(name string) bool {
	digits, kind, ok := strings.Cut(name, "-")
	return ok && (kind == "a" || kind == "d") && len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == ""
}

// Clean removes everything that is remembered in dir, and nothing else: the directory may be shared
// with something by mistake.
func Clean(dir string) error {
	var errs []error
	each(dir, func(name string, _ fs.FileInfo) { errs = append(errs, os.Remove(name)) })
	return errors.Join(errs...)
}
