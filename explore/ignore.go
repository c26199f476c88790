package explore

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
)

// An Ignore is a comment in the program that accepts a bug:
//
//	//hbcheck:ignore HB003 the logger runs as long as the process
//	go logger()
//
// It accepts bugs of that code on its own line and on the next. The reason is required. A bug is on
// a line if its position or one of its related positions is; the go statement is a related position
// of a leaked goroutine.
type Ignore struct {
	Pos    token.Position
	Kind   bug.Kind
	Reason string
	Used   bool // it has accepted a bug
}

// IgnoreDirective begins a comment that accepts a bug.
const IgnoreDirective = "//hbcheck:ignore"

// BadIgnore is the error for an ill-formed comment.
type BadIgnore struct {
	Pos       token.Position
	Directive string
	Kind      bug.Kind // 0: the comment names no kind; otherwise it gives no reason
}

func (e *BadIgnore) Error() string {
	return fmt.Sprintf("%v: %s: no code or no reason", e.Pos, e.Directive)
}

// Ignores collects the comments in the packages that prog was loaded for. The
// error is a *BadIgnore.
func Ignores(prog *load.Program) ([]*Ignore, error) {
	var list []*Ignore
	err := eachIgnore(prog, func(pos token.Position, code, reason string) error {
		kind := bug.KindOf(code)
		if isStatic(code) && reason != "" {
			return nil // FindingIgnores has it
		}
		if kind == 0 || reason == "" {
			return &BadIgnore{pos, IgnoreDirective, kind}
		}
		list = append(list, &Ignore{Pos: pos, Kind: kind, Reason: reason})
		return nil
	})
	return list, err
}

// A FindingIgnore is a comment that accepts a finding of hbcheck analyze, on its own line and on the next.
type FindingIgnore struct {
	Pos    token.Position
	Code   string // HBA103
	Reason string
	Used   bool
}

// Accepts reports whether ig accepts a finding with that code and with a place at pos.
func (ig *FindingIgnore) Accepts(code string, pos token.Position) bool {
	return ig.Code == code && pos.Filename == ig.Pos.Filename && (pos.Line == ig.Pos.Line || pos.Line == ig.Pos.Line+1)
}

// isStatic reports whether code is one of findings of hbcheck analyze.
func isStatic(code string) bool { return strings.HasPrefix(code, "HBA") }

// FindingIgnores is Ignores for the codes of hbcheck analyze.
func FindingIgnores(prog *load.Program) ([]*FindingIgnore, error) {
	var list []*FindingIgnore
	err := eachIgnore(prog, func(pos token.Position, code, reason string) error {
		switch {
		case !isStatic(code):
			return nil
		case reason == "":
			return &BadIgnore{pos, IgnoreDirective, bug.Leak} // there is a code, but no reason
		}
		list = append(list, &FindingIgnore{Pos: pos, Code: code, Reason: reason})
		return nil
	})
	return list, err
}

// eachIgnore calls f for the comments that accept something.
func eachIgnore(prog *load.Program, f func(pos token.Position, code, reason string) error) error {
	seen := make(map[string]bool) // test variants share files
	for _, p := range prog.Packages {
		for _, file := range p.Files {
			name := prog.Fset.Position(file.Pos()).Filename
			if seen[name] {
				continue
			}
			seen[name] = true
			for _, group := range file.Comments {
				for _, c := range group.List {
					rest, ok := strings.CutPrefix(c.Text, IgnoreDirective)
					if !ok {
						// With a space it may be a sentence about the directive.
						rest, ok = strings.CutPrefix(c.Text, "// "+strings.TrimPrefix(IgnoreDirective, "//"))
						if code, _, _ := strings.Cut(strings.TrimSpace(rest), " "); !ok || bug.KindOf(code) == 0 && !isStatic(code) {
							continue
						}
					}
					pos := describe.Plain(prog.Fset.Position(c.Pos()))
					code, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
					if err := f(pos, code, strings.TrimSpace(reason)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// accepts reports whether ig accepts b.
func (ig *Ignore) accepts(b *bug.Bug) bool {
	at := func(p token.Position) bool {
		return p.Filename == ig.Pos.Filename && (p.Line == ig.Pos.Line || p.Line == ig.Pos.Line+1)
	}
	// The other goroutines on the chain of a leak are leaks of their own.
	related := func(r describe.Related) bool {
		return at(r.Pos) && (b.Kind != bug.Leak || r.Role == describe.RoleStarted)
	}
	return b.Kind == ig.Kind && (at(b.Pos) || slices.ContainsFunc(b.Related, related))
}
