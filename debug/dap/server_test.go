package dap_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	protocol "github.com/google/go-dap"

	"hbcheck.dev/hbcheck/debug"
	"hbcheck.dev/hbcheck/debug/dap"
	"hbcheck.dev/hbcheck/internal/debugtest"
	"hbcheck.dev/hbcheck/report"
)

// serve sends requests, each a command and its arguments in JSON, and returns the adapter's answers, one
// per line.
func serve(t *testing.T, open dap.Opener, requests ...string) (answers []string, err error) {
	t.Helper()
	var in, out bytes.Buffer
	for i, r := range requests {
		command, arguments, ok := strings.Cut(r, " ")
		content := fmt.Sprintf(`{"seq":%d,"type":"request","command":%q`, i+1, command)
		if ok {
			content += `,"arguments":` + arguments
		}
		protocol.WriteBaseMessage(&in, []byte(content+"}"))
	}
	err = dap.Serve(&in, &out, open)
	for r := bufio.NewReader(&out); ; {
		content, err := protocol.ReadBaseMessage(r)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, string(content))
	}
	return answers, err
}

// want fails the test unless texts are in the answers, in that order, each in another one.
func want(t *testing.T, answers []string, texts ...string) {
	t.Helper()
	i := 0
	for _, a := range answers {
		if i < len(texts) && strings.Contains(a, texts[i]) {
			i++
		}
	}
	if i < len(texts) {
		t.Errorf("no %s in\n%s", texts[i], strings.Join(answers, "\n"))
	}
}

// TestSession: a session of an editor, to a breakpoint, to the end and back.
func TestSession(t *testing.T) {
	var asked dap.Launch
	open := func(l dap.Launch, _ func() bool) (*debug.Session, report.Paths, error) {
		asked = l
		s, paths := debugtest.Open(t, debugtest.Bank)
		return s, paths, nil
	}
	answers, err := serve(t, open,
		`initialize {"linesStartAt1":true,"columnsStartAt1":true}`,
		`threads`,
		`launch {"package":"./bank","args":["a","b"],"stopOnEntry":true}`,
		`launch {"package":"./bank"}`,
		`setBreakpoints {"source":{"path":"main.go"},"breakpoints":[{"line":22,"condition":"n == 2"}]}`,
		`configurationDone`,
		`continue {"threadId":1}`,
		`stackTrace {"threadId":2}`,
		`scopes {"frameId":1}`,
		`variables {"variablesReference":1}`,
		`evaluate {"expression":"a.owner","frameId":1}`,
		`evaluate {"expression":"nosuch","frameId":1}`,
		`continue {"threadId":1}`,
		`reverseContinue {"threadId":1}`,
		`disconnect`,
		`threads`)
	if err != nil {
		t.Error(err)
	}
	if asked.Package != "./bank" || len(asked.Args) != 2 || !asked.StopOnEntry {
		t.Errorf("launches %+v", asked)
	}
	want(t, answers,
		`"supportsStepBack":true`,
		`nothing has been launched`,
		`"command":"launch"`,
		`"event":"initialized"`,
		`something has been launched already`,
		`"verified":true`,
		`"reason":"entry"`,
		`"reason":"breakpoint"`,
		`"name":"(*bank).deposit"`,
		`"Locals"`,
		`"name":"n","value":"2"`,
		`"result":"\"Eve\""`,
		`no variable nosuch`,
		`"output":"3\n"`,
		`"reason":"breakpoint"`,
		`"command":"disconnect"`)
	if last := answers[len(answers)-1]; !strings.Contains(last, "disconnect") {
		t.Errorf("after the client has gone: %s", last)
	}
}

// TestRefused: an impossible request is refused, and the session continues; a violation of the protocol
// ends it.
func TestRefused(t *testing.T) {
	broken := errors.New("there is no such file")
	open := func(dap.Launch, func() bool) (*debug.Session, report.Paths, error) {
		return nil, report.Paths{}, broken
	}
	answers, err := serve(t, open, `launch {"replay":7}`, `launch {"replay":"x.hbr"}`, `nosuch`, `setBreakpoints []`, `initialize {}`, `disconnect`)
	if err != nil {
		t.Error(err)
	}
	want(t, answers, `launch:`, broken.Error(), `nosuch is not supported`, `its arguments do not follow the protocol`, `"supportsStepBack"`, `disconnect`)
	var out bytes.Buffer
	if err := dap.Serve(strings.NewReader("GET / HTTP/1.1\r\n\r\n"), &out, open); err == nil || !strings.Contains(out.String(), "does not speak the protocol") {
		t.Errorf("%v, %s", err, &out)
	}
}
