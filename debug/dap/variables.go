package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"strings"

	"github.com/google/go-dap"

	session "hbcheck.dev/hbcheck/debug"
	"hbcheck.dev/hbcheck/debug/console"
	"hbcheck.dev/hbcheck/report"
)

// A handle stands for a value with parts that a client may ask for. It is valid until the session moves.
type handle struct {
	list  []session.Variable // the variables of a scope;
	value *session.Value     // or the value whose parts are asked for;
	path  string             // expression with this value; empty: there is none
	texts string             // or the name of the goroutine whose data are asked for
}

// located is a frame with its place on the stack of its goroutine, innermost first.
type located struct {
	session.Frame
	index int
}

// reference returns the number of a handle.
func (v *server) reference(h handle) int {
	v.handles = append(v.handles, h)
	return len(v.handles)
}

// cheap bounds the length of a schedule for which a client may ask for locks and clocks at every stop.
const cheap = 10_000

// mostHandles bounds the values that a client can inspect at one place.
const mostHandles = 1 << 20

func (v *server) scopes(head *dap.Request, frame int) {
	m := &dap.ScopesResponse{Response: response(head)}
	m.Body.Scopes = []dap.Scope{}
	if frame == 0 { // the frame of a goroutine that has ended
		v.send(m)
		return
	}
	f, err := v.frame(frame)
	if err != nil {
		v.fail(head, err)
		return
	}
	for _, s := range v.s.Scopes(&f.Frame) {
		x := dap.Scope{Name: s.Name, VariablesReference: v.reference(handle{list: s.List}), NamedVariables: len(s.List)}
		switch s.Name {
		case "Locals":
			x.PresentationHint = "locals"
		case "Results":
			x.PresentationHint = "returnValue"
		}
		m.Body.Scopes = append(m.Body.Scopes, x)
	}
	m.Body.Scopes = append(m.Body.Scopes, dap.Scope{Name: "Goroutine", VariablesReference: v.reference(handle{texts: v.s.Name(f.G)}), NamedVariables: 4,
		Expensive: v.s.Steps() > cheap})
	v.send(m)
}

// goroutineTexts are the facts about a goroutine besides its variables.
func (v *server) goroutineTexts(name string) (list [][2]string) {
	for _, g := range v.s.Goroutines() {
		if g.Name == name {
			list = append(list, [2]string{"state", v.console.State(&g)})
		}
	}
	held := []string{}
	for _, l := range v.s.Held(name) {
		text := fmt.Sprintf("%s since step %d", l.Name, l.Step+1)
		if l.Shared {
			text += " (for reading)"
		}
		held = append(held, text)
	}
	clock := []string{}
	for _, c := range v.s.Clocks(name) {
		clock = append(clock, fmt.Sprintf("%s up to step %d", c.Name, c.Step+1))
	}
	orNone := func(list []string) string {
		if len(list) == 0 {
			return "none"
		}
		return strings.Join(list, ", ")
	}
	return append(list, [2]string{"locks held", orNone(held)}, [2]string{"happens before", orNone(clock)},
		[2]string{"schedule", v.console.Where()})
}

// frame returns the frame of an id.
func (v *server) frame(id int) (*located, error) {
	if id < 1 || id > len(v.frames) {
		return nil, fmt.Errorf("there is no frame %d", id)
	}
	return &v.frames[id-1], nil
}

func (v *server) variables(head *dap.Request, a *dap.VariablesArguments) {
	n := a.VariablesReference
	if n < 1 || n > len(v.handles) {
		v.fail(head, fmt.Errorf("there are no variables %d", n))
		return
	}
	h := v.handles[n-1]
	m := &dap.VariablesResponse{Response: response(head)}
	m.Body.Variables = []dap.Variable{}
	if h.texts != "" {
		for _, t := range v.goroutineTexts(h.texts) {
			m.Body.Variables = append(m.Body.Variables, dap.Variable{Name: t[0], Value: report.Printable(t[1])})
		}
	}
	list := h.list
	if h.value != nil {
		count := a.Count
		if count <= 0 {
			count = 1000
		}
		list = v.s.Children(*h.value, max(a.Start, 0), min(count, 10_000))
	}
	for _, x := range list {
		path := x.Name
		if h.value != nil {
			path = session.PartPath(h.path, h.value, x.Name)
		}
		m.Body.Variables = append(m.Body.Variables, v.variable(x, path))
	}
	v.send(m)
}

