package main

import (
	"crypto/sha256"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"slices"
	"strings"
)

// reviewedFile is the path in the module of the file with the reviewed declarations.
const reviewedFile = "internal/cmd/drift/reviewed"

// reviewed are hashes of the sources that have been reviewed, by the name of the declaration.
type reviewed map[string][]string

// readReviewed reads the file. Each of its lines has a name and hashes.
func readReviewed(file string) (reviewed, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := make(reviewed)
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) > 1 {
			r[fields[0]] = fields[1:]
		}
	}
	return r, nil
}

// hash returns the hash of a source, "none" for a declaration that a release does not have.
func hash(source string) string {
	if source == "" {
		return "none"
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(tokens(source))))[:10]
}

// tokens returns the tokens of a source, so that it does not matter which release of go/printer has
// printed it.
func tokens(source string) string {
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile("", fset.Base(), len(source)), []byte(source), nil, 0)
	var b strings.Builder
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return b.String()
		case tok == token.SEMICOLON: // the end of a line, mostly
		case tok == token.COMMA: // before the end of a line, perhaps
		default:
			b.WriteString(tok.String() + " " + lit + "\n")
		}
	}
}

// has reports whether a source of the declaration has been reviewed.
func (r reviewed) has(name, source string) bool { return slices.Contains(r[name], hash(source)) }

// add notes all sources of a release.
func (r reviewed) add(sources map[string]string) {
	for name, source := range sources {
		if !r.has(name, source) {
			r[name] = append(r[name], hash(source))
		}
	}
}

// addMissing notes the declarations that a release does not have.
func (r reviewed) addMissing(sources map[string]string) {
	for name := range r {
		if sources[name] == "" && !r.has(name, "") {
			r[name] = append(r[name], hash(""))
		}
	}
}

// write writes the file.
func (r reviewed) write(file string) error {
	var b strings.Builder
	for _, name := range names(r, nil) {
		hashes := slices.Clone(r[name])
		slices.Sort(hashes)
		fmt.Fprintln(&b, name, strings.Join(hashes, " "))
	}
	return os.WriteFile(file, []byte(b.String()), 0o666)
}

// names returns the keys of two maps in order.
func names[V any](a, b map[string]V) []string {
	var list []string
	for name := range a {
		list = append(list, name)
	}
	for name := range b {
		list = append(list, name)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
