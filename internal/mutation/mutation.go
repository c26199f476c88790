// Package mutation breaks the program in one place and checks whether a test notices. If no test notices the
// loss of a condition for soundness, the condition is either not needed or not tested.
//
// A mutant is a mark in the code, on a line of its own above the changed code:
//
//	//mutant: an example [micro joins]
//	if a.done && !a.repeating {
//
// After the name, in brackets, are the tests that must notice (see killers). The change comes
// after a colon; without one the statement that begins on the next line is left out.
//
//	: remove 2            two statements are left out
//	: true, false, not    the condition that begins there, or the value returned or assigned, is changed so
//	: drop 2              its second operand, of those that && and || join, is left out
//	: "old" -> "new"      text that begins on the next line is replaced (both as Go strings)
//
// One build has all mutants (Schemata), and the environment variable HBCHECK_MUTANT selects one.
// A Runner builds the tests and executes those that must notice.
package mutation

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A Mutant is the program with one change.
type Mutant struct {
	Name   string
	File   string // path in the module
	Line   int    // of the mark
	Killer string // the test that must notice, and its arguments: see killers
	Change string // the text after the colon
}

// String returns the place and the name of the mutant.
func (x *Mutant) String() string { return fmt.Sprintf("%s:%d: %s", x.File, x.Line, x.Name) }

var mark = regexp.MustCompile(`^\s*// ?mutant: (.+?) \[(.+?)\](?:: (.+))?$`)

// Find returns the mutants of the module in directory root, in the order of its files.
func Find(root string) ([]Mutant, error) {
	var list []Mutant
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || strings.HasPrefix(name, ".") && path != root {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || !strings.HasSuffix(path, ".go") || filepath.Dir(rel) == filepath.Join("internal", "mutation") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			line = strings.TrimSuffix(line, "\n")
			m := mark.FindStringSubmatch(line)
			switch {
			case m != nil:
				list = append(list, Mutant{Name: m[1], File: filepath.ToSlash(rel), Line: n, Killer: m[2], Change: m[3]})
			case isMark(line):
				return fmt.Errorf("%s:%d: want //mutant: name [tests], or with a colon and a change: %q", rel, n, line)
			}
		}
		return nil
	})
	return list, err
}

// isMark reports whether a line is a comment with a mark, which must begin the line. In the comment of a
// declaration gofmt puts a space before the word.
func isMark(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "//mutant:") || strings.HasPrefix(line, "//") && strings.Contains(line, " mutant: ")
}

// survivors is the file of the known survivors.
const survivors = "internal/mutation/testdata/survivors.txt"

// Survivors returns the mutants among list that no test notices, according to survivors.txt: its lines have
// a file and a name, and after # a remark. All of them have to be in list.
func Survivors(root string, list []Mutant) (map[string]bool, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(survivors)))
	if err != nil {
		return nil, err
	}
	names := make(map[string]string)
	for i := range list {
		names[list[i].File+": "+list[i].Name] = list[i].String()
	}
	known := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		x, ok := names[line]
		if !ok {
			return nil, fmt.Errorf("%s: there is no mutant %s", survivors, line)
		}
		known[x] = true
	}
	return known, nil
}
