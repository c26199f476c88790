package selection

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
)

// A Directive is a comment in the program that says how to explore a test:
//
//	//hbcheck:time virtual because tickers are not what this is about
//	func TestExpiry(t *testing.T) {
//
// What follows the value is the reason. One that accepts what otherwise were a bug needs one.
// In the doc comment of a test or main function it is about that one, before the package clause
// about all that are declared in the file. What it means is that of the flag with its name.
type Directive struct {
	Pos         token.Position
	Name, Value string
	Reason      string
	of          token.Position // the name of the function; without a line: the file
}

// String returns the comment.
func (d *Directive) String() string { return directivePrefix + d.Name + " " + d.Value }

const directivePrefix = "//hbcheck:"

// DirectiveNames are the directives there are besides explore.IgnoreDirective.
var DirectiveNames = []string{"time", "preempt", "timeout", "allow-leak"}

// accepting are those that accept what otherwise were a bug.
var accepting = []string{"allow-leak"}

// BadDirective is the error of a comment that begins like a directive.
type BadDirective struct {
	Pos       token.Position
	Directive string
	Why       DirectiveFault
}

// DirectiveFault is what is wrong with one.
type DirectiveFault uint8

// The faults.
const (
	UnknownDirective    DirectiveFault = iota
	MisplacedDirective                 // neither in the doc comment of an entry nor before the package clause
	UnreasonedDirective                // a reason is needed, and there is none
	SpacedDirective                    // with a space it is a sentence
)

func (e *BadDirective) Error() string { return fmt.Sprintf("%v: %s", e.Pos, e.Directive) }

// Directives are those of a program.
type Directives []*Directive

// DirectivesOf collects the directives in the packages that prog was loaded for. The error is a
// *BadDirective.
func DirectivesOf(prog *load.Program) (Directives, error) {
	entries := make(map[token.Position]bool)
	for _, e := range slices.Concat(prog.Entries, prog.Benchmarks) {
		entries[prog.Fset.Position(e.Pos)] = true
	}
	var list Directives
	seen := make(map[string]bool) // test variants share files
	for _, p := range prog.Packages {
		for _, f := range p.Files {
			name := prog.Fset.Position(f.Pos()).Filename
			if seen[name] {
				continue
			}
			seen[name] = true
			docs := make(map[*ast.CommentGroup]token.Position) // of entries
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil {
					if pos := prog.Fset.Position(fn.Name.Pos()); entries[pos] {
						docs[fn.Doc] = pos
					}
				}
			}
			for _, group := range f.Comments {
				of, isDoc := docs[group]
				for _, c := range group.List {
					text, ok := strings.CutPrefix(c.Text, directivePrefix)
					if name, spaced := strings.CutPrefix(c.Text, "// "+directivePrefix[2:]); spaced && (isDoc || c.Pos() < f.Package) {
						if name, _, _ = strings.Cut(name, " "); slices.Contains(DirectiveNames, name) {
							return nil, &BadDirective{position(prog, c.Pos()), directivePrefix + name, SpacedDirective}
						}
					}
					if !ok || strings.HasPrefix(c.Text, explore.IgnoreDirective) {
						continue
					}
					d := &Directive{Pos: position(prog, c.Pos())}
					d.Name, text, _ = strings.Cut(text, " ")
					d.Value, d.Reason, _ = strings.Cut(strings.TrimSpace(text), " ")
					d.Reason = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(d.Reason), "//"))
					if !slices.Contains(DirectiveNames, d.Name) {
						return nil, &BadDirective{d.Pos, directivePrefix + d.Name, UnknownDirective}
					}
					switch {
					case isDoc:
						d.of = of
					case c.Pos() < f.Package:
						d.of.Filename = d.Pos.Filename
					default:
						return nil, &BadDirective{d.Pos, directivePrefix + d.Name, MisplacedDirective}
					}
					if slices.Contains(accepting, d.Name) && d.Reason == "" {
						return nil, &BadDirective{d.Pos, directivePrefix + d.Name, UnreasonedDirective}
					}
					list = append(list, d)
				}
			}
		}
	}
	return list, nil
}

// For returns the directives about e, those of its file first.
func (list Directives) For(prog *load.Program, e *load.Entry) (about []*Directive) {
	pos := prog.Fset.Position(e.Pos)
	for _, d := range list {
		if d.of.Filename == pos.Filename && d.of.Line == 0 {
			about = append(about, d)
		}
	}
	for _, d := range list {
		if d.of == pos {
			about = append(about, d)
		}
	}
	if e.Beside != nil {
		about = append(about, list.For(prog, e.Beside)...)
	}
	return about
}

// position returns a position without its offset, by which positions are not compared.
func position(prog *load.Program, at token.Pos) token.Position {
	pos := prog.Fset.Position(at)
	pos.Offset = 0
	return pos
}
