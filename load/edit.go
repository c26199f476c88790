package load

import (
	"bytes"
	"fmt"
	"go/constant"
	"go/token"
	"strings"
)

// An Edit replaces some text of a file, in the program only: the file does not change. A text that is
// shorter is followed by spaces, so that all positions stay the same.
type Edit struct {
	Pos      token.Position // of the text, by line and column; //line comments do not count
	From, To string
}

// Number returns the value of a literal that is a whole number: 100, 1_000, 1e3, 2.0.
func Number(literal string) (int64, bool) {
	for _, kind := range []token.Token{token.INT, token.FLOAT} {
		if v := constant.MakeFromLiteral(literal, kind, 0); v.Kind() != constant.Unknown {
			if v = constant.ToInt(v); v.Kind() == constant.Int {
				return constant.Int64Val(v)
			}
		}
	}
	return 0, false
}

// A WrongEdit is the error for an Edit whose text is not in the file.
type WrongEdit struct{ Edit }

func (e *WrongEdit) Error() string {
	return fmt.Sprintf("%s:%d:%d: there is no %s", e.Pos.Filename, e.Pos.Line, e.Pos.Column, e.From)
}

// Edited returns src, the contents of the named file, with the edits of that file. They do not overlap.
func Edited(edits []Edit, name string, src []byte) ([]byte, error) {
	type change struct {
		at   int
		edit Edit
	}
	var changes []change
	for _, e := range edits {
		if e.Pos.Filename != name {
			continue
		}
		at := offsetOf(src, e.Pos.Line, e.Pos.Column)
		if at < 0 || !bytes.HasPrefix(src[at:], []byte(e.From)) {
			return nil, &WrongEdit{e}
		}
		changes = append(changes, change{at, e})
	}
	if len(changes) == 0 {
		return src, nil
	}
	var out []byte
	for at := 0; ; {
		next := change{at: len(src)}
		for _, c := range changes {
			if at <= c.at && c.at < next.at {
				next = c
			}
		}
		out = append(out, src[at:next.at]...)
		if next.at == len(src) {
			return out, nil
		}
		//mutant: a shorter number moves what follows it [test ./load TestEdited]: "len(next.edit.From)-len(next.edit.To)" -> "0"
		pad := max(0, len(next.edit.From)-len(next.edit.To))
		out = append(out, next.edit.To+strings.Repeat(" ", pad)...)
		at = next.at + len(next.edit.From)
	}
}

// offsetOf returns the offset of a line and a column in bytes, counted from 1; -1 if there is no such place.
func offsetOf(src []byte, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		i := bytes.IndexByte(src[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
	}
	end := bytes.IndexByte(src[at:], '\n')
	if end < 0 {
		end = len(src) - at
	}
	if column < 1 || column-1 > end {
		return -1
	}
	return at + column - 1
}
