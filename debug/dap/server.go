// Package dap lets editors use the debugger of package debug: it speaks the Debug Adapter Protocol, as
// `hbcheck dap`. docs/editors.md says how to use it.
//
// A goroutine is a thread. All of them stop at the same time, and the adapter executes nothing while it
// answers a question, so requests are handled one after the other; during an execution only interrupting
// requests are noticed.
package dap

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync/atomic"

	"github.com/google/go-dap"

	session "hbcheck.dev/hbcheck/debug"
	"hbcheck.dev/hbcheck/debug/console"
	"hbcheck.dev/hbcheck/report"
)

// A Launch has the arguments of a client's launch request.
type Launch struct {
	// Replay is a replay file. Without a replay file a package is executed under one schedule.
	Replay string `json:"replay"`
	// Program is a replay file, if its name ends with .hbr, or else a package.
	Program string `json:"program"`
	Package string `json:"package"`
	// Run selects a test of the package, like go test -run; without it the main function is selected.
	Run  string   `json:"run"`
	Args []string `json:"args"`
	Tags []string `json:"tags"`
	Cwd  string   `json:"cwd"`
	// StopOnEntry stops at the first line. Otherwise the schedule is executed up to a breakpoint, or to its
	// end, from where it can be executed backwards.
	StopOnEntry bool `json:"stopOnEntry"`
}

// An Opener loads the program to debug.
type Opener func(l Launch, interrupted func() bool) (*session.Session, report.Paths, error)

// server is the adapter of one connection.
type server struct {
	out  io.Writer
	open Opener
	seq  int

	interrupt atomic.Bool
	launch    Launch
	s         *session.Session
	console   *console.Console
	said      *writer // what the console writes
	paths     report.Paths
	lines     int // the client's offset of line numbers from 1: 0 or -1
	columns   int

	threads map[string]int // ids of goroutines
	names   []string       // their names; the id of the first is 1
	frames  []located
	models  []string // files of hbcheck's models; the source reference of the first is 1
	handles []handle
	breaks  map[string][]int // ids of breakpoints by file; of functions: those of ""
	printed int              // bytes of the program's output that the client has been sent
	done    bool
}

