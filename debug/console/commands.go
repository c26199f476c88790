package console

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/debug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/report"
)

// A command is the first word of a line.
type command struct {
	name  string
	short []string // other names of the command
	args  string
	doc   string
	again bool // an empty line repeats the command
	do    func(c *Console, args string) error
}

var errQuit = errors.New("quit")

// commands lists the commands in the order of the help. Their abbreviations are those of gdb and
// delve.
var commands []command

func init() {
	commands = []command{
		{"step", []string{"s"}, "[n]", "go to the next line of this goroutine, stepping into calls", true, lines(debug.In, false)},
		{"next", []string{"n"}, "[n]", "go to the next line of this goroutine, stepping over calls", true, lines(debug.Over, false)},
		{"out", []string{"finish", "stepout", "so"}, "", "continue until this function returns", true, lines(debug.Out, false)},
		{"back", []string{"reverse-next", "rn", "prev"}, "[n]", "go back to the previous line, stepping over calls", true, lines(debug.Over, true)},
		{"back-step", []string{"reverse-step", "rs"}, "[n]", "go back to the previous line, stepping into calls", true, lines(debug.In, true)},
		{"back-out", []string{"reverse-finish"}, "", "go back to the call of this function", true, lines(debug.Out, true)},
		{"move", []string{"m", "stepi", "si"}, "[n]", "execute the next step of the schedule, of any goroutine", true, moves(1)},
		{"undo", []string{"u", "reverse-stepi", "rsi"}, "[n]", "undo the last step of the schedule", true, moves(-1)},
		{"goto", nil, "n", "go to the point before step n; goto end: to the end; goto start: to the beginning", false, goTo},
		{"continue", []string{"c"}, "", "go to the next breakpoint, or to the end", true, continues((*debug.Session).Continue)},
		{"reverse-continue", []string{"rc"}, "", "go back to the last breakpoint, or to the beginning", true, continues((*debug.Session).ReverseContinue)},
		{"break", []string{"b"}, "file.go:line | line | func [in g1] [if x == 1]", "stop at a line, or at the start of a function", false, breakAt},
		{"breakpoints", []string{"bl"}, "", "list the breakpoints", false, breakpoints},
		{"clear", []string{"delete", "d"}, "n", "remove a breakpoint", false, clearBreak},
		{"print", []string{"p"}, "expr", "print a value: b.items[\"k\"].n, *p, s[3], len(s), x == y", false, printValue},
		{"locals", nil, "", "show the variables of this function, and its captured variables", false, locals},
		{"results", nil, "", "show the results that this function is about to return", false, results},
		{"vars", nil, "", "show the package-level variables", false, vars},
		{"goroutines", []string{"gs", "grs"}, "", "list the goroutines, and the objects that they wait for", false, goroutines},
		{"goroutine", []string{"g", "gr"}, "name", "switch to another goroutine: main, g1, g1.2", false, goroutine},
		{"stack", []string{"bt", "where"}, "", "show the stack of this goroutine", false, stack},
		{"frame", []string{"f"}, "n", "switch to another frame of the stack", false, frame},
		{"up", nil, "", "switch to the caller of this function", true, upDown(1)},
		{"down", nil, "", "switch to the function that this one called", true, upDown(-1)},
		{"who-holds", nil, "[expr]", "list the goroutines that hold this lock; without expr: that hold any lock", false, whoHolds},
		{"who-waits", nil, "[expr]", "list the goroutines that wait for this object; without expr: all that wait", false, whoWaits},
		{"held", nil, "", "list the locks that this goroutine holds, and since which step", false, held},
		{"clock", nil, "", "list the steps of other goroutines that happen before the next step of this one", false, clock},
		{"choices", nil, "", "list the goroutines that can move now, and why the schedule took only one of them", false, choices},
		{"take", nil, "name", "let another goroutine move now; this changes the rest of the schedule", false, take},
		{"schedule", []string{"sched"}, "", "show the steps around the current one", false, schedule},
		{"list", []string{"l"}, "[line]", "show the source around the current line, or around a line; repeat it to see the lines that follow", true, list},
		{"why", nil, "", "explain the bug", false, why},
		{"help", []string{"h"}, "[command]", "list the commands, or explain one", false, help},
		{"quit", []string{"q", "exit"}, "", "leave the debugger", false, func(*Console, string) error { return errQuit }},
	}
}

// find returns the command with a name, or the only command whose name begins so.
func find(name string) *command {
	var found *command
	for i := range commands {
		x := &commands[i]
		if x.name == name {
			return x
		}
		for _, s := range x.short {
			if s == name {
				return x
			}
		}
	}
	for i := range commands {
		if x := &commands[i]; strings.HasPrefix(x.name, name) {
			if found != nil {
				return nil
			}
			found = x
		}
	}
	return found
}

// times parses a repeat count.
func times(args string) (int, error) {
	if args == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(args)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s: want a number from 1", args)
	}
	return n, nil
}

func lines(into debug.Into, back bool) func(*Console, string) error {
	return func(c *Console, args string) error {
		n, err := times(args)
		if err != nil {
			return err
		}
		var stop debug.Stop
		for range n {
			if back {
				stop = c.s.Back(into)
			} else {
				stop = c.s.Line(into)
			}
			if stop.Reason != debug.Stepped {
				break
			}
		}
		c.arrived(stop)
		return nil
	}
}

func moves(sign int) func(*Console, string) error {
	return func(c *Console, args string) error {
		n, err := times(args)
		if err != nil {
			return err
		}
		stop := c.s.Move(sign * min(n, c.s.Steps()+1))
		c.arrived(stop)
		return nil
	}
}

