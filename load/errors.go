package load

import (
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"go/types"
	"go/version"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// parseError splits a message of the go command into position and text, if it
// begins with one.
func parseError(s string) Error {
	m := positionRx.FindStringSubmatch(s)
	if m == nil {
		return Error{Msg: s}
	}
	line, _ := strconv.Atoi(m[2])
	col, _ := strconv.Atoi(m[3]) // 0 if there is none
	return Error{token.Position{Filename: m[1], Line: line, Column: col}, m[4]}
}

var positionRx = regexp.MustCompile(`(?s)^([^\t\n:]+):([0-9]+)(?::([0-9]+))?: (.*)$`)

// position resolves pos and abbreviates its file name as the compiler does
// under the go command.
func (l *loader) position(pos token.Pos) token.Position {
	p := l.fset.Position(pos)
	p.Filename = l.compilerPath(p.Filename)
	return p
}

// compilerPath abbreviates a file name as go build does in the compiler's
// messages: files in the current directory begin with ./.
func (l *loader) compilerPath(name string) string {
	if filepath.Dir(name) == l.dir {
		return "./" + filepath.Base(name)
	}
	return shortPath(l.dir, name)
}

// syntaxErrors adds the syntax errors of p's files. The compiler has other words for syntax errors than
// go/parser, and reports other follow-up errors. So the compiler is run, which takes some milliseconds and
// needs only package p.
func (l *loader) syntaxErrors(p *Package, found []error) {
	if !p.Std && p.list.cgo == nil && len(l.cfg.Edits) == 0 { // the compiler has no package C, and reads no edits
		for line := range strings.Lines(l.compile(p)) {
			if e := parseError(strings.TrimSuffix(line, "\n")); e.Pos.IsValid() {
				e.Pos.Filename = l.compilerPath(e.Pos.Filename)
				p.errs = append(p.errs, e)
			}
		}
		if len(p.errs) > 0 {
			return
		}
	}
	for _, err := range found {
		list, ok := err.(scanner.ErrorList)
		if !ok {
			p.errs = append(p.errs, Error{Msg: err.Error()})
			continue
		}
		for _, e := range list {
			e.Pos.Filename = l.compilerPath(e.Pos.Filename)
			p.errs = append(p.errs, Error{Pos: e.Pos, Msg: e.Msg})
		}
	}
}

// compile returns the compiler's output for p's files, which have syntax errors. Its output goes to
// a directory of our own, because a compiler that fails removes its output file, even if that is a
// device.
func (l *loader) compile(p *Package) string {
	tmp, err := os.MkdirTemp("", "hbcheck-load-")
	if err != nil {
		return ""
	}
	defer os.RemoveAll(tmp)
	args := []string{"tool", "compile", "-e", "-p", p.Path, "-o", filepath.Join(tmp, "none.a")}
	for _, f := range p.files {
		args = append(args, f.name)
	}
	out, diag, _ := l.goCommand(args...)
	return string(out) + diag
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
	if versionRx.MatchString(e.Msg) {
		e.Msg += l.versionReason(p, te.Pos)
	}
	p.errs = append(p.errs, e)
}

// versionReason returns the compiler's text that says where the language version is from, for code
// at pos that is too new for this version.
func (l *loader) versionReason(p *Package, pos token.Pos) string {
	for _, f := range p.Files {
		if f.FileStart <= pos && pos <= f.FileEnd && f.GoVersion != "" {
			return fmt.Sprintf(" (file declares //go:build %s)", f.GoVersion)
		}
	}
	return fmt.Sprintf(" (-lang was set to %s; check go.mod)", version.Lang(p.GoVersion))
}

var versionRx = regexp.MustCompile(`requires go[0-9]+\.[0-9]+ or later`)

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
