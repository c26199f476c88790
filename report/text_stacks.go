package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/trace"
)

// maxStacks bounds the goroutines that are listed with their stacks.
const maxStacks = 4

// concerned returns the goroutines whose stacks explain the bug. For a leak these are the leaked goroutine
// and the one that keeps it waiting; for a deadlock those of the cycle, or the first ones.
func concerned(b *bug.Bug) (list []describe.Goroutine) {
	in := func(g describe.Goroutine) bool {
		return slices.ContainsFunc(b.Cycle, func(e bug.Edge) bool { return e.From == g.ID || e.To == g.ID })
	}
	for _, g := range b.Goroutines {
		if g.Name == b.G || in(g) || b.Kind != bug.Leak && len(b.Cycle) == 0 && len(list) < maxStacks {
			list = append(list, g)
		}
	}
	return list
}

// maxOutput bounds the bytes that are shown of an execution's output.
const maxOutput = 64 << 10

// number returns the number that the runtime would give to the goroutine of a bug.
func number(bug *bug.Bug) string {
	for i := len(bug.Events) - 1; i >= 0; i-- {
		if e := bug.Events[i]; e.Name == bug.G {
			return fmt.Sprint(goid(e.G))
		}
	}
	return "1"
}

// goid turns a GID into a goroutine number: main is goroutine 1.
func goid(g trace.GID) uint32 { return uint32(g) + 1 }

// goroutine writes g as the runtime's traceback does. Its name follows the
// reason it waits, where the runtime says "locked to thread" and the like.
func goroutine(b *bytes.Buffer, g describe.Goroutine, all bool) {
	state := g.For
	if state == "" {
		state = "runnable"
	}
	fmt.Fprintf(b, "goroutine %d [%s, %s]:\n", goid(g.ID), state, g.Name)
	stack(b, g.Stack, all)
	if len(g.Created) > 0 {
		c := g.Created[0]
		// The user's line is more useful than that of WaitGroup.Go.
		if i := slices.IndexFunc(g.Created, func(f describe.Frame) bool { return !f.Std }); i >= 0 {
			c = g.Created[i]
		}
		fmt.Fprintf(b, "created by %s in goroutine %d\n\t%s:%d +0x%x\n", c.Func, goid(g.Parent), Paths{}.File(c.Pos.Filename), c.Pos.Line, c.PC)
	}
}

// stack writes frames: all of them, or without those of other modules below the reader's code.
func stack(b *bytes.Buffer, frames []describe.Frame, all bool) {
	frames = called(frames)
	first := slices.IndexFunc(frames, func(f describe.Frame) bool { return f.Own })
	elided := 0
	for i, f := range frames {
		if !all && i > 0 && first >= 0 && !f.Own && !f.Std {
			elided++
			continue
		}
		if elided > 0 {
			fmt.Fprintf(b, "...%s elided...\n", count(elided, "frame"))
			elided = 0
		}
		args := ""
		if f.Args {
			args = "..."
		}
		fmt.Fprintf(b, "%s(%s)\n\t%s:%d +0x%x\n", f.Func, args, Paths{}.File(f.Pos.Filename), f.Pos.Line, f.PC)
	}
}

// raceBlock writes a data race in the words and the layout of go test -race.
func raceBlock(b *bytes.Buffer, acc *[2]describe.Access) {
	const bar = "==================\n"
	b.WriteString(bar + "WARNING: DATA RACE\n")
	for i, a := range []describe.Access{acc[1], acc[0]} {
		word := "Read"
		if a.Writes {
			word = "Write"
		}
		if i == 1 {
			word = "Previous " + strings.ToLower(word)
		}
		who := fmt.Sprintf("goroutine %d", goid(a.G))
		if a.Parent == trace.NoGID {
			who = "main goroutine"
		}
		fmt.Fprintf(b, "%s at 0x%012x by %s:\n", word, a.Addr, who)
		raceStack(b, a.Stack)
		b.WriteByte('\n')
	}
	for _, a := range []describe.Access{acc[1], acc[0]} {
		if a.Parent != trace.NoGID {
			state := "running"
			if a.Ended {
				state = "finished"
			}
			fmt.Fprintf(b, "Goroutine %d (%s) created at:\n", goid(a.G), state)
			raceStack(b, a.Created)
			b.WriteByte('\n')
		}
	}
	b.Truncate(b.Len() - 1)
	b.WriteString(bar)
}

// called returns the frames without those of package testing that have called the test.
func called(frames []describe.Frame) []describe.Frame {
	n := len(frames)
	for n > 0 && frames[n-1].Std && strings.HasPrefix(frames[n-1].Func, "testing.") {
		n--
	}
	if n == 0 {
		return frames
	}
	return frames[:n]
}

// raceStack writes a stack as the race detector does. Of the frames of
// models it shows only the exported function of the library.
func raceStack(b *bytes.Buffer, frames []describe.Frame) {
	frames = called(frames)
	for len(frames) > 1 && frames[1].Std && strings.HasPrefix(frames[0].Pos.Filename, models) {
		frames = frames[1:]
	}
	for _, f := range frames {
		fmt.Fprintf(b, "  %s()\n      %s:%d +0x%x\n", f.Func, Paths{}.File(f.Pos.Filename), f.Pos.Line, f.PC)
	}
}
