package report

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
)

var numbers = regexp.MustCompile(`[0-9]+`)

// Fingerprint identifies a bug of an entry even after lines have moved: by its kind, its entry, the file,
// and its message without numbers.
func Fingerprint(paths Paths, pkg, entry string, b *bug.Bug) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{b.Kind.Code(), pkg, entry, filepath.ToSlash(paths.File(b.Pos.Filename)),
		numbers.ReplaceAllString(firstLine(Message(b)), "N")}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// A Baseline is a set of known findings: a file with a line for each, which begins with its
// fingerprint. The rest of the line is for people. Several searches may use it at the same time.
type Baseline struct {
	mu    sync.Mutex
	lines map[string]string // by fingerprint
	found map[string]bool
}

// NewBaseline returns an empty Baseline.
func NewBaseline() *Baseline {
	return &Baseline{lines: make(map[string]string), found: make(map[string]bool)}
}

// ReadBaseline reads a Baseline.
func ReadBaseline(r io.Reader) (*Baseline, error) {
	b := NewBaseline()
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, _, _ := strings.Cut(line, " ")
		if raw, err := hex.DecodeString(id); err != nil || len(raw) != 16 {
			return nil, fmt.Errorf("line %d: it does not begin with a fingerprint", n)
		}
		b.lines[id] = line
	}
	return b, lines.Err()
}

// Has reports whether the finding with that fingerprint is known, and records that it was found.
func (b *Baseline) Has(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := b.lines[id]
	b.found[id] = b.found[id] || ok
	return ok
}

// Unfound returns the lines of findings for which Has was never called.
func (b *Baseline) Unfound() (list []string) {
	for id, line := range b.lines {
		if !b.found[id] {
			list = append(list, line)
		}
	}
	slices.Sort(list)
	return list
}

// Add adds the bugs of a result that are not warnings.
func (b *Baseline) Add(paths Paths, r *explore.Result) {
	for _, bug := range r.Bugs {
		if !bug.Warning {
			id := Fingerprint(paths, r.Package, r.Entry, bug)
			b.lines[id] = fmt.Sprintf("%s %s %s.%s %s: %s", id, bug.Kind.Code(), r.Package, r.Entry,
				filepath.ToSlash(paths.File(bug.Pos.Filename)), Printable(firstLine(Message(bug))))
		}
	}
}

// Merge adds the findings of old that were found.
func (b *Baseline) Merge(old *Baseline) {
	for id, line := range old.lines {
		if old.found[id] {
			b.lines[id] = line
		}
	}
}

// Write writes b, in the order of entries.
func (b *Baseline) Write(w io.Writer) error {
	var list []string
	for _, line := range b.lines {
		list = append(list, line)
	}
	rest := func(line string) string { _, s, _ := strings.Cut(line, " "); return s }
	slices.SortFunc(list, func(x, y string) int { return cmp.Or(cmp.Compare(rest(x), rest(y)), cmp.Compare(x, y)) })
	_, err := fmt.Fprintf(w, "# Findings that hbcheck --baseline accepts.\n%s\n", strings.Join(list, "\n"))
	return err
}
