package load

import (
	"cmp"
	"go/scanner"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// An Error is one complaint about the sources or the request, in the go
// command's own words.
type Error struct {
	Pos token.Position // with a relative file name; invalid if there is none
	Msg string         // may have further lines
}

// Error returns the line or lines the go command prints: file:line:col: message.
func (e Error) Error() string {
	if !e.Pos.IsValid() && e.Pos.Filename == "" {
		return e.Msg
	}
	return e.Pos.String() + ": " + e.Msg
}

// Errors are all errors of a load, one per line, in the order of packages and
// of positions within each package. It is never empty.
type Errors []Error

// Error returns all errors, each on its own line.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the single errors.
func (es Errors) Unwrap() []error {
	errs := make([]error, len(es))
	for i, e := range es {
		errs[i] = e
	}
	return errs
}

// shortPath returns path relative to dir if that is shorter, as the go command
// abbreviates paths in messages.
func shortPath(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

// position resolves pos and abbreviates its file name.
func (l *loader) position(pos token.Pos) token.Position {
	p := l.fset.Position(pos)
	p.Filename = shortPath(l.dir, p.Filename)
	return p
}

// syntaxErrors adds the errors of a parse of one of p's files.
func (l *loader) syntaxErrors(p *Package, err error) {
	list, ok := err.(scanner.ErrorList)
	if !ok {
		p.errs = append(p.errs, Error{Msg: err.Error()})
		return
	}
	for _, e := range list {
		e.Pos.Filename = shortPath(l.dir, e.Pos.Filename)
		p.errs = append(p.errs, Error{Pos: e.Pos, Msg: e.Msg})
	}
}

// typeError adds an error of go/types to p. Follow-up errors, which go/types
// marks with a leading tab, become further lines of the error they explain.
func (l *loader) typeError(p *Package, err error) {
	te, ok := err.(types.Error)
	if !ok {
		p.errs = append(p.errs, Error{Msg: err.Error()})
		return
	}
	e := Error{Pos: l.position(te.Pos), Msg: te.Msg}
	if n := len(p.errs); n > 0 && strings.HasPrefix(e.Msg, "\t") {
		p.errs[n-1].Msg += "\n\t" + e.Pos.String() + ": " + strings.TrimSpace(e.Msg)
		return
	}
	p.errs = append(p.errs, e)
}

// collect gathers the errors of pkgs. Within a package they are sorted by
// position; an error two sources report alike, or two variants of one package,
// is kept once.
func collect(pkgs []*Package) error {
	var all Errors
	seen := make(map[string]bool)
	for _, p := range pkgs {
		slices.SortStableFunc(p.errs, func(a, b Error) int {
			return cmp.Or(
				cmp.Compare(a.Pos.Filename, b.Pos.Filename),
				cmp.Compare(a.Pos.Line, b.Pos.Line),
				cmp.Compare(a.Pos.Column, b.Pos.Column))
		})
		for _, e := range p.errs {
			if s := e.Error(); !seen[s] {
				seen[s] = true
				all = append(all, e)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}
