package debug

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"
)

// A Breakpoint is a line, or the beginning of a function, at which Continue and all other commands that go
// forward stop.
type Breakpoint struct {
	ID        int
	File      string // name of the file, or the end of its name
	Line      int
	Func      string // instead of File and Line: the name of a function in stacks, or its end
	Goroutine string // only in the goroutine of that name; empty: in all goroutines
	Cond      string // only if this path, or comparison, is true; empty: always
	// Err is set at a stop if Cond cannot be evaluated.
	Err error
}

// AddBreak adds a breakpoint and returns its number. It refuses breakpoints that cannot be hit.
func (s *Session) AddBreak(b Breakpoint) (Breakpoint, error) {
	if b.Cond != "" {
		if _, err := parsePath(b.Cond); err != nil {
			return b, err
		}
	}
	if b.Func == "" {
		file, line := s.statement(b.File, b.Line)
		switch {
		case file == "":
			return b, fmt.Errorf("no file of the program is %s", b.File)
		case line == 0:
			return b, fmt.Errorf("%s has no statement in line %d or after it", filepath.Base(file), b.Line)
		}
		b.File, b.Line = file, line
	}
	s.lastBreak++
	b.ID = s.lastBreak
	s.breaks = append(s.breaks, b)
	return b, nil
}

// RemoveBreaks removes the breakpoints for which the function which is true, and returns their
// number.
func (s *Session) RemoveBreaks(which func(*Breakpoint) bool) int {
	kept, n := s.breaks[:0:0], len(s.breaks)
	for i := range s.breaks {
		if !which(&s.breaks[i]) {
			kept = append(kept, s.breaks[i])
		}
	}
	s.breaks = kept
	return n - len(kept)
}

// Breaks returns the breakpoints.
func (s *Session) Breaks() []Breakpoint { return s.breaks }

// BreakAtBug says whether to stop where a test reports its first failure. The end of a schedule, where all
// other bugs appear, is always a stop.
func (s *Session) BreakAtBug(on bool) { s.atBug = on }

// statement returns the file of the program whose name ends with file, and the first line from line on in
// which a statement begins, or a function ends.
func (s *Session) statement(file string, line int) (name string, found int) {
	fset := s.cfg.Prog.Fset
	for _, p := range s.cfg.Prog.All {
		if p.Std && !p.UnderTest {
			continue
		}
		for _, f := range p.Files {
			is := fset.Position(f.Pos()).Filename
			if !named(is, file) || name != "" && len(is) >= len(name) {
				continue
			}
			name, found = is, 0
			ast.Inspect(f, func(n ast.Node) bool {
				pos := ast.Node.Pos
				switch n.(type) {
				case *ast.BlockStmt:
					pos = func(n ast.Node) token.Pos { return n.End() - 1 }
				case ast.Stmt, *ast.CallExpr, *ast.BinaryExpr, *ast.FuncDecl:
				default:
					return true
				}
				if at := fset.Position(pos(n)).Line; at >= line && (found == 0 || at < found) {
					found = at
				}
				return true
			})
		}
	}
	return name, found
}

// named reports whether text, the name of a file or the end of one, means this file.
func named(file, text string) bool {
	file, text = filepath.ToSlash(file), filepath.ToSlash(text)
	if drive := filepath.VolumeName(text); drive != "" && strings.EqualFold(drive, filepath.VolumeName(file)) {
		file, text = file[len(drive):], text[len(drive):] // editors write c: for C:
	}
	return file == text || text != "" && strings.HasSuffix(file, "/"+strings.TrimPrefix(text, "./"))
}

// called reports whether text is a name of the function fn: pkg.(*T).M by itself, (*T).M, T.M or M.
func called(fn, text string) bool {
	plain := strings.NewReplacer("(*", "", ")", "")
	for _, name := range []string{fn, plain.Replace(fn)} {
		if name == text || strings.HasSuffix(name, "."+text) || strings.HasSuffix(name, "/"+text) {
			return true
		}
	}
	return false
}

// hit returns the breakpoint at which a visit stops.
func (s *Session) hit(v *visit) Stop {
	if !v.starts || !v.user {
		return Stop{}
	}
	for i := range s.breaks {
		b := &s.breaks[i]
		switch {
		case b.Func != "" && (!v.entered || !called(v.fn, b.Func)):
		case b.Func == "" && (!named(v.file, b.File) || v.nearest(b.Line) != int(v.line)):
		case b.Goroutine != "" && b.Goroutine != s.Name(v.G):
		default:
			if b.Err = nil; b.Cond != "" {
				var holds bool
				if holds, b.Err = s.condition(v, b.Cond); b.Err == nil && !holds {
					continue
				}
			}
			return Stop{Break, b}
		}
	}
	return Stop{}
}

// hitBetween reports whether a test has reported its first failure in the step executed last.
func (s *Session) hitBetween() Stop {
	if i := s.at.Step - 1; s.atBug && i >= 0 && s.moves[i].ev.Fails {
		return Stop{Reason: AtBug}
	}
	return Stop{}
}

// condition evaluates a condition where a visit is.
func (s *Session) condition(v *visit, text string) (bool, error) {
	for _, f := range s.Frames(v.G) {
		if f.At == v.Point {
			x, err := s.Eval(&f, text)
			if err != nil {
				return false, err
			}
			return x.truth()
		}
	}
	return false, fmt.Errorf("there is no such frame")
}
