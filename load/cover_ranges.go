package load

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"slices"
)

// From Go 1.27 on, go tool cover gives several counters to a block that has lines without code. Each counter
// is for a range of lines, and for as many statements as the whole block has.

// A codeRange is a part of a block without lines that hold nothing but comments or blanks.
type codeRange struct {
	start, end token.Pos
	from, to   int // its statements: those with indices from from up to to, without to
}

// ranges returns the ranges of the block from pos to end with the given statements. There is at least
// one, and the first begins with the first of the statements.
func (c *blockCounter) ranges(pos, end token.Pos, stmts []ast.Stmt) []codeRange {
	if c.minor < 27 {
		return []codeRange{{pos, end, 0, len(stmts)}}
	}
	var list []codeRange
	for i, r := range c.codeRanges(pos, end) {
		from, _ := slices.BinarySearchFunc(stmts, r.start, func(s ast.Stmt, pos token.Pos) int { return int(s.Pos() - pos) })
		switch {
		case i == 0:
			list = append(list, r)
		case from > 0 && r.start < stmts[from-1].End(): // the block begins within a statement
			list[len(list)-1].end = r.end
		default:
			list[len(list)-1].to = from
			r.from = from
			list = append(list, r)
		}
	}
	list[len(list)-1].to = len(stmts)
	return list
}

// codeRanges returns the ranges of lines between two positions on which there is code: tokens other
// than braces and line ends. Without code it returns an empty range. It follows the method of the same
// name of cmd/cover's File.
func (c *blockCounter) codeRanges(start, end token.Pos) []codeRange {
	file := c.fset.File(start)
	first := file.Offset(start)
	src := c.src[first:file.Offset(end)]
	lines := token.NewFileSet().AddFile("", -1, len(src))
	at := func(offset int) token.Pos { return file.Pos(first + offset) }
	after := func(line int) token.Pos { return at(lines.Offset(lines.LineStart(line + 1))) }
	var s scanner.Scanner
	s.Init(lines, src, nil, 0)
	var list []codeRange
	last := 0 // line of the last code
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.LBRACE || tok == token.RBRACE || tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		line := lines.PositionFor(pos, false).Line
		switch {
		case last == 0:
			list = append(list, codeRange{start: at(lines.Offset(pos))})
		case line > last+1:
			list[len(list)-1].end = after(last)
			list = append(list, codeRange{start: at(lines.Offset(pos))})
		}
		if tok == token.STRING { // the only token of several lines
			line = lines.PositionFor(pos+token.Pos(len(lit)), false).Line
		}
		last = max(last, line)
	}
	if len(list) == 0 {
		return []codeRange{{start: start, end: start}}
	}
	if list[len(list)-1].end = end; last < lines.LineCount() {
		list[len(list)-1].end = after(last)
	}
	return list
}
