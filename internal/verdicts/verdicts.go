// Package verdicts stores results of entries on disk. A result is valid as long as nothing changes on which
// it depends: the program, hbcheck itself, the flags, and the host's answers to the program.
//
// Damaged results, and those of another hbcheck, are not found; processes may share a directory.
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
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/cache"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/vm"
)

// Variable is the environment variable with the directory of the store; its value off disables the store.
const Variable = "HBCHECKCACHE"

// init registers the types of the details of warnings.
func init() {
	for _, d := range []bug.Detail{bug.Crashed{}, bug.TestFailed{}, bug.Exited{}, bug.WaitCycle{}, bug.MainBlocked{},
		bug.LeftBehind{}, bug.LeftLooping{}, bug.LivesOn{}, bug.Spins{}, bug.Loops{}, bug.Conflict{}} {
		gob.Register(d)
	}
}

// maxResult is the largest size of an encoded result: most have less than a hundredth of it.
const maxResult = 1 << 20

// maxSize is the largest size of a store on disk after a run.
const maxSize = 128 << 20

// A Store is a directory of results.
type Store struct {
	dir   string
	cache *cache.Cache
	grown atomic.Bool
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

// A Verdict is a result with its dependences outside of the program.
type Verdict struct {
	Result *explore.Result
	Host   []vm.HostFact
}

// A Name is the name of an entry.
type Name struct{ Package, Entry string }

// Worth reports whether r would be the same if the entry were explored again: everything is covered,
// or all except named assumptions about the environment, and there are only warnings. (A user inspects other
// bugs, and wants their schedules written again.)
func Worth(r *explore.Result) bool {
	assumed := func(why explore.Reason) bool { return why.Cause == explore.CauseAssumed }
	decided := r.Verdict == explore.OK ||
		r.Verdict == explore.Incomplete && !slices.ContainsFunc(r.Incomplete, func(why explore.Reason) bool { return !assumed(why) })
	wrong := func(b *bug.Bug) bool { return !b.Warning }
	return decided && !slices.ContainsFunc(r.Bugs, wrong) && r.SolverTrouble == "" && r.Stats.Checked == nil
}

// Verdict returns the result under key, if the host's answers have not changed; env are the
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

// Remember keeps r under key, if Worth(r), and reports whether it has.
func (s *Store) Remember(key string, r *explore.Result, host []vm.HostFact, env []string) bool {
	if !Worth(r) || slices.ContainsFunc(host, func(f vm.HostFact) bool { return !f.Holds(env) }) {
		return false
	}
	r = r.Exported()
	data, err := encode(&Verdict{r, host})
	if err != nil || len(data) > maxResult {
		return false
	}
	// A result that changes by encoding and decoding would be recalled as a different verdict.
	var back Verdict
	if decode(data, &back) != nil || !same(reflect.ValueOf(back.Result), reflect.ValueOf(r)) {
		return false
	}
	return s.put(key, data)
}

// Names returns the entries under key.
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
	s.grown.Store(true)
	return s.cache.PutBytes(action(key), data) == nil
}

// Bytes returns the data under key.
func (s *Store) Bytes(key string) ([]byte, bool) {
	data, _, err := s.cache.GetBytes(action(key))
	return data, err == nil
}

// PutBytes keeps data under key, if it can.
func (s *Store) PutBytes(key string, data []byte) { s.put(key, data) }

func action(key string) cache.ActionID { return sha256.Sum256([]byte(key)) }

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func decode(data []byte, v any) error { return gob.NewDecoder(bytes.NewReader(data)).Decode(v) }

// Close removes results that have not been used for days, and then the oldest, until the store is small
// enough.
func (s *Store) Close() {
	if !s.grown.Load() {
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

// Clean removes all results in dir, and nothing else, because the directory may have other files by mistake.
func Clean(dir string) error {
	var errs []error
	each(dir, func(name string, _ fs.FileInfo) { errs = append(errs, os.Remove(name)) })
	return errors.Join(errs...)
}