// Serve answers requests until the client disconnects, or r ends.
func Serve(r io.Reader, w io.Writer, open Opener) error {
	v := &server{out: w, open: open, threads: make(map[string]int), breaks: make(map[string][]int)}
	type received struct {
		content []byte
		err     error
	}
	requests := make(chan received, 16)
	over := make(chan struct{})
	defer close(over)
	go func() {
		in := bufio.NewReader(r)
		for {
			content, err := dap.ReadBaseMessage(in)
			if v.interrupts(content, err) {
				v.interrupt.Store(true)
			}
			select {
			case requests <- received{content, err}:
			case <-over:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	for !v.done {
		x := <-requests
		switch {
		case errors.Is(x.err, io.EOF), errors.Is(x.err, io.ErrUnexpectedEOF), errors.Is(x.err, io.ErrClosedPipe):
			return nil
		case x.err != nil:
			v.say("the client does not speak the protocol: " + x.err.Error() + "\n")
			return x.err
		}
		v.handle(x.content)
	}
	return nil
}

// interrupts reports whether a message ends an execution that is under way.
func (v *server) interrupts(content []byte, err error) bool {
	var m dap.Request
	if err != nil || json.Unmarshal(content, &m) != nil {
		return err != nil
	}
	switch m.Command {
	case "pause", "disconnect", "terminate":
		return true
	}
	return false
}

// send writes a message.
func (v *server) send(m dap.Message) {
	v.seq++
	switch m := m.(type) {
	case dap.ResponseMessage:
		m.GetResponse().Seq, m.GetResponse().Type = v.seq, "response"
	case dap.EventMessage:
		m.GetEvent().Seq, m.GetEvent().Type = v.seq, "event"
	}
	dap.WriteProtocolMessage(v.out, m) // if the client has gone, the next read fails
}

// response has the first fields of the response to a request.
func response(r *dap.Request) dap.Response {
	return dap.Response{RequestSeq: r.Seq, Success: true, Command: r.Command}
}

func event(name string) dap.Event { return dap.Event{Event: name} }

// fail responds with an error.
func (v *server) fail(r *dap.Request, err error) {
	m := &dap.ErrorResponse{Response: response(r)}
	m.Success, m.Message = false, report.Printable(err.Error())
	m.Body.Error = &dap.ErrorMessage{Id: 1, Format: "{text}", Variables: map[string]string{"text": m.Message}, ShowUser: true}
	v.send(m)
}

// say shows text to the user.
func (v *server) say(text string) {
	v.send(&dap.OutputEvent{Event: event("output"), Body: dap.OutputEventBody{Category: "console", Output: report.Printable(text)}})
}

// handle answers a message.
func (v *server) handle(content []byte) {
	var head dap.Request
	if json.Unmarshal(content, &head); head.Type != "request" || head.Command == "" {
		v.say("not a request\n") // without a command there is nothing to answer
		return
	}
	defer func() {
		if p := recover(); p != nil {
			v.say(fmt.Sprintf("internal error: %v\n\n%s\n", p, debug.Stack()))
			v.fail(&head, fmt.Errorf("internal error: %v", p))
		}
	}()
	if answer, ok := custom[head.Command]; ok {
		answer(v, &head, content)
		return
	}
	m, err := dap.DecodeProtocolMessage(content)
	var field *dap.DecodeProtocolMessageFieldError
	switch {
	case errors.As(err, &field):
		v.fail(&head, fmt.Errorf("%s is not supported", head.Command))
	case err != nil:
		v.fail(&head, fmt.Errorf("%s: its arguments do not follow the protocol: %w", head.Command, err))
	default:
		v.request(&head, m)
	}
}

var errNoSession = errors.New("nothing has been launched")

// request answers a request of the protocol.
func (v *server) request(head *dap.Request, m dap.Message) {
	switch r := m.(type) {
	case *dap.InitializeRequest:
		v.initialize(r)
		return
	case *dap.LaunchRequest:
		v.launched(head, r.Arguments)
		return
	case *dap.DisconnectRequest:
		v.send(&dap.DisconnectResponse{Response: response(head)})
		v.done = true
		return
	case *dap.TerminateRequest:
		v.send(&dap.TerminateResponse{Response: response(head)})
		v.send(&dap.TerminatedEvent{Event: event("terminated")})
		return
	case *dap.PauseRequest: // the execution has ended by now
		v.interrupt.Store(false)
		v.send(&dap.PauseResponse{Response: response(head)})
		return
	}
	if v.s == nil {
		v.fail(head, errNoSession)
		return
	}
	switch r := m.(type) {
	case *dap.SetBreakpointsRequest:
		v.setBreakpoints(head, &r.Arguments)
	case *dap.SetFunctionBreakpointsRequest:
		v.setFunctionBreakpoints(head, &r.Arguments)
	case *dap.SetExceptionBreakpointsRequest:
		v.setExceptionBreakpoints(head, &r.Arguments)
	case *dap.ConfigurationDoneRequest:
		v.send(&dap.ConfigurationDoneResponse{Response: response(head)})
		if v.launch.StopOnEntry {
			v.stopped("entry", session.Stop{})
		} else {
			v.stopped("", v.s.Run())
		}
	case *dap.RestartRequest:
		v.send(&dap.RestartResponse{Response: response(head)})
		v.s.Begin()
		v.stopped("entry", session.Stop{})
	case *dap.ThreadsRequest:
		v.send(&dap.ThreadsResponse{Response: response(head), Body: dap.ThreadsResponseBody{Threads: v.threadList()}})
	case *dap.StackTraceRequest:
		v.stackTrace(head, &r.Arguments)
	case *dap.SourceRequest:
		v.text(head, &r.Arguments)
	case *dap.ScopesRequest:
		v.scopes(head, r.Arguments.FrameId)
	case *dap.VariablesRequest:
		v.variables(head, &r.Arguments)
	case *dap.EvaluateRequest:
		v.evaluate(head, &r.Arguments)
	case *dap.ContinueRequest:
		v.send(&dap.ContinueResponse{Response: response(head), Body: dap.ContinueResponseBody{AllThreadsContinued: true}})
		v.stopped("", v.s.Continue())
	case *dap.ReverseContinueRequest:
		v.send(&dap.ReverseContinueResponse{Response: response(head)})
		v.stopped("", v.s.ReverseContinue())
	case *dap.NextRequest:
		v.step(head, r.Arguments.ThreadId, r.Arguments.Granularity, &dap.NextResponse{Response: response(head)}, 1, session.Over)
	case *dap.StepInRequest:
		v.step(head, r.Arguments.ThreadId, r.Arguments.Granularity, &dap.StepInResponse{Response: response(head)}, 1, session.In)
	case *dap.StepOutRequest:
		v.step(head, r.Arguments.ThreadId, r.Arguments.Granularity, &dap.StepOutResponse{Response: response(head)}, 1, session.Out)
	case *dap.StepBackRequest:
		v.step(head, r.Arguments.ThreadId, r.Arguments.Granularity, &dap.StepBackResponse{Response: response(head)}, -1, session.Over)
	case *dap.ExceptionInfoRequest:
		v.exceptionInfo(head)
	default:
		v.fail(head, fmt.Errorf("%s is not supported", head.Command))
	}
}

func (v *server) initialize(r *dap.InitializeRequest) {
	v.lines, v.columns = 0, 0
	if !r.Arguments.LinesStartAt1 {
		v.lines = -1
	}
	if !r.Arguments.ColumnsStartAt1 {
		v.columns = -1
	}
	v.send(&dap.InitializeResponse{Response: response(&r.Request), Body: dap.Capabilities{
		SupportsConfigurationDoneRequest: true,
		SupportsFunctionBreakpoints:      true,
		SupportsConditionalBreakpoints:   true,
		SupportsEvaluateForHovers:        true,
		SupportsStepBack:                 true,
		SupportsRestartRequest:           true,
		SupportsExceptionInfoRequest:     true,
		SupportsSteppingGranularity:      true,
		SupportsTerminateRequest:         true,
		SupportsDelayedStackTraceLoading: true,
		ExceptionBreakpointFilters: []dap.ExceptionBreakpointsFilter{{Filter: "bug", Label: "First failure of a test", Default: true,
			Description: "Stop where a test reports its first failure. All other bugs show at the end of the schedule."}},
	}})
}

// launched opens the session. The client may configure it then.
func (v *server) launched(head *dap.Request, arguments json.RawMessage) {
	if v.s != nil {
		v.fail(head, errors.New("something has been launched already"))
		return
	}
	var l Launch
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &l); err != nil {
			v.fail(head, fmt.Errorf("launch: %w", err))
			return
		}
	}
	s, paths, err := v.open(l, v.interrupt.Load)
	if err != nil {
		v.fail(head, err)
		return
	}
	v.s, v.paths, v.launch, v.said = s, paths, l, &writer{}
	v.console = console.New(s, paths, v.said)
	s.BreakAtBug(true)
	v.send(&dap.LaunchResponse{Response: response(head)})
	v.console.Summary()
	v.say(v.said.take())
	v.send(&dap.InitializedEvent{Event: event("initialized")})
}

// writer keeps what is written.
type writer struct{ text []byte }

func (w *writer) Write(b []byte) (int, error) {
	w.text = append(w.text, b...)
	return len(b), nil
}

// take returns the output since its last call.
func (w *writer) take() string {
	text := string(w.text)
	w.text = w.text[:0]
	return text
}
