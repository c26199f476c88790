package dap

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/google/go-dap"

	session "hbcheck.dev/hbcheck/debug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/report"
)

// thread returns the id of a goroutine. It stays the same during the session.
func (v *server) thread(name string) int {
	id, ok := v.threads[name]
	if !ok {
		v.names = append(v.names, name)
		id = len(v.names)
		v.threads[name] = id
	}
	return id
}

// name returns the name of a thread's goroutine.
func (v *server) name(thread int) (string, error) {
	if thread < 1 || thread > len(v.names) {
		return "", fmt.Errorf("there is no thread %d", thread)
	}
	return v.names[thread-1], nil
}

var errEnded = errors.New("the goroutine has ended")

// threadList returns the goroutines. If all goroutines have ended, it returns main, because an editor
// needs a thread to step back.
func (v *server) threadList() []dap.Thread {
	list := []dap.Thread{}
	for _, g := range v.s.Goroutines() {
		list = append(list, dap.Thread{Id: v.thread(g.Name), Name: report.Printable(g.Name + " " + v.console.State(&g))})
	}
	if len(list) == 0 {
		list = append(list, dap.Thread{Id: v.thread("main"), Name: "main has ended"})
	}
	return list
}

// forget drops data that hold for one place only.
func (v *server) forget() {
	v.frames, v.handles = nil, nil
	v.interrupt.Store(false)
}

// stopped says where the session has stopped; reason replaces the usual one.
func (v *server) stopped(reason string, stop session.Stop) {
	v.forget()
	if out := v.s.Output(); len(out) > v.printed { // going back does not remove output that has been shown
		v.send(&dap.OutputEvent{Event: event("output"), Body: dap.OutputEventBody{Category: "stdout", Output: report.Printable(out[v.printed:])}})
		v.printed = len(out)
	}
	b := dap.StoppedEventBody{Reason: reason, AllThreadsStopped: true, ThreadId: v.thread("main")}
	if g, ok := v.s.Current(); ok {
		b.ThreadId = v.thread(v.s.Name(g))
	}
	bug, ending := v.s.Bug()
	switch stop.Reason {
	case session.Break:
		b.Reason, b.HitBreakpointIds = "breakpoint", []int{stop.Break.ID}
		if stop.Break.Func != "" {
			b.Reason = "function breakpoint"
		}
		if stop.Break.Err != nil {
			b.Text = report.Printable("cannot evaluate its condition: " + stop.Break.Err.Error())
		}
	case session.AtBug:
		b.Reason, b.Description = "exception", "the test has failed"
	case session.Start:
		b.Reason, b.Description = cmp.Or(reason, "entry"), "the beginning"
	case session.Begun:
		b.Reason, b.Description = cmp.Or(reason, "step"), "the goroutine begins here"
	case session.Ended:
		b.Reason, b.Description = cmp.Or(reason, "step"), "the goroutine has ended"
	case session.Stopped:
		b.Reason = "pause"
	case session.End:
		b.Reason, b.Description = "pause", "the end of the schedule"
		if bug != nil {
			b.Reason, b.Description, b.Text = "exception", bug.Kind.Code(), report.Printable(report.Message(bug))
		} else if ending != "" {
			b.Text = report.Printable("it ends with " + ending)
		}
	default:
		b.Reason = cmp.Or(reason, "step")
	}
	v.send(&dap.StoppedEvent{Event: event("stopped"), Body: b})
}

// step executes a line, or with the granularity of instructions a step of the schedule.
func (v *server) step(head *dap.Request, thread int, by dap.SteppingGranularity, m dap.ResponseMessage, sign int, into session.Into) {
	name, err := v.name(thread)
	if err != nil {
		v.fail(head, err)
		return
	}
	v.send(m)
	switch alive := v.s.Select(name); {
	case by == "instruction" || !alive && sign > 0: // a goroutine that has ended has no lines
		v.stopped("step", v.s.Move(sign))
	case sign < 0:
		v.stopped("step", v.s.Back(into))
	default:
		v.stopped("step", v.s.Line(into))
	}
}

func (v *server) exceptionInfo(head *dap.Request) {
	bug, _ := v.s.Bug()
	if bug == nil {
		v.fail(head, errors.New("there is no bug in this schedule"))
		return
	}
	m := &dap.ExceptionInfoResponse{Response: response(head)}
	text := report.Message(bug)
	if why := report.Why(bug); why != "" {
		text += "\n" + why
	}
	m.Body = dap.ExceptionInfoResponseBody{ExceptionId: bug.Kind.Code(), Description: report.Printable(text), BreakMode: "always"}
	v.send(m)
}

// replace removes the breakpoints of a file, or those of functions.
func (v *server) replace(file string) {
	for _, id := range v.breaks[file] {
		v.s.RemoveBreaks(func(b *session.Breakpoint) bool { return b.ID == id })
	}
	delete(v.breaks, file)
}

