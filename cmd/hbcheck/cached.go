package main

import (
	"crypto/sha256"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/verdicts"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

// A verdictCache has the cached results of earlier runs (package verdicts) for the packages of this run. A
// nil one caches nothing.
type verdictCache struct {
	store    *verdicts.Store
	listing  *load.Listing
	base     string // hash of hbcheck itself and the flags
	patterns []string
	env      []string // variables of --env

	mu       sync.Mutex // guards hosts, which all machines use
	hosts    map[*load.Entry]*vm.HostLog
	packages map[string]string // fingerprints, by path; "" if there is none
	names    []verdicts.Name   // names of the remembered results of this run
}

// neutralFlags are the flags that make no difference to cached results. (Bounds on the time make no
// difference, because a cached result is complete.)
var neutralFlags = []string{"output", "format", "json", "verbose", "jobs", "parallel", "chdir", "color", "save", "save-every", "resume", "budget", "timeout", "since", "scale", "cluster", "ack-wait"}

// uncachedFlags are the flags for which a cached result does not suffice.
var uncachedFlags = []string{"count", "trace-search", "dot", "explain", "check-static", "check-duplicates", "write-corpus",
	"cover", "coverprofile", "baseline", "write-baseline"}

// remember returns the cache for the packages of listing; nil if the user wants none or it cannot be
// opened.
func (f *exploreFlags) remember(cmd *cobra.Command, listing *load.Listing, patterns []string) *verdictCache {
	dir, ok := verdicts.Dir()
	if !ok || slices.ContainsFunc(uncachedFlags, cmd.Flags().Changed) {
		return nil
	}
	self, err := ownHash()
	if err != nil {
		return nil
	}
	store, err := verdicts.Open(dir)
	if err != nil {
		return nil // ignore a cache that cannot be written
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %q %q %v\n", self, f.args, f.input, f.jobs > 1) // the counts with several workers may differ from those with one
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(neutralFlags, f.Name) {
			fmt.Fprintf(h, "%s %q\n", f.Name, f.Value.String())
		}
	})
	return &verdictCache{store: store, listing: listing, patterns: patterns, env: f.env, base: fmt.Sprintf("%x", h.Sum(nil)),
		hosts: make(map[*load.Entry]*vm.HostLog), packages: make(map[string]string)}
}

// ownHash returns a hash of this program: that of the go command, if the binary contains it, because
// reading all of the binary takes longer than loading a small test.
var ownHash = sync.OnceValues(func() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if id, ok := goBuildID(f); ok {
		return id, nil
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%x", h.Sum(nil)), err
})

// goBuildID returns the build ID that the go command writes into an ELF file. Its last part is a hash of
// the file. A build ID that -ldflags=-buildid sets is refused.
func goBuildID(f *os.File) (string, bool) {
	x, err := elf.NewFile(f)
	if err != nil {
		return "", false
	}
	note := x.Section(".note.go.buildid")
	if note == nil {
		return "", false
	}
	data, err := note.Data()
	if err != nil || len(data) < 16 {
		return "", false
	}
	id := strings.TrimRight(string(data[16:]), "\x00")
	//mutant: a build ID of the user's stands for the program [test ./cmd/hbcheck TestBuildID]: "!goID.MatchString(id)" -> "false"
	if !goID.MatchString(id) {
		return "", false
	}
	info, err := f.Stat()
	return fmt.Sprintf("%s %d", id, info.Size()), err == nil
}

var goID = regexp.MustCompile(`^[\w-]{20}(/[\w-]{20}){3}$`)

// host returns the log of the facts that machines of e learn about the host.
func (m *verdictCache) host(e *load.Entry) *vm.HostLog {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hosts[e] == nil {
		m.hosts[e] = new(vm.HostLog)
	}
	return m.hosts[e]
}

// key returns the key of an entry; "" if the files of its package cannot be read.
func (m *verdictCache) key(n verdicts.Name) string {
	sum, known := m.packages[n.Package]
	if !known {
		if slices.Contains(m.listing.Packages(), n.Package) {
			sum, _ = m.listing.Fingerprint(n.Package)
		}
		m.packages[n.Package] = sum
	}
	if sum == "" {
		return ""
	}
	return strings.Join([]string{"entry", m.base, sum, n.Entry}, "\n")
}

// runKey is the key of the list of entries: it depends on all packages, and on their order.
func (m *verdictCache) runKey() string {
	parts := []string{"run", m.base, fmt.Sprintf("%q", m.patterns)}
	for _, path := range m.listing.Packages() {
		if m.key(verdicts.Name{Package: path}) == "" {
			return ""
		}
		parts = append(parts, path, m.packages[path])
	}
	return strings.Join(parts, "\n")
}

// recall returns the cached result of an entry, if there is one.
func (m *verdictCache) recall(n verdicts.Name) (*explore.Result, bool) {
	if m == nil {
		return nil, false
	}
	key := m.key(n)
	if key == "" {
		return nil, false
	}
	return m.store.Verdict(key, environ("", m.env))
}

// took records that the cached result of n is printed. Results are recalled in parallel, in any order; the
// cached run has the order in which they are printed.
func (m *verdictCache) took(n verdicts.Name) { m.names = append(m.names, n) }

// keep caches the result of e.
func (m *verdictCache) keep(e *explore.Entry, r *explore.Result) {
	if m == nil {
		return
	}
	n := verdicts.Name{Package: e.Package, Entry: e.Name}
	key := m.key(n)
	if key != "" && m.store.Remember(key, r, m.host(e.Source).Facts(), environ("", m.env)) {
		m.names = append(m.names, n)
	}
}

// close caches the list of the entries of this run, if the run printed only their results.
func (m *verdictCache) close(all bool) {
	if m == nil {
		return
	}
	if key := m.runKey(); all && key != "" {
		m.store.RememberNames(key, m.names)
	}
	m.store.Close()
}

// remembered returns the number of results that were cached.
func (m *verdictCache) remembered() int {
	if m == nil {
		return 0
	}
	return len(m.names)
}

// recallRun writes the results of all entries if all are cached, or only their number if the reader has
// seen them. Then nothing needs to be loaded.
func (m *verdictCache) recallRun(f *exploreFlags, seen bool, told io.Writer, writer func(entries int) report.Writer) (code int, ok bool, err error) {
	key := m.runKey()
	if key == "" {
		return 0, false, nil
	}
	names, ok := m.store.Names(key)
	if !ok {
		return 0, false, nil
	}
	var results []*explore.Result
	for _, n := range names {
		r, ok := m.recall(n)
		if !ok {
			return 0, false, nil
		}
		results = append(results, r)
	}
	m.names = names
	code = exitOK
	if seen {
		fmt.Fprintf(told, "%d entries explored before: no bug\n", len(results))
		return code, true, nil
	}
	w := writer(len(results))
	for _, r := range results {
		//mutant: assumptions of cached runs are not accepted [test ./cmd/hbcheck TestCachedSame]: remove
		f.accept(r)
		if err := w.Result(r, nil); err != nil {
			return 0, false, err
		}
		code = f.worse(code, r)
	}
	return code, true, w.Close()
}
