package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// TestServers explores samples of the schedules of programs with a server of the standard library:
// the output is not compared step by step, because most steps are the library's.
func TestServers(t *testing.T) {
	deep.Skip(t, "takes half a minute")
	for _, x := range []struct {
		name, file string
		code       int
		says       []string
	}{
		{"handlers", handlersTest, 1, []string{"test failed: 1 visits", "it reads v.n in step", "writes it in between"}},
		{"rpc", rpcTest, 0, []string{"only a sample of 300 executions", "no bug so far"}},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module example.com/" + x.name + "\n\ngo 1.26\n", "x_test.go": x.file} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		t.Chdir(dir)
		var out bytes.Buffer
		code := run([]string{"--por=random", "--max-executions", "300"}, strings.NewReader(""), &out, &out)
		if code != x.code {
			t.Errorf("%s: exit %d, want %d", x.name, code, x.code)
		}
		for _, want := range x.says {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s does not say %q:\n%s", x.name, want, out.String())
			}
		}
	}
}

const handlersTest = `package handlers

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

type visits struct {
	mu sync.Mutex
	n  int
}

func (v *visits) get() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.n
}

func (v *visits) set(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.n = n
}

func (v *visits) ServeHTTP(w http.ResponseWriter, r *http.Request) { v.set(v.get() + 1) }

func TestVisits(t *testing.T) {
	v := new(visits)
	srv := httptest.NewServer(v)
	defer srv.Close()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			resp, err := http.Get(srv.URL)
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
		})
	}
	wg.Wait()
	if n := v.get(); n != 2 {
		t.Errorf("%d visits", n)
	}
}
`

const rpcTest = `package rpc

import (
	"net"
	"net/rpc"
	"sync"
	"testing"
)

type Counter struct {
	mu sync.Mutex
	n  int
}

func (c *Counter) Add(by int, sum *int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += by
	*sum = c.n
	return nil
}

func TestAdd(t *testing.T) {
	s := rpc.NewServer()
	s.Register(new(Counter))
	a, b := net.Pipe()
	done := make(chan bool)
	go func() { s.ServeConn(a); close(done) }()
	c := rpc.NewClient(b)
	var sum int
	if err := c.Call("Counter.Add", 3, &sum); sum != 3 || err != nil {
		t.Error(sum, err)
	}
	c.Close()
	<-done
}
`
