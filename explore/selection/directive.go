package selection

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/ignore"
	"hbcheck.dev/hbcheck/load"
)

// A Directive is a comment in the program that says how to explore a test:
//
//	//hbcheck:time virtual because tickers are not what this is about
//	func TestExpiry(t *testing.T) {
//
// The text after the value is the reason. A directive that accepts bugs needs one. In the doc
// comment of a test or main function the directive holds for that function; before the package
// clause it holds for all entries declared in the file. It has the meaning of the flag with its
// name.
type Directive struct {
	Pos         token.Position
	Name, Value string
	Reason      string
	of          token.Position // position of the function's name; without a line: the file
}

// String returns the comment.
func (d *Directive) String() string { return directivePrefix + d.Name + " " + d.Value }

const directivePrefix = "//hbcheck:"

// DirectiveNames are the directives besides ignore.Directive.
var DirectiveNames = []string{"time", "preempt", "timeout", "allow-leak", "scale"}

// accepting are the directives that accept bugs.
var accepting = []string{"allow-leak"}

// BadDirective is the error for an ill-formed directive.
type BadDirective struct {
	Pos       token.Position
	Directive string
	Why       DirectiveFault
}

// DirectiveFault is the fault of an ill-formed directive.
type DirectiveFault uint8

// The faults.
const (
	UnknownDirective    DirectiveFault = iota
	MisplacedDirective                 // neither in the doc comment of an entry nor before the package clause
	UnreasonedDirective                // a reason is required and missing
	SpacedDirective                    // a space after the slashes makes it an ordinary comment
)

func (e *BadDirective) Error() string { return fmt.Sprintf("%v: %s", e.Pos, e.Directive) }

// Directives are the directives of a program.
type Directives []*Directive

// DirectivesOf collects the directives in the packages that prog was loaded for. The error is a
// *BadDirective.
func DirectivesOf(prog *load.Program) (Directives, error) {
	entries := make(map[token.Position]bool)
	for _, e := range slices.Concat(prog.Entries, prog.Benchmarks) {
		entries[prog.Fset.Position(e.Pos)] = true
	}
	var list Directives
	for f := range prog.SourceFiles() {
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
				if !ok || strings.HasPrefix(c.Text, ignore.Directive) {
					continue
				}
				d := &Directive{Pos: position(prog, c.Pos())}
				d.Name, text, _ = strings.Cut(text, " ")
				d.Value, d.Reason, _ = strings.Cut(strings.TrimSpace(text), " ")
				for d.Name == "scale" { // its value is several words
					word, rest, _ := strings.Cut(strings.TrimSpace(d.Reason), " ")
					if !strings.Contains(word, "=") {
						break
					}
					d.Value, d.Reason = d.Value+","+word, rest
				}
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
	return list, nil
}

// For returns the directives for e, those for its whole file first.
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

// position returns a position without its offset, because comparisons ignore offsets.
func position(prog *load.Program, at token.Pos) token.Position {
	pos := prog.Fset.Position(at)
	pos.Offset = 0
	return pos
}
