package report

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
)

// A Writer takes the results of one run of the tool, one after the other.
type Writer interface {
	// Result writes one result. files are those of its bugs, in their order.
	Result(r *explore.Result, files []Files) error
	// Failed writes that an entry could not be explored, or that a package could not be loaded (then entry is
	// empty), and why.
	Failed(pkg, entry, why string) error
	// Close writes the end of the report.
	Close() error
}

// Writers are several writers that get the same results.
type Writers []Writer

// Result implements Writer.
func (ws Writers) Result(r *explore.Result, files []Files) error {
	return ws.each(func(w Writer) error { return w.Result(r, files) })
}

// Failed implements Writer.
func (ws Writers) Failed(pkg, entry, why string) error {
	return ws.each(func(w Writer) error { return w.Failed(pkg, entry, why) })
}

// Close implements Writer.
func (ws Writers) Close() error { return ws.each(Writer.Close) }

func (ws Writers) each(f func(Writer) error) error {
	for _, w := range ws {
		if err := f(w); err != nil {
			return err
		}
	}
	return nil
}

// Files are the names of the files that have been written about a bug; a name is empty if the file was not
// written.
type Files struct {
	Replay string // file for hbcheck replay
	Page   string // file for a browser
}

// Paths shortens file names for people: names below Base become relative.
type Paths struct {
	Base   string
	Source func(name string) string // maps a file to the file that has its text; nil: each file has its own text
	Edits  []load.Edit              // edits of the texts: the program is a small version
}

// Text returns the name of the file that has the text of the file called name.
func (p Paths) Text(name string) string {
	if p.Source == nil {
		return name
	}
	return p.Source(name)
}

// Edited returns the text of the file of that name as it is in the program.
func (p Paths) Edited(name string, text []byte) []byte {
	edited, err := load.Edited(p.Edits, name, text)
	if err != nil { // the file has changed since
		return text
	}
	return edited
}

// models begins the names of the files of the library's models, which are only in hbcheck.
const models = "$hbcheck/"

// File returns name as it is shown. The name of a model's file is not a path.
func (p Paths) File(name string) string {
	if model, ok := strings.CutPrefix(name, models); ok {
		return "model of " + model
	}
	return p.relative(name)
}

func (p Paths) relative(name string) string {
	if p.Base == "" || !filepath.IsAbs(name) {
		return name
	}
	rel, err := filepath.Rel(p.Base, name)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return name
	}
	return rel
}

// Pos returns a position as file:line:column, or "-" if there is none.
func (p Paths) Pos(pos token.Position) string {
	pos.Filename = p.File(pos.Filename)
	return pos.String()
}

// recorded is Pos for a file that hbcheck reads again.
func (p Paths) recorded(pos token.Position) string {
	pos.Filename = filepath.ToSlash(p.relative(pos.Filename))
	return pos.String()
}

// line returns a position as file:line with the last element of the name,
// where there is little room.
func line(pos token.Position) string {
	if !pos.IsValid() {
		return ""
	}
	return fmt.Sprintf("%s:%d", filepath.Base(pos.Filename), pos.Line)
}

// seconds prints a duration as the go command does.
func seconds(d time.Duration) string { return fmt.Sprintf("%.2fs", d.Seconds()) }

// count prints a number of things.
func count[N int | uint64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Digits(uint64(n)) + " " + what + "s"
}

// Digits groups the digits of large numbers.
func Digits(n uint64) string {
	s := fmt.Sprint(n)
	if len(s) <= 4 {
		return s
	}
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return b.String()
}
