//go:build unix && cluster

package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/deep"
)

// cutModule has an entry with bugs and many outcomes. Some goroutines and functions show late.
var cutModule = map[string]string{
	"go.mod": "module example.com/cut\n\ngo 1.26\n",
	"cut_test.go": `package cut

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
)

func rare(mu *sync.Mutex, n *int) {
	mu.Lock()
	defer mu.Unlock()
	if _, err := os.ReadFile("cut_test.go"); err == nil {
		*n++
	}
}

func TestCut(t *testing.T) {
	var a, b atomic.Int64
	var mu sync.Mutex
	n, plain := 0, 0
	var wg sync.WaitGroup
	for g := range 3 {
		wg.Go(func() {
			a.Store(int64(g))
			mu.Lock()
			n = 3*n + g
			mu.Unlock()
			if b.Add(int64(g)) == 2 {
				plain++
			}
			mu.Lock()
			if n == 7 {
				wg.Go(func() { rare(&mu, &n) })
			}
			mu.Unlock()
		})
	}
	wg.Wait()
	if n == 7 {
		t.Error("seven", plain)
	}
	fmt.Println(a.Load(), n)
}
`,
}

// roundsModule is the same for a search that stores states.
var roundsModule = map[string]string{
	"go.mod": "module example.com/rounds\n\ngo 1.26\n",
	"rounds_test.go": `package rounds

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

func rare(mu *sync.Mutex, n *int) {
	mu.Lock()
	defer mu.Unlock()
	if _, err := os.ReadFile("rounds_test.go"); err == nil {
		*n++
	}
}

func TestRounds(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	x, plain := 0, 0
	for i := range 3 {
		wg.Go(func() {
			for range 4 {
				mu.Lock()
				x = (x*31 + i + 1) % 1009
				if x == 105 {
					wg.Go(func() { rare(&mu, &x) })
				}
				mu.Unlock()
			}
			if x == 77 {
				plain++
			}
		})
	}
	wg.Wait()
	if x == 501 {
		t.Error("wrong", plain)
	}
	fmt.Println(x % 5)
}
`,
}

