// Package ignore has the comments with which a program accepts bugs and findings, each with a reason:
// //hbcheck:ignore. The codes are those of package bug, or of hbcheck analyze.
package ignore

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
)

// A Comment is a comment in the program that accepts a bug:
//
//	//hbcheck:ignore HB003 the logger runs as long as the process
//	go logger()
//
// It accepts bugs of that code on its own line and on the next. The reason is required. A bug is on
// a line if its position or one of its related positions is; the go statement is a related position
// of a leaked goroutine.
type Comment struct {
	Pos    token.Position
	Kind   bug.Kind
	Reason string
	Used   bool // the directive has accepted a bug
}

// Directive begins a comment that accepts a bug.
const Directive = "//hbcheck:ignore"

// Bad is the error for an ill-formed comment.
type Bad struct {
	Pos       token.Position
	Directive string
	Kind      bug.Kind // 0: the comment names no kind; otherwise the comment gives no reason
}

func (e *Bad) Error() string {
	return fmt.Sprintf("%v: %s: no code or no reason", e.Pos, e.Directive)
}

// Comments collects the comments in the packages that prog was loaded for. The
// error is a *Bad.
func Comments(prog *load.Program) ([]*Comment, error) {
	var list []*Comment
	err := each(prog, func(pos token.Position, code, reason string) error {
		kind := bug.KindOf(code)
		if isStatic(code) && reason != "" {
			return nil // Findings has it
		}
		if kind == 0 || reason == "" {
			return &Bad{pos, Directive, kind}
		}
		list = append(list, &Comment{Pos: pos, Kind: kind, Reason: reason})
		return nil
	})
	return list, err
}

// A Finding is a comment that accepts a finding of hbcheck analyze, on its own line and on the next.
type Finding struct {
	Pos    token.Position
	Code   string // HBA103
	Reason string
	Used   bool
}

// Accepts reports whether ig accepts a finding with that code and with a place at pos.
func (ig *Finding) Accepts(code string, pos token.Position) bool {
	return ig.Code == code && pos.Filename == ig.Pos.Filename && (pos.Line == ig.Pos.Line || pos.Line == ig.Pos.Line+1)
}

// isStatic reports whether code is a code of findings of hbcheck analyze.
func isStatic(code string) bool { return strings.HasPrefix(code, "HBA") }

// Findings is Comments for the codes of hbcheck analyze.
func Findings(prog *load.Program) ([]*Finding, error) {
	var list []*Finding
	err := each(prog, func(pos token.Position, code, reason string) error {
		switch {
		case !isStatic(code):
			return nil
		case reason == "":
			return &Bad{pos, Directive, bug.Leak} // there is a code, but no reason
		}
		list = append(list, &Finding{Pos: pos, Code: code, Reason: reason})
		return nil
	})
	return list, err
}

// each calls f for the comments that accept something.
func each(prog *load.Program, f func(pos token.Position, code, reason string) error) error {
	for file := range prog.SourceFiles() {
		for _, group := range file.Comments {
			for _, c := range group.List {
				rest, ok := strings.CutPrefix(c.Text, Directive)
				if !ok {
					// With a space it may be a sentence about the directive.
					rest, ok = strings.CutPrefix(c.Text, "// "+strings.TrimPrefix(Directive, "//"))
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
	return nil
}

// Accepts reports whether ig accepts b.
func (ig *Comment) Accepts(b *bug.Bug) bool {
	at := func(p token.Position) bool {
		return p.Filename == ig.Pos.Filename && (p.Line == ig.Pos.Line || p.Line == ig.Pos.Line+1)
	}
	// The other goroutines on the chain of a leak are leaks of their own.
	related := func(r describe.Related) bool {
		return at(r.Pos) && (b.Kind != bug.Leak || r.Role == describe.RoleStarted)
	}
	return b.Kind == ig.Kind && (at(b.Pos) || slices.ContainsFunc(b.Related, related))
}