func goTo(c *Console, args string) error {
	switch args {
	case "end":
		args = strconv.Itoa(c.s.Steps() + 1)
	case "start":
		c.s.Begin()
		c.arrived(debug.Stop{})
		return nil
	}
	n, err := strconv.Atoi(args)
	if err != nil || n < 1 || n > c.s.Steps()+1 {
		return fmt.Errorf("goto %s: want start, end, or a step from 1 to %d", args, c.s.Steps())
	}
	c.s.Go(debug.Place{Step: n - 1})
	c.arrived(debug.Stop{})
	return nil
}

func continues(f func(*debug.Session) debug.Stop) func(*Console, string) error {
	return func(c *Console, _ string) error {
		c.arrived(f(c.s))
		return nil
	}
}

// breakAt parses file.go:12 in g1 if x == 1.
func breakAt(c *Console, args string) error {
	var b debug.Breakpoint
	// Each of the two may come first; no expression contains " in ".
	parts := [2]*string{&b.Cond, &b.Goroutine}
	for i, word := range []string{" if ", " in "} {
		before, after, ok := strings.Cut(args, word)
		if !ok {
			continue
		}
		other := []string{" in ", " if "}[i]
		text, rest, more := strings.Cut(after, other)
		*parts[i] = strings.TrimSpace(text)
		if args = before; more {
			args += other + rest
		}
	}
	args = strings.TrimSpace(args)
	if args == "" {
		return errors.New("break: want file.go:line, a line of this file, or a function")
	}
	file, line, ok := strings.Cut(args, ":")
	if !ok {
		file, line = "", args
	}
	n, err := strconv.Atoi(line)
	switch {
	case err == nil && file == "":
		f, ok := c.present()
		if !ok {
			return errors.New("break: there is no current file")
		}
		b.File, b.Line = f.Pos.Filename, n
	case err == nil:
		b.File, b.Line = file, n
	case ok:
		return fmt.Errorf("break %s: %s is not a line", args, line)
	default:
		b.Func = args
	}
	if b, err = c.s.AddBreak(b); err != nil {
		return err
	}
	c.printf("breakpoint %d at %s\n", b.ID, c.breakText(&b))
	return nil
}

func (c *Console) breakText(b *debug.Breakpoint) string {
	text := "function " + b.Func
	if b.Func == "" {
		text = fmt.Sprintf("%s:%d", c.paths.File(b.File), b.Line)
	}
	if b.Goroutine != "" {
		text += " in " + b.Goroutine
	}
	if b.Cond != "" {
		text += " if " + b.Cond
	}
	return text
}

func breakpoints(c *Console, _ string) error {
	for _, b := range c.s.Breaks() {
		c.printf("%d  %s\n", b.ID, c.breakText(&b))
	}
	if len(c.s.Breaks()) == 0 {
		c.printf("no breakpoints\n")
	}
	return nil
}

func clearBreak(c *Console, args string) error {
	n, err := strconv.Atoi(args)
	if err != nil || c.s.RemoveBreaks(func(b *debug.Breakpoint) bool { return b.ID == n }) == 0 {
		return fmt.Errorf("no breakpoint %s", args)
	}
	return nil
}

func goroutine(c *Console, args string) error {
	if args == "" {
		c.where()
		return nil
	}
	if !c.s.Select(args) {
		return fmt.Errorf("no goroutine %s now", args)
	}
	c.arrived(debug.Stop{})
	return nil
}

func take(c *Console, args string) error {
	if err := c.s.Take(args); err != nil {
		return err
	}
	bug, ending := c.s.Bug()
	switch {
	case bug != nil:
		c.printf("this schedule ends with %s: %s\n", bug.Kind.Code(), report.Message(bug))
	default:
		c.printf("no bug in this schedule: it ends with %s\n", cmp.Or(ending, "goroutines that can continue"))
	}
	c.arrived(debug.Stop{})
	return nil
}

func why(c *Console, _ string) error {
	bug, ending := c.s.Bug()
	if bug == nil {
		return fmt.Errorf("there is no bug in this schedule: it ends with %s", cmp.Or(ending, "goroutines that can continue"))
	}
	c.printf("%s: %s: %s\n", c.paths.Pos(bug.Pos), bug.Kind.Code(), report.Message(bug))
	if text := report.Why(bug); text != "" {
		c.printf("%s\n", text)
	}
	return nil
}

func help(c *Console, args string) error {
	if args != "" {
		x := find(args)
		if x == nil {
			return fmt.Errorf("no command %s", args)
		}
		c.printf("%s %s\n    %s\n", x.name, x.args, x.doc)
		if len(x.short) > 0 {
			c.printf("    also: %s\n", strings.Join(x.short, ", "))
		}
		return nil
	}
	for i := range commands {
		x := &commands[i]
		name := x.name
		if len(x.short) > 0 {
			name += " (" + x.short[0] + ")"
		}
		c.printf("%-22s %s\n", name, x.doc)
	}
	c.printf("an empty line repeats the last command if that was one that moves\n")
	return nil
}

// EventText is a step in words.
func (c *Console) EventText(e *describe.Event) string {
	what, _, _ := strings.Cut(e.What, "\n")
	text := strings.TrimSpace(e.Kind.String() + " " + what)
	if e.Effect != "" {
		text += " " + e.Effect
	}
	if e.Pos.IsValid() {
		text += "  " + fmt.Sprintf("%s:%d", c.paths.File(e.Pos.Filename), e.Pos.Line)
	}
	return text
}
