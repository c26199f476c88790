package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"hbcheck.dev/hbcheck/internal/deep"
)

// client talks to hbcheck dap as an editor does.
type client struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
	seq int
	end func()
}

// adapter starts hbcheck dap with arguments.
func adapter(t *testing.T, args ...string) *client {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(append([]string{"dap"}, args...), in, out, os.Stderr)
		out.Close()
	}()
	c := &client{t: t, in: toServer, out: bufio.NewReader(fromServer)}
	c.end = func() {
		toServer.Close()
		io.Copy(io.Discard, c.out)
		if n := <-code; n != 0 {
			t.Errorf("hbcheck dap: exit %d", n)
		}
	}
	return c
}

// write sends a request and returns its number; arguments are JSON, or empty.
func (c *client) write(command, arguments string) int {
	c.seq++
	m := fmt.Sprintf(`{"seq":%d,"type":"request","command":%q`, c.seq, command)
	if arguments != "" {
		m += `,"arguments":` + arguments
	}
	c.raw(m + "}")
	return c.seq
}

func (c *client) raw(content string) {
	fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(content), content)
}

// message is any of the protocol's.
type message struct {
	Type       string          `json:"type"`
	Command    string          `json:"command"`
	Event      string          `json:"event"`
	RequestSeq int             `json:"request_seq"`
	Success    bool            `json:"success"`
	Message    string          `json:"message"`
	Body       json.RawMessage `json:"body"`
}

// read returns the next message; ok is false after the last one.
func (c *client) read() (m message, ok bool) {
	header, err := c.out.ReadString('\n')
	if err != nil {
		return m, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(header, "Content-Length:")))
	if err != nil {
		c.t.Fatalf("header %q", header)
	}
	c.out.ReadString('\n')
	content := make([]byte, n)
	if _, err := io.ReadFull(c.out, content); err != nil {
		c.t.Fatal(err)
	}
	if err := json.Unmarshal(content, &m); err != nil {
		c.t.Fatalf("%s: %v", content, err)
	}
	return m, true
}

// do sends a request and returns its effects: all messages before the answer to a subsequent unsupported
// request.
func (c *client) do(command, arguments string) (list []message) {
	c.write(command, arguments)
	last := c.write("hbcheck/nothing", "")
	for {
		m, ok := c.read()
		if !ok || m.Type == "response" && m.RequestSeq == last {
			return list
		}
		list = append(list, m)
	}
}

// text shows a message in a line.
func (m *message) text() string {
	switch {
	case m.Type == "event":
		return "← " + m.Event + " " + string(m.Body)
	case !m.Success:
		return "← " + m.Command + " failed: " + m.Message
	case m.Body == nil:
		return "← " + m.Command
	}
	return "← " + m.Command + " " + string(m.Body)
}

// TestDAP runs the sessions in testdata/dap/*.txtar. The comment of an archive is a sequence of commands of
// hbcheck, which come first, as in TestScripts, and requests, each with the adapter's answer:
//
//	→ next {"threadId":2}
//	← next
//	← stopped {"reason":"step",...}
func TestDAP(t *testing.T) {
	files, err := filepath.Glob("testdata/dap/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			needsRelease(t, name)
			dapScript(t, file)
		})
	}
}

func dapScript(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, must(txtar.FS(ar))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	var got bytes.Buffer
	var c *client
	for line := range strings.Lines(string(ar.Comment)) {
		line = strings.TrimSuffix(line, "\n")
		if cmd, ok := strings.CutPrefix(line, "$ hbcheck "); ok {
			fmt.Fprintln(&got, line)
			if args := strings.Fields(cmd); args[0] == "dap" {
				if c != nil {
					c.end()
				}
				c = adapter(t, args[1:]...)
			} else {
				run(args, strings.NewReader(""), io.Discard, io.Discard)
			}
			continue
		}
		if strings.HasPrefix(line, "#") || line == "" {
			fmt.Fprintln(&got, line)
			continue
		}
		request, ok := strings.CutPrefix(line, "→ ")
		if !ok {
			continue // an answer to the last request
		}
		fmt.Fprintln(&got, line)
		command, arguments, _ := strings.Cut(request, " ")
		for _, m := range c.do(command, strings.ReplaceAll(arguments, "$WORK", dir)) {
			fmt.Fprintln(&got, strings.ReplaceAll(m.text(), dir, "$WORK"))
		}
	}
	c.end()
	if *update {
		ar.Comment = got.Bytes()
		back(t, file, txtar.Format(ar))
		return
	}
	sameLines(t, file, got.String(), string(ar.Comment))
}

