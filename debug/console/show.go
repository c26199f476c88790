package console

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/debug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/trace"
)

// arrived prints the place that a command has reached, and why it stopped there.
func (c *Console) arrived(stop debug.Stop) {
	switch stop.Reason {
	case debug.Break:
		c.printf("breakpoint %d\n", stop.Break.ID)
		if stop.Break.Err != nil {
			c.printf("cannot evaluate its condition: %s\n", stop.Break.Err)
		}
	case debug.AtBug:
		c.printf("the test has failed\n")
	case debug.Start:
		c.printf("the beginning\n")
	case debug.Begun:
		c.printf("the goroutine begins here\n")
	case debug.Ended:
		c.printf("the goroutine has ended\n")
	case debug.Stopped:
		c.printf("interrupted\n")
	}
	c.frame = max(debug.UserFrame(c.frames()), 0)
	c.next = [2]any{}
	c.where()
}

// Where describes the session's position in the schedule in words.
func (c *Console) Where() string {
	at, n := c.s.Place(), c.s.Steps()
	switch {
	case at.Step < 0 && n == 0:
		return "the schedule has no steps"
	case at.Step < 0:
		return fmt.Sprintf("before step 1 of %d", n)
	case c.s.AtEnd():
		text := fmt.Sprintf("the end, after step %d", n)
		if bug, _ := c.s.Bug(); bug != nil {
			text += ": " + bug.Kind.Code() + ": " + report.Message(bug)
		}
		return text
	case at.Tick > 0:
		e := c.s.Step(at.Step)
		return fmt.Sprintf("in step %d of %d, %s: %s", at.Step+1, n, e.Name, c.EventText(&e))
	}
	e := c.s.Step(at.Step)
	e.Effect = "" // the step has not been executed yet
	return fmt.Sprintf("step %d of %d is next, %s: %s", at.Step+1, n, e.Name, c.EventText(&e))
}

// where shows the present place.
func (c *Console) where() {
	c.printf("%s\n", c.Where())
	f, ok := c.present()
	if !ok {
		return
	}
	g, _ := c.s.Current()
	c.printf("%s in %s, %s:%d\n", c.s.Name(g), describe.ShortFunc(f.Func), c.paths.File(f.Pos.Filename), f.Pos.Line)
	c.lines(f.Pos.Filename, f.Pos.Line, f.Pos.Line-2, f.Pos.Line+2)
}

// lines shows lines of a file, with an arrow at the present one.
func (c *Console) lines(file string, present, from, to int) (shown bool) {
	for n := max(from, 1); n <= to; n++ {
		text, ok := c.source(file, n)
		if !ok {
			break
		}
		arrow := "  "
		if n == present {
			arrow = "=>"
		}
		c.printf("%s %4d  %s\n", arrow, n, text)
		shown = true
	}
	return shown
}

// frames returns the stack of the present goroutine.
func (c *Console) frames() []debug.Frame {
	g, ok := c.s.Current()
	if !ok {
		return nil
	}
	return c.s.Frames(g)
}

// present returns the frame for commands.
func (c *Console) present() (f debug.Frame, ok bool) {
	frames := c.frames()
	if c.frame >= len(frames) {
		return f, false
	}
	return frames[c.frame], true
}

var errNoFrame = errors.New("the goroutine has ended, or has no stack")

func list(c *Console, args string) error {
	f, ok := c.present()
	if !ok {
		return errNoFrame
	}
	from := f.Pos.Line - 5
	if args != "" {
		n, err := strconv.Atoi(args)
		if err != nil {
			return fmt.Errorf("list %s: want a line", args)
		}
		from = n - 5
		c.last = "list"
	} else if c.next[0] == f.Pos.Filename {
		from = c.next[1].(int)
	}
	from = max(from, 1)
	if !c.lines(f.Pos.Filename, f.Pos.Line, from, from+9) {
		return errors.New("no source there")
	}
	c.next = [2]any{f.Pos.Filename, from + 10}
	return nil
}

