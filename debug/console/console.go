// Package console is the debugger of package debug at a terminal: `hbcheck replay -i`. It reads nothing
// itself: Do executes one line of commands.
package console

import (
	"fmt"
	"io"
	"strings"

	"hbcheck.dev/hbcheck/debug"
	"hbcheck.dev/hbcheck/report"
)

// A Console executes commands on a session.
type Console struct {
	s     *debug.Session
	paths report.Paths
	out   io.Writer

	frame int    // number, in the present goroutine's stack, of the frame for commands
	last  string // the line that an empty line repeats
	next  [2]any // where `list` continues: file and line
	files map[string][]string
}

// New returns a console.
func New(s *debug.Session, paths report.Paths, out io.Writer) *Console {
	return &Console{s: s, paths: paths, out: out, files: make(map[string][]string)}
}

// Prompt begins a line that is read.
const Prompt = "(hbcheck) "

// Begin prints the subject of the session, and its place.
func (c *Console) Begin() {
	c.Summary()
	c.arrived(debug.Stop{})
}

// Summary returns the subject of the session.
func (c *Console) Summary() {
	bug, ending := c.s.Bug()
	switch {
	case bug != nil:
		c.printf("%s: %s\n", bug.Kind.Code(), report.Message(bug))
	case ending != "":
		c.printf("no bug in this schedule: it ends with %s\n", ending)
	}
	steps := "steps"
	if c.s.Steps() == 1 {
		steps = "step"
	}
	c.printf("%d %s; help lists the commands\n", c.s.Steps(), steps)
}

// printf writes text that may quote the program.
func (c *Console) printf(format string, args ...any) {
	io.WriteString(c.out, report.Printable(fmt.Sprintf(format, args...)))
}

// Do executes a line and reports whether the session is over.
func (c *Console) Do(line string) (quit bool) {
	line = strings.TrimSpace(line)
	if line == "" {
		line = c.last
	}
	c.last = ""
	name, rest, _ := strings.Cut(line, " ")
	if name == "" {
		return false
	}
	cmd := find(name)
	if cmd == nil {
		c.printf("no command %s: help lists them\n", name)
		return false
	}
	if cmd.again {
		c.last = line
	}
	if err := cmd.do(c, strings.TrimSpace(rest)); err != nil {
		if err == errQuit {
			return true
		}
		c.printf("%s\n", err)
	}
	return false
}

// Look selects the function for later commands: frame of the goroutine called name. Without a name it is
// the innermost function of the user's code, in the session's present goroutine.
func (c *Console) Look(name string, frame int) {
	if name == "" || !c.s.Select(name) {
		frame = max(debug.UserFrame(c.frames()), 0)
	}
	c.frame = frame
}

// Knows reports whether a line begins with a known command.
func Knows(line string) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return find(name) != nil
}

// Complete returns the commands that begin with a word.
func Complete(word string) (names []string) {
	for i := range commands {
		if strings.HasPrefix(commands[i].name, word) {
			names = append(names, commands[i].name)
		}
	}
	return names
}

// source returns line n of a file, from 1.
func (c *Console) source(file string, n int) (string, bool) {
	lines, ok := c.files[file]
	if !ok {
		if text, err := debug.Source(c.paths.Text(file)); err == nil {
			text = string(c.paths.Edited(file, []byte(text)))
			lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		}
		c.files[file] = lines
	}
	if n < 1 || n > len(lines) {
		return "", false
	}
	return lines[n-1], true
}
