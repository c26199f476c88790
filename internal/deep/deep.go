// Package deep decides the sizes of tests.
//
// There are three sizes. Quick is the size of plain go test: every kind of test, few generated programs,
// fixed seeds. Full has ten times as many; mutants are tried at that size. Deep, of .ci/deep, has three
// times as many as full, with fresh seeds, and every mutant. The environment variable HBCHECK_TESTS names
// the size and HBCHECK_SEED the first seed, so that go test caches results by these variables.
//
// The flags -programs and -seed of a test binary come before both: they repeat one program, or
// generate very many. For very many programs, -part leaves out most of the searches with which each
// program is compared.
package deep

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Tests allocate much and keep little: with the default a quarter of their processor time is the
// collector's.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

var (
	programs  = flag.Int("programs", 0, "how many programs each test generates; 0: as many as its size says")
	part      = flag.Uint64("part", 1, "compare each program with one in `n` of its searches, another part for each program")
	firstSeed = flag.Uint64("seed", 0, "the seed of the first generated program; 0: HBCHECK_SEED, or 1")
)

// The sizes, by their names in HBCHECK_TESTS.
const (
	quick = iota
	full
	deep
)

var size = sync.OnceValue(func() int {
	switch s := os.Getenv("HBCHECK_TESTS"); s {
	case "", "quick":
		return quick
	case "full":
		return full
	case "deep":
		return deep
	default:
		panic(fmt.Sprintf("HBCHECK_TESTS=%s: want quick, full or deep", s))
	}
})

// Quick reports whether this is the quick tier, in which tests omit parts that take seconds.
func Quick() bool { return size() == quick }

// On reports whether this is the deep tier.
func On() bool { return size() == deep }

// Skip skips a test that is not of the quick tier.
func Skip(t testing.TB, why string) {
	t.Helper()
	if Quick() {
		t.Skip(why + ": HBCHECK_TESTS=full")
	}
}

// N returns the number of programs that a test generates: q in the quick tier, n in the full one.
func N(q, n int) int {
	switch {
	case *programs > 0:
		return *programs
	case size() == quick:
		return q
	case size() == full:
		return n
	}
	return 3 * n
}

// Pick returns q in the quick tier and n in the others. It is for bounds, which programs share.
func Pick[T any](q, n T) T {
	if Quick() {
		return q
	}
	return n
}

// Compared reports whether a test compares the program of that seed with its search number k.
func Compared(seed uint64, k int) bool { return (seed+uint64(k))%uint64(Part()) == 0 }

// Part returns n if tests compare each program with one in n of their searches.
func Part() int { return int(max(1, *part)) }

// Counted reports whether -programs gives the number of programs. A test then does not require that every
// kind has occurred.
func Counted() bool { return *programs > 0 }

// Seed returns the seed of the first generated program.
func Seed() uint64 {
	if *firstSeed != 0 {
		return *firstSeed
	}
	if s := os.Getenv("HBCHECK_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 63)
		if err != nil {
			panic(fmt.Sprintf("HBCHECK_SEED=%s: %v", s, err))
		}
		return n
	}
	return 1
}

// Seeds returns the seeds of the programs that a test generates: those with which it has failed once,
// which testdata/seeds.txt lists, and N(q, n) from Seed on.
func Seeds(t testing.TB, q, n int) []uint64 {
	t.Helper()
	var list []uint64
	if *programs == 0 && *firstSeed == 0 {
		for _, f := range Failed(t) {
			list = append(list, f.Seed)
		}
	}
	first := Seed()
	for i := range uint64(N(q, n)) {
		list = append(list, first+i)
	}
	return list
}

// A Failure is a program with which a test has failed once. Features are the features of the generator, if a
// test uses several: the number after the colon.
type Failure struct{ Seed, Features uint64 }

// Failed returns the programs with which the test has failed once.
func Failed(t testing.TB) []Failure {
	t.Helper()
	all, err := failed()
	if err != nil {
		t.Fatal(err)
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	return all[packageDir()+" "+test]
}

// failed reads testdata/seeds.txt: the programs by package and test.
var failed = sync.OnceValues(func() (map[string][]Failure, error) {
	f, err := os.Open(filepath.Join(root(), "testdata", "seeds.txt"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := make(map[string][]Failure)
	for lines := bufio.NewScanner(f); ; {
		if !lines.Scan() {
			return all, lines.Err()
		}
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if len(words) < 3 {
			return nil, fmt.Errorf("%s: want a package, a test and its seeds: %q", f.Name(), lines.Text())
		}
		key := words[0] + " " + words[1]
		for _, w := range words[2:] {
			var x Failure
			var errs [2]error
			seed, features, given := strings.Cut(w, ":")
			x.Seed, errs[0] = strconv.ParseUint(seed, 10, 64)
			if given {
				x.Features, errs[1] = strconv.ParseUint(features, 10, 64)
			}
			if err := errors.Join(errs[:]...); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name(), err)
			}
			all[key] = append(all[key], x)
		}
	}
})

// wd is the tested package's directory, in which go test starts the binary.
var wd, _ = os.Getwd()

// packageDir returns that directory's path in the module.
func packageDir() string {
	rel, err := filepath.Rel(root(), wd)
	if err != nil {
		panic(err)
	}
	return filepath.ToSlash(rel)
}

// root returns the module's directory.
func root() string {
	for dir := wd; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			panic("deep: no go.mod above " + wd)
		}
	}
}

// Every reports whether case i of a table is tested: in the quick tier each q-th one.
func Every(q, i int) bool { return !Quick() || i%q == 0 }