// add adds a breakpoint and returns its status.
func (v *server) add(file string, b session.Breakpoint) dap.Breakpoint {
	b, err := v.s.AddBreak(b)
	if err != nil {
		return dap.Breakpoint{Message: report.Printable(err.Error())}
	}
	v.breaks[file] = append(v.breaks[file], b.ID)
	x := dap.Breakpoint{Id: b.ID, Verified: true}
	if b.Line > 0 {
		x.Line, x.Source = b.Line+v.lines, v.source(b.File)
	}
	return x
}

func (v *server) setBreakpoints(head *dap.Request, a *dap.SetBreakpointsArguments) {
	file := cmp.Or(a.Source.Path, a.Source.Name)
	if file == "" {
		v.fail(head, errors.New("setBreakpoints: no source"))
		return
	}
	v.replace(file)
	m := &dap.SetBreakpointsResponse{Response: response(head)}
	m.Body.Breakpoints = []dap.Breakpoint{}
	for _, b := range a.Breakpoints {
		m.Body.Breakpoints = append(m.Body.Breakpoints, v.add(file, session.Breakpoint{File: file, Line: b.Line - v.lines, Cond: b.Condition}))
	}
	v.send(m)
}

func (v *server) setFunctionBreakpoints(head *dap.Request, a *dap.SetFunctionBreakpointsArguments) {
	v.replace("")
	m := &dap.SetFunctionBreakpointsResponse{Response: response(head)}
	m.Body.Breakpoints = []dap.Breakpoint{}
	for _, b := range a.Breakpoints {
		if b.Name == "" {
			m.Body.Breakpoints = append(m.Body.Breakpoints, dap.Breakpoint{Message: "a function without a name"})
			continue
		}
		m.Body.Breakpoints = append(m.Body.Breakpoints, v.add("", session.Breakpoint{Func: b.Name, Cond: b.Condition}))
	}
	v.send(m)
}

func (v *server) setExceptionBreakpoints(head *dap.Request, a *dap.SetExceptionBreakpointsArguments) {
	on := false
	for _, f := range a.Filters {
		on = on || f == "bug"
	}
	v.s.BreakAtBug(on)
	v.send(&dap.SetExceptionBreakpointsResponse{Response: response(head)})
}

// source returns a file as clients want it. Sources of the models are not files: clients request their
// text.
func (v *server) source(file string) *dap.Source {
	if file == "" {
		return nil
	}
	s := &dap.Source{Name: report.Printable(filepath.Base(file))}
	if filepath.IsAbs(file) {
		s.Path = file
	} else {
		s.Origin, s.PresentationHint = "hbcheck's model of the standard library", "deemphasize"
		i := slices.Index(v.models, file)
		if i < 0 {
			i = len(v.models)
			v.models = append(v.models, file)
		}
		s.SourceReference = i + 1
	}
	return s
}

// text is the response to a request for the text of a model.
func (v *server) text(head *dap.Request, a *dap.SourceArguments) {
	n := a.SourceReference
	if a.Source != nil && a.Source.SourceReference != 0 {
		n = a.Source.SourceReference
	}
	if n < 1 || n > len(v.models) {
		v.fail(head, fmt.Errorf("there is no source %d", n))
		return
	}
	content, err := session.Source(v.models[n-1])
	if err != nil {
		v.fail(head, err)
		return
	}
	v.send(&dap.SourceResponse{Response: response(head), Body: dap.SourceResponseBody{Content: content, MimeType: "text/x-go"}})
}

func (v *server) stackTrace(head *dap.Request, a *dap.StackTraceArguments) {
	m := &dap.StackTraceResponse{Response: response(head)}
	m.Body.StackFrames = []dap.StackFrame{}
	name, err := v.name(a.ThreadId)
	g, alive := v.s.Find(name)
	switch {
	case err != nil:
		v.fail(head, err)
		return
	case !alive:
		// This is the position of the error, so that the editor has source to show.
		if bug, _ := v.s.Bug(); bug != nil && v.s.AtEnd() && bug.Pos.IsValid() {
			m.Body.StackFrames = append(m.Body.StackFrames, dap.StackFrame{Name: bug.Kind.Code(), Source: v.source(bug.Pos.Filename),
				Line: bug.Pos.Line + v.lines, Column: max(bug.Pos.Column, 1) + v.columns, PresentationHint: "subtle"})
			m.Body.TotalFrames = 1
		}
		v.send(m)
		return
	}
	frames := v.s.Frames(g)
	m.Body.TotalFrames = len(frames)
	from := min(max(a.StartFrame, 0), len(frames))
	to := len(frames)
	if a.Levels > 0 {
		to = min(to, from+min(a.Levels, len(frames)))
	}
	for i := from; i < to; i++ {
		f := frames[i]
		v.frames = append(v.frames, located{f, i})
		x := dap.StackFrame{Id: len(v.frames), Name: report.Printable(describe.ShortFunc(f.Func)), Source: v.source(f.Pos.Filename),
			Line: f.Pos.Line + v.lines, Column: max(f.Pos.Column, 1) + v.columns}
		if !f.User || f.Unwound {
			x.PresentationHint = "subtle"
		}
		m.Body.StackFrames = append(m.Body.StackFrames, x)
	}
	v.send(m)
}