// TestEditorsPage: the session that docs/editors.md shows is a part of a recorded one.
func TestEditorsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	session, err := os.ReadFile("testdata/dap/session.txtar")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(page)) {
		if line = strings.TrimPrefix(line, "    "); strings.HasPrefix(line, "→") || strings.HasPrefix(line, "←") {
			n++
			if !strings.Contains(string(session), line) {
				t.Errorf("docs/editors.md: %s is not in the session", line)
			}
		}
	}
	if n == 0 {
		t.Error("docs/editors.md shows no session")
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// hostile returns the requests of a session that are well-formed, some of them with wrong arguments.
var hostile = []string{
	`initialize {"linesStartAt1":true}`, `launch {"replay":"out/TestDeposit.1.hbr"}`, `launch {"program":"."}`, `launch {"replay":7}`, `launch`,
	`launch {"replay":"/dev/null"}`, `launch {"package":"...","run":"("}`, `attach {}`, `configurationDone`, `threads`, `pause {"threadId":1}`,
	`setBreakpoints {"source":{"path":"bank_test.go"},"breakpoints":[{"line":23},{"line":-5},{"line":99999},{"line":18,"condition":"b.("},{"line":23,"condition":"n"}]}`,
	`setBreakpoints {}`, `setFunctionBreakpoints {"breakpoints":[{"name":"set"},{"name":""},{"name":"nosuch","condition":"1/0==2"}]}`,
	`setExceptionBreakpoints {"filters":["bug","x"]}`, `stackTrace {"threadId":1}`, `stackTrace {"threadId":2,"startFrame":-7,"levels":-1}`,
	`stackTrace {"threadId":-1}`, `stackTrace {"threadId":3,"startFrame":9223372036854775807,"levels":9223372036854775807}`,
	`scopes {"frameId":1}`, `scopes {"frameId":0}`, `scopes {"frameId":-3}`, `variables {"variablesReference":1}`, `variables {"variablesReference":2}`,
	`variables {"variablesReference":3,"start":-5,"count":-9}`, `variables {"variablesReference":4,"start":9223372036854775807,"count":9223372036854775807}`,
	`variables {"variablesReference":-1}`, `evaluate {"expression":"b.items[\"eve\"].balance","frameId":1}`, `evaluate {"expression":"","frameId":1}`,
	`evaluate {"expression":"((((","context":"repl"}`, `evaluate {"expression":"b.items[1e99999999]","frameId":1}`, `evaluate {"expression":"-b+!3","frameId":2}`,
	`evaluate {"expression":"*b.items","frameId":1}`, `evaluate {"expression":"goto 7","context":"repl"}`, `evaluate {"expression":"undo 3","context":"repl"}`,
	`evaluate {"expression":"take g2","context":"repl"}`, `evaluate {"expression":"quit","context":"repl"}`, `next {"threadId":1}`, `next {"threadId":77}`,
	`next {}`, `stepIn {"threadId":2}`, `stepOut {"threadId":3}`, `stepBack {"threadId":1}`, `stepBack {"threadId":2,"granularity":"instruction"}`,
	`next {"threadId":3,"granularity":"instruction"}`, `continue {"threadId":1}`, `reverseContinue {"threadId":1}`, `restart`, `exceptionInfo {"threadId":1}`,
	`hbcheck/choices`, `hbcheck/take {"goroutine":"g1"}`, `hbcheck/take {"goroutine":5}`, `hbcheck/goto {"step":5}`, `hbcheck/goto {"step":-5}`,
	`hbcheck/goto {"step":99999}`, `hbcheck/schedule {"start":3,"count":4}`, `hbcheck/schedule {"start":9223372036854775807,"count":9223372036854775807}`,
	`hbcheck/schedule []`, `cancel {}`, `source {"sourceReference":1}`, `source {"source":{"sourceReference":-1},"sourceReference":2}`, `modules`, `nosuch {"x":1}`, `disassemble {}`, `setVariable {}`, `terminate`,
}

// TestDAPHostile: the adapter answers each request of any client once, and never fails.
func TestDAPHostile(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/dap/session.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, must(txtar.FS(ar))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if code := run([]string{"explore", "-o", "out", "bank_test.go"}, strings.NewReader(""), io.Discard, io.Discard); code != exitBug {
		t.Fatalf("explore: exit %d", code)
	}
	for _, seed := range deep.Seeds(t, 2, 12) {
		rnd := rand.New(rand.NewSource(int64(seed)))
		c := adapter(t)
		if seed > 0 { // the first session launches nothing for a while
			c.do("initialize", `{"linesStartAt1":true}`)
			c.do("launch", `{"replay":"out/TestDeposit.1.hbr"}`)
		}
		for range 60 {
			if rnd.Intn(8) == 0 {
				c.raw([]string{"", "{", "7", "null", `[]`, `{"seq":"x"}`, `{"type":"response","command":"next"}`, `{"type":"event","event":"stopped"}`,
					`{"seq":1,"type":"request","command":7}`, "\xff\xfe", `{"type":"request"}`, strings.Repeat("[", 9000)}[rnd.Intn(12)])
				continue
			}
			request := hostile[rnd.Intn(len(hostile))]
			command, arguments, _ := strings.Cut(request, " ")
			answers := 0
			for _, m := range c.do(command, arguments) {
				if strings.Contains(m.Message, "internal error") || strings.Contains(string(m.Body), "internal error") {
					t.Fatalf("seed %d, %s: %s %s", seed, request, m.Message, m.Body)
				}
				if m.Type == "response" && m.Command == command {
					answers++
				}
			}
			if answers != 1 {
				t.Fatalf("seed %d, %s: %d answers", seed, request, answers)
			}
		}
		c.end()
	}
	// Anything but a message of the protocol ends the session.
	var out bytes.Buffer
	if code := run([]string{"dap"}, strings.NewReader("GET / HTTP/1.1\r\n\r\n"), &out, io.Discard); code != exitUsage || !strings.Contains(out.String(), "does not speak") {
		t.Errorf("exit %d, %s", code, &out)
	}
}

// TestDAPListen: an editor can connect, too.
func TestDAPListen(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", "4711", ":4711", "example.com:1"} {
		if l, err := listenHere(address); err == nil {
			l.Close()
			t.Errorf("--listen %s is accepted", address)
		}
	}
	port := make(chan string, 1)
	go run([]string{"dap", "--listen", "127.0.0.1:0"}, strings.NewReader(""), io.Discard, writerFunc(func(b []byte) (int, error) {
		if m := regexp.MustCompile(`listening on (\S+)`).FindSubmatch(b); m != nil {
			port <- string(m[1])
		}
		return len(b), nil
	}))
	address := <-port
	for range 2 { // one client after the other
		conn, err := net.DialTimeout("tcp", address, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		c := &client{t: t, in: conn, out: bufio.NewReader(conn)}
		list := c.do("initialize", `{}`)
		if !slices.ContainsFunc(list, func(m message) bool { return m.Command == "initialize" && m.Success }) {
			t.Errorf("initialize: %v", list)
		}
		c.write("disconnect", "")
		for ok := true; ok; {
			_, ok = c.read()
		}
		conn.Close()
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