func printValue(c *Console, args string) error {
	f, ok := c.present()
	if !ok {
		return errNoFrame
	}
	v, err := c.s.Eval(&f, args)
	if err != nil {
		return err
	}
	c.printf("%s\n", c.s.Text(v))
	return nil
}

func (c *Console) scope(names ...string) error {
	f, ok := c.present()
	if !ok {
		return errNoFrame
	}
	none := true
	for _, s := range c.s.Scopes(&f) {
		for _, name := range names {
			if s.Name != name {
				continue
			}
			for _, v := range s.List {
				c.printf("%s = %s\n", v.Name, c.s.Text(v.Value))
				none = false
			}
		}
	}
	if none {
		c.printf("none\n")
	}
	return nil
}

func locals(c *Console, _ string) error  { return c.scope("Locals", "Captured") }
func results(c *Console, _ string) error { return c.scope("Results") }
func vars(c *Console, _ string) error    { return c.scope("Package") }

func goroutines(c *Console, _ string) error {
	present, _ := c.s.Current()
	for _, g := range c.s.Goroutines() {
		mark := " "
		if g.ID == present {
			mark = "*"
		}
		c.printf("%s %-6s %s\n", mark, g.Name, c.State(&g))
	}
	return nil
}

// State describes a goroutine's next operation, or the event for which it waits.
func (c *Console) State(g *debug.Goroutine) string {
	switch {
	case g.Running || g.Next.Kind == trace.None: // in the prelude the goroutine's next operation is unknown
		word := "runs"
		if !g.Running {
			word = "is"
		}
		if frames := c.s.Frames(g.ID); len(frames) > 0 {
			f := frames[max(debug.UserFrame(frames), 0)]
			return fmt.Sprintf("%s in %s, %s:%d", word, describe.ShortFunc(f.Func), c.paths.File(f.Pos.Filename), f.Pos.Line)
		}
		return word + " in no function of the program's"
	case g.Wait == "":
		return "can move: " + c.EventText(&g.Next)
	}
	text := "waits [" + g.Wait + "]: " + c.EventText(&g.Next)
	if len(g.Holders) > 0 {
		text += ", held by " + strings.Join(g.Holders, ", ")
	}
	return text
}

func stack(c *Console, _ string) error {
	frames := c.frames()
	if len(frames) == 0 {
		return errNoFrame
	}
	for i, f := range frames {
		mark := " "
		if i == c.frame {
			mark = "*"
		}
		note := ""
		switch {
		case f.Unwound:
			note = "  (left by a panic)"
		case !f.User:
			note = "  (library)"
		}
		c.printf("%s %2d  %s  %s:%d%s\n", mark, i, describe.ShortFunc(f.Func), c.paths.File(f.Pos.Filename), f.Pos.Line, note)
	}
	return nil
}

func frame(c *Console, args string) error {
	n, err := strconv.Atoi(args)
	if frames := c.frames(); err != nil || n < 0 || n >= len(frames) {
		return fmt.Errorf("frame %s: want a number from 0 to %d", args, len(frames)-1)
	}
	c.frame = n
	c.next = [2]any{}
	c.where()
	return nil
}

func upDown(by int) func(*Console, string) error {
	return func(c *Console, _ string) error {
		if n := c.frame + by; n >= 0 && n < len(c.frames()) {
			return frame(c, strconv.Itoa(n))
		}
		return errors.New("no such function on the stack")
	}
}

// related evaluates a path and returns the goroutines that hold or wait for its object.
func (c *Console) related(args string) (r debug.Relation, err error) {
	f, ok := c.present()
	if !ok {
		return r, errNoFrame
	}
	v, err := c.s.Eval(&f, args)
	if err != nil {
		return r, err
	}
	if r, err = c.s.Related(v); err != nil {
		return r, fmt.Errorf("%s: %w", args, err)
	}
	return r, nil
}