// variable returns a variable for the client; x is the value of the expression path.
func (v *server) variable(x session.Variable, path string) dap.Variable {
	d := dap.Variable{Name: report.Printable(x.Name), Value: report.Printable(v.s.Text(x.Value)), Type: v.s.TypeText(x.Value), EvaluateName: path}
	d.VariablesReference, d.NamedVariables, d.IndexedVariables = v.parts(x.Value, path)
	if x.Value.Lost != "" {
		d.PresentationHint = &dap.VariablePresentationHint{Attributes: []string{"readOnly"}, Kind: "virtual"}
	}
	return d
}

// parts returns the handle for the parts of a value, 0 if it has none.
func (v *server) parts(x session.Value, path string) (ref, named, indexed int) {
	n := v.s.Len(x)
	if n == 0 || len(v.handles) >= mostHandles {
		return 0, 0, 0
	}
	ref = v.reference(handle{value: &x, path: path})
	switch x.Type.Underlying().(type) {
	case *types.Slice, *types.Array:
		return ref, 0, n
	}
	return ref, n, 0
}

func (v *server) evaluate(head *dap.Request, a *dap.EvaluateArguments) {
	m := &dap.EvaluateResponse{Response: response(head)}
	var f *session.Frame
	v.console.Look("", 0)
	if a.FrameId != 0 {
		x, err := v.frame(a.FrameId)
		if err != nil {
			v.fail(head, err)
			return
		}
		f = &x.Frame
		v.console.Look(v.s.Name(f.G), x.index)
	} else if g, ok := v.s.Current(); ok {
		if frames := v.s.Frames(g); len(frames) > 0 {
			f = &frames[max(session.UserFrame(frames), 0)]
		}
	}
	if a.Context == "repl" && console.Knows(a.Expression) {
		before := v.s.Place()
		name := v.present()
		v.console.Do(a.Expression)
		m.Body.Result = v.said.take()
		v.send(m)
		if v.s.Place() != before || v.present() != name {
			v.stopped("goto", session.Stop{})
		}
		return
	}
	if f == nil {
		v.fail(head, errEnded)
		return
	}
	x, err := v.s.Eval(f, a.Expression)
	if err != nil {
		v.fail(head, err)
		return
	}
	m.Body.Result, m.Body.Type = report.Printable(v.s.Text(x)), v.s.TypeText(x)
	m.Body.VariablesReference, m.Body.NamedVariables, m.Body.IndexedVariables = v.parts(x, a.Expression)
	v.send(m)
}

func (v *server) present() string {
	g, ok := v.s.Current()
	if !ok {
		return ""
	}
	return v.s.Name(g)
}

// custom are the requests outside of the protocol.
var custom map[string]func(v *server, head *dap.Request, content []byte)

func init() {
	custom = map[string]func(*server, *dap.Request, []byte){"hbcheck/choices": (*server).choices, "hbcheck/take": (*server).take,
		"hbcheck/goto": (*server).goTo, "hbcheck/schedule": (*server).schedule}
}

// arguments parses the arguments of a custom request, and fails if no program has been launched.
func (v *server) arguments(head *dap.Request, content []byte, to any) bool {
	if v.s == nil {
		v.fail(head, errNoSession)
		return false
	}
	var m struct {
		Arguments json.RawMessage `json:"arguments"`
	}
	err := json.Unmarshal(content, &m)
	if err == nil && len(m.Arguments) > 0 {
		err = json.Unmarshal(m.Arguments, to)
	}
	if err != nil {
		v.fail(head, fmt.Errorf("%s: %w", head.Command, err))
	}
	return err == nil
}

