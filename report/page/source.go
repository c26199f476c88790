package page

import (
	"go/token"
	"os"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/report"
)

// A file is the source of one file on a page: all of it if it is short, otherwise the parts around the
// lines that are used.
type file struct {
	Name  string `json:"name"`
	Parts []part `json:"parts"` // none: the file cannot be read
}

// A part is a stretch of lines; From counts from 1.
type part struct {
	From  int      `json:"from"`
	Lines []string `json:"lines"`
}

// Sources embedded in a page: files up to wholeFile lines; of larger files this number of lines around each
// line used.
const (
	wholeFile = 1000
	around    = 15
	maxLine   = 1000     // bytes of a line
	maxFile   = 16 << 20 // bytes of a file that is read at all
)

// sources are the files that a page refers to.
type sources struct {
	names []string
	lines [][]int
	index map[string]int
}

// use records that a line is referred to and returns the number of its file; -1 if there is none.
func (x *sources) use(pos token.Position) int {
	if !pos.IsValid() || pos.Filename == "" {
		return -1
	}
	n, ok := x.index[pos.Filename]
	if !ok {
		if x.index == nil {
			x.index = make(map[string]int)
		}
		n = len(x.names)
		x.index[pos.Filename] = n
		x.names = append(x.names, pos.Filename)
		x.lines = append(x.lines, nil)
	}
	x.lines[n] = append(x.lines[n], pos.Line)
	return n
}

// embed reads the files.
func (x *sources) embed(paths report.Paths) []file {
	list := []file{}
	for i, name := range x.names {
		list = append(list, file{report.Printable(paths.File(name)), parts(read(paths, name), x.lines[i])})
	}
	return list
}

// read returns the lines of a file; none if it cannot be read, or is not readable text.
func read(paths report.Paths, of string) []string {
	name := paths.Text(of)
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(paths.Edited(of, text)), "\n"), "\n")
}

// parts returns the embedded parts of a file with some lines in use.
func parts(lines []string, used []int) []part {
	list := []part{}
	if len(lines) == 0 {
		return list
	}
	if len(lines) <= wholeFile {
		return append(list, part{1, printable(lines)})
	}
	used = slices.Compact(slices.Sorted(slices.Values(used)))
	for i := 0; i < len(used); {
		first, last := max(1, used[i]-around), used[i]+around
		for i++; i < len(used) && used[i]-around <= last+1; i++ {
			last = used[i] + around
		}
		if last = min(last, len(lines)); first <= last {
			list = append(list, part{first, printable(lines[first-1 : last])})
		}
	}
	return list
}

// printable returns lines as they are shown.
func printable(lines []string) []string {
	list := make([]string, len(lines))
	for i, l := range lines {
		l = strings.TrimSuffix(l, "\r")
		if len(l) > maxLine {
			l = l[:maxLine] + " ..."
		}
		list[i] = report.Printable(l)
	}
	return list
}