func whoHolds(c *Console, args string) error {
	if args == "" {
		held := false
		for _, g := range c.s.Goroutines() {
			for _, l := range c.s.Held(g.Name) {
				c.printf("%-6s %s, since step %d\n", g.Name, lockText(l), l.Step+1)
				held = true
			}
		}
		if !held {
			c.printf("no goroutine holds a lock\n")
		}
		return nil
	}
	r, err := c.related(args)
	switch {
	case err != nil:
		return err
	case r.Readers > 0:
		c.printf("%s is held by %d for reading\n", args, r.Readers)
	case len(r.Holders) > 0:
		c.printf("%s is held by %s\n", args, strings.Join(r.Holders, ", "))
	default:
		c.printf("no goroutine holds %s\n", args)
	}
	return nil
}

func whoWaits(c *Console, args string) error {
	if args == "" {
		waits := false
		for _, g := range c.s.Goroutines() {
			if g.Wait != "" && !g.Running {
				c.printf("%-6s %s\n", g.Name, c.State(&g))
				waits = true
			}
		}
		if !waits {
			c.printf("no goroutine waits\n")
		}
		return nil
	}
	r, err := c.related(args)
	switch {
	case err != nil:
		return err
	case len(r.Waiters) == 0:
		c.printf("no goroutine waits for %s\n", args)
	default:
		c.printf("%s: waits for %s\n", strings.Join(r.Waiters, ", "), args)
	}
	return nil
}

func lockText(l debug.Held) string {
	if l.Shared {
		return l.Name + " for reading"
	}
	return l.Name
}

func held(c *Console, _ string) error {
	g, ok := c.s.Current()
	if !ok {
		return errNoFrame
	}
	locks := c.s.Held(c.s.Name(g))
	for _, l := range locks {
		c.printf("%s, since step %d\n", lockText(l), l.Step+1)
	}
	if len(locks) == 0 {
		c.printf("%s holds no lock\n", c.s.Name(g))
	}
	return nil
}

func clock(c *Console, _ string) error {
	g, ok := c.s.Current()
	if !ok {
		return errNoFrame
	}
	clocks := c.s.Clocks(c.s.Name(g))
	for _, x := range clocks {
		e := c.s.Step(x.Step)
		c.printf("%s up to step %d: %s\n", x.Name, x.Step+1, c.EventText(&e))
	}
	if len(clocks) == 0 {
		c.printf("no step of another goroutine happens before what %s does next\n", c.s.Name(g))
	}
	return nil
}

func choices(c *Console, _ string) error {
	list, err := c.s.Choices()
	if err != nil {
		return err
	}
	for _, x := range list {
		c.printf("%-6s %s\n       %s\n", x.Name, c.EventText(&x.Next), Reason(&x))
	}
	return nil
}

// Reason explains why a goroutine was chosen or not.
func Reason(x *debug.Choice) string {
	switch {
	case x.Taken:
		return "it moves in this step"
	case x.Later < 0:
		return "it makes no further step in this schedule"
	case len(x.Conflicts) == 0:
		return fmt.Sprintf("it does this in step %d; doing it here makes no difference, because no step in between depends on it", x.Later+1)
	}
	steps := make([]string, len(x.Conflicts))
	for i, k := range x.Conflicts {
		steps[i] = strconv.Itoa(k + 1)
	}
	word := "step "
	if len(steps) > 1 {
		word = "steps "
	}
	return fmt.Sprintf("it does this in step %d; doing it here is another schedule, because it conflicts with %s%s", x.Later+1, word, strings.Join(steps, ", "))
}

func schedule(c *Console, _ string) error {
	at := c.s.Place().Step
	for i := max(at-5, 0); i < min(at+6, c.s.Steps()); i++ {
		e := c.s.Step(i)
		arrow := "  "
		if i == at {
			arrow = "=>"
		}
		c.printf("%s %4d  %-6s %s\n", arrow, i+1, e.Name, c.EventText(&e))
	}
	return nil
}