// body is the response to a custom request.
type body struct {
	dap.Response
	Body any `json:"body"`
}

// ChoiceBody is a goroutine that can move, in the response to hbcheck/choices.
type ChoiceBody struct {
	Goroutine string `json:"goroutine"`
	ThreadID  int    `json:"threadId"`
	Operation string `json:"operation"`
	Taken     bool   `json:"taken"`
	Reason    string `json:"reason"`
	Conflicts []int  `json:"conflicts"` // steps, from 1
}

func (v *server) choices(head *dap.Request, content []byte) {
	if !v.arguments(head, content, &struct{}{}) {
		return
	}
	list, err := v.s.Choices()
	if err != nil {
		v.fail(head, err)
		return
	}
	all := []ChoiceBody{}
	for i := range list {
		c := &list[i]
		x := ChoiceBody{Goroutine: c.Name, ThreadID: v.thread(c.Name), Operation: report.Printable(v.console.EventText(&c.Next)), Taken: c.Taken,
			Reason: console.Reason(c), Conflicts: []int{}}
		for _, k := range c.Conflicts {
			x.Conflicts = append(x.Conflicts, k+1)
		}
		all = append(all, x)
	}
	v.send(&body{response(head), map[string]any{"step": v.s.Place().Step + 1, "choices": all}})
}

// take is hbcheck/take {goroutine}: let another goroutine move now.
func (v *server) take(head *dap.Request, content []byte) {
	var a struct {
		Goroutine string `json:"goroutine"`
	}
	if !v.arguments(head, content, &a) {
		return
	}
	if err := v.s.Take(a.Goroutine); err != nil {
		v.fail(head, err)
		return
	}
	b := map[string]any{"steps": v.s.Steps()}
	if bug, ending := v.s.Bug(); bug != nil {
		b["code"], b["message"] = bug.Kind.Code(), report.Printable(report.Message(bug))
	} else {
		b["ending"] = report.Printable(ending)
	}
	v.send(&body{response(head), b})
	v.stopped("goto", session.Stop{})
}

// goTo is hbcheck/goto {step}: go to where a step, counted from 1, is next.
func (v *server) goTo(head *dap.Request, content []byte) {
	var a struct {
		Step int `json:"step"`
	}
	if !v.arguments(head, content, &a) {
		return
	}
	if a.Step < 1 || a.Step > v.s.Steps()+1 {
		v.fail(head, fmt.Errorf("there is no step %d: the schedule has %d", a.Step, v.s.Steps()))
		return
	}
	v.send(&body{Response: response(head)})
	v.s.Go(session.Place{Step: a.Step - 1})
	v.stopped("goto", session.Stop{})
}

// schedule is hbcheck/schedule {start, count}: steps of the schedule, from 1.
func (v *server) schedule(head *dap.Request, content []byte) {
	var a struct {
		Start int `json:"start"`
		Count int `json:"count"`
	}
	if !v.arguments(head, content, &a) {
		return
	}
	if a.Start < 1 || a.Count < 0 {
		v.fail(head, errors.New("hbcheck/schedule: steps are counted from 1"))
		return
	}
	type step struct {
		Step      int    `json:"step"`
		Goroutine string `json:"goroutine"`
		Operation string `json:"operation"`
	}
	list := []step{}
	for i := a.Start - 1; i < v.s.Steps() && len(list) < min(a.Count, 10_000); i++ {
		e := v.s.Step(i)
		list = append(list, step{i + 1, e.Name, report.Printable(v.console.EventText(&e))})
	}
	v.send(&body{response(head), map[string]any{"steps": list, "total": v.s.Steps(), "next": v.s.Place().Step + 1}})
}