// TestClusterCut: entries that are cut have the results of one process, whatever dies.
func TestClusterCut(t *testing.T) {
	if deep.Quick() {
		deep.Skip(t, "it starts processes")
	}
	for _, x := range []struct {
		name   string
		module map[string]string
		flags  []string
		alone  []string // and those of one process
	}{
		{"optimal", cutModule, []string{"--por", "optimal", "--all", "--outcomes", "--timeout", "0"}, nil},
		{"surw", cutModule, []string{"--por", "surw", "--all", "--outcomes", "--max-executions", "20000", "--timeout", "0"}, nil},
		{"auto", cutModule, []string{"--all", "--outcomes", "--timeout", "0"}, nil},
		{"jpf", roundsModule, []string{"--por", "jpf", "--all", "--outcomes", "--timeout", "0"}, []string{"-j", "2"}},
	} {
		name, flags := x.name, x.flags
		dir := t.TempDir()
		for name, text := range x.module {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		fresh := func(t *testing.T) *processes {
			p := newProcesses(t)
			p.dir, p.rounds = dir, "2000"
			return p
		}
		plain := fresh(t)
		var out bytes.Buffer
		begun := time.Now()
		want := plain.results(plain.wait(plain.run(&out, slices.Concat(flags, x.alone, []string{"--parallel", "1"})...), &out))
		t.Logf("%s: %v, %d results", name, time.Since(begun), len(want))
		scenario := func(what string, workers int, disturb func(p *processes, list []*exec.Cmd) []*exec.Cmd) {
			t.Run(name+" "+what, func(t *testing.T) {
				p := fresh(t)
				var out bytes.Buffer
				c := p.run(&out, append(p.inside(), flags...)...)
				var list []*exec.Cmd
				for range workers {
					list = append(list, p.worker())
				}
				p.underway("")
				over := make(chan bool)
				go func() {
					defer close(over)
					for n := 0; disturb != nil && n < 6 && c.ProcessState == nil; n++ {
						time.Sleep(1500 * time.Millisecond)
						list = disturb(p, list)
					}
				}()
				p.same(p.wait(c, &out), want)
				<-over
			})
		}
		for n := 1; n <= 3; n++ {
			scenario(fmt.Sprintf("workers%d", n), n, nil)
		}
		scenario("workers die", 3, func(p *processes, list []*exec.Cmd) []*exec.Cmd {
			kill(list[0])
			return append(list[1:], p.worker())
		})
		scenario("workers are late", 3, func(p *processes, list []*exec.Cmd) []*exec.Cmd {
			list[0].Process.Signal(syscall.SIGSTOP)
			time.Sleep(1500 * time.Millisecond) // longer than the deadline
			list[0].Process.Signal(syscall.SIGCONT)
			return append(list[1:], list[0])
		})
		scenario("workers leave", 3, func(p *processes, list []*exec.Cmd) []*exec.Cmd {
			list[0].Process.Signal(syscall.SIGTERM)
			return append(list[1:], p.worker())
		})
		t.Run(name+" the server dies", func(t *testing.T) {
			p := fresh(t)
			data := t.TempDir()
			server := p.server(data)
			var out bytes.Buffer
			c := p.run(&out, append([]string{"--parallel", "0", "--cluster", p.url()}, flags...)...)
			p.worker()
			p.worker()
			for range 3 {
				time.Sleep(disturbed)
				kill(server)
				time.Sleep(300 * time.Millisecond)
				server = p.server(data)
			}
			p.same(p.wait(c, &out), want)
		})
		t.Run(name+" the coordinator dies", func(t *testing.T) {
			p := fresh(t)
			p.server(t.TempDir())
			again := append([]string{"--parallel", "0", "--cluster", p.url(), "--resume"}, flags...)
			p.worker()
			p.worker()
			for i := range 2 {
				c := p.run(nil, again...)
				time.Sleep(disturbed + time.Duration(i)*time.Second)
				kill(c)
			}
			var out bytes.Buffer
			p.same(p.wait(p.run(&out, again...), &out), want)
		})
		t.Run(name+" two runs", func(t *testing.T) {
			p := fresh(t)
			p.server(t.TempDir())
			var first, second bytes.Buffer
			a := p.run(&first, append([]string{"--parallel", "0", "--cluster", p.url()}, flags...)...)
			b := p.run(&second, append([]string{"--parallel", "0", "--cluster", p.url()}, flags...)...)
			for range 3 {
				p.worker()
			}
			p.same(p.wait(a, &first), want)
			p.same(p.wait(b, &second), want)
		})
		t.Run(name+" small messages", func(t *testing.T) {
			p := fresh(t)
			config := filepath.Join(t.TempDir(), "config")
			if err := os.WriteFile(config, []byte("max_payload: 4096"), 0o666); err != nil {
				t.Fatal(err)
			}
			p.nats("-c", config)
			p.listens()
			var out bytes.Buffer
			c := p.run(&out, append([]string{"--parallel", "0", "--cluster", p.url()}, flags...)...)
			p.worker()
			p.worker()
			p.same(p.wait(c, &out), want)
		})
		t.Run(name+" a disk that is full for a while", func(t *testing.T) {
			p := fresh(t)
			disk := p.smallDisk()
			server := p.server(disk)
			var out bytes.Buffer
			c := p.run(&out, append([]string{"--parallel", "0", "--cluster", p.url()}, flags...)...)
			p.worker()
			p.worker()
			p.underway("")
			time.Sleep(disturbed)
			fill(disk, 0)
			time.Sleep(4 * disturbed)
			kill(server)
			files, _ := filepath.Glob(filepath.Join(disk, "fill*"))
			for _, f := range files {
				os.Remove(f)
			}
			p.server(disk)
			p.same(p.wait(c, &out), want)
			if log := p.log(c); !strings.Contains(log, "is its disk full?") || !strings.Contains(log, "reached again") {
				t.Errorf("it does not tell why it waits: %s", log)
			}
		})
	}
}

// nats starts a server as users have one.
func (p *processes) nats(args ...string) {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), "nats-server")
	if out, err := exec.Command("go", "build", "-o", file, "github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
	args = append([]string{"-js", "-sd", p.t.TempDir(), "-a", "127.0.0.1", "-p", fmt.Sprint(p.port)}, args...)
	c := exec.Command(file, args...)
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { kill(c) })
}

// listens waits until the server takes connections: a coordinator does not wait for it.
func (p *processes) listens() {
	p.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", p.port)); err == nil {
			c.Close()
			return
		}
	}
	p.t.Fatal("no server")
}
