//go:build unix && cluster

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/cluster/jetstream"
	"hbcheck.dev/hbcheck/internal/deep"
)

// clusterModule has entries of all sorts: entries that depend on the host, or have a bug, a comment
// that accepts one, or a seed corpus; long entries and short ones.
var clusterModule = map[string]string{
	"go.mod":                     "module example.com/m\n\ngo 1.26\n",
	"a/testdata/text":            "hello\n",
	"a/testdata/fuzz/FuzzF/seed": "go test fuzz v1\nint(7)\n",
	"a/embedded":                 "embedded\n",
	"a/a_test.go": `package a

import (
	_ "embed"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
)

//go:embed embedded
var embedded string

func TestEmbed(t *testing.T) {
	if embedded != "embedded\n" {
		t.Fatal(embedded)
	}
}

func TestFile(t *testing.T) {
	text, err := os.ReadFile("testdata/text")
	if err != nil || string(text) != "hello\n" {
		t.Fatal(err)
	}
}

// Workers do not have this variable and this file.
func TestHost(t *testing.T) {
	if os.Getenv("HBTEST_HERE") != "yes" {
		t.Fatal("not here")
	}
	if _, err := os.Stat(os.Getenv("HBTEST_FILE")); err != nil {
		t.Fatal(err)
	}
}

func TestBug(t *testing.T) {
	n := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { n++ })
	}
	wg.Wait()
}

func TestAccepted(t *testing.T) {
	c := make(chan int)
	//hbcheck:ignore HB003 it is accepted
	go func() { c <- 1 }()
}

func TestLeak(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
}

func FuzzF(f *testing.F) {
	f.Fuzz(func(t *testing.T, n int) {
		if n == 8 {
			t.Error("eight")
		}
	})
}

func TestSkipped(t *testing.T) { t.Skip("not now") }

func TestSquare(t *testing.T) {
	var n atomic.Int64
	var wg sync.WaitGroup
	for g := range 3 {
		wg.Go(func() {
			for range 2 {
				n.Store(n.Load() + int64(g))
			}
		})
	}
	wg.Wait()
	fmt.Sprint(n.Load())
}
`,
	"b/b_test.go": `package b

import (
	"sync"
	"testing"
)

func work(goroutines, rounds int) {
	var mu sync.Mutex
	n := 0
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range rounds {
				mu.Lock()
				n++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

func TestOne(t *testing.T)   { work(2, 2) }
func TestTwo(t *testing.T)   { work(2, 3) }
func TestThree(t *testing.T) { work(3, 2) }

var shared int

func TestPairA(t *testing.T) { t.Parallel(); shared++ }
func TestPairB(t *testing.T) { t.Parallel(); shared++ }
`,
}

// clusterEntries is how many entries it has, with the pair of tests that run in parallel.
const clusterEntries = 15

// processes are those of a test.
type processes struct {
	t     *testing.T
	dir   string // of the module
	cache string
	port  int
	// patience is how long a run may take.
	patience time.Duration
	rounds   string // see roundsVariable
	share    string // see shareVariable

	mu   sync.Mutex
	all  []*exec.Cmd
	logs map[*exec.Cmd]*bytes.Buffer
}

func newProcesses(t *testing.T) *processes {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &processes{t: t, dir: t.TempDir(), cache: t.TempDir(), port: l.Addr().(*net.TCPAddr).Port, logs: make(map[*exec.Cmd]*bytes.Buffer), patience: 2 * time.Minute}
	l.Close()
	for name, text := range clusterModule {
		name = filepath.Join(p.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, c := range p.all {
			c.Process.Kill()
			c.Wait()
			if t.Failed() {
				t.Logf("%q:\n%s", c.Args[1:], p.logs[c])
			}
		}
	})
	return p
}

// start starts the test binary as hbcheck.
func (p *processes) start(dir string, env []string, out io.Writer, args ...string) *exec.Cmd {
	p.t.Helper()
	c := exec.Command(os.Args[0], args...)
	c.Dir = dir
	c.Env = append(env, asProcess+"="+p.cache, roundsVariable+"="+p.rounds, shareVariable+"="+p.share)
	log := new(bytes.Buffer)
	c.Stdout, c.Stderr = log, log
	if out != nil {
		c.Stdout = out
	}
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all, p.logs[c] = append(p.all, c), log
	return c
}

// log is the output of a process that has ended.
func (p *processes) log(c *exec.Cmd) string { return p.logs[c].String() }

// url is the address for workers.
func (p *processes) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", p.port) }

// worker starts a worker, where there is neither Go nor the module.
func (p *processes) worker(url ...string) *exec.Cmd {
	if url == nil {
		url = []string{p.url()}
	}
	return p.start("/", []string{"HOME=/nowhere"}, nil, "worker", "-j", "1", "--ack-wait", "1s", "--drain", "1s", url[0])
}

// explore are the arguments of a run.
func (p *processes) explore(more ...string) []string {
	return append(append([]string{"explore", "--format", "json", "--html", "off", "--timeout", "40s", "--count", "1", "--save", "off", "-o", filepath.Join(p.dir, ".out"), "--ack-wait", "1s"}, more...), "./...")
}

// run starts a run.
func (p *processes) run(out io.Writer, more ...string) *exec.Cmd {
	env := append(os.Environ(), "HBTEST_HERE=yes", "HBTEST_FILE="+filepath.Join(p.dir, "go.mod"))
	return p.start(p.dir, env, out, p.explore(more...)...)
}

// inside are the flags of a run with a server inside.
func (p *processes) inside() []string {
	return []string{"--parallel", "0", "--cluster", fmt.Sprintf("127.0.0.1:%d", p.port)}
}

// results are the results of a run by entry, without parts that differ between runs.
func (p *processes) results(out []byte) map[string]string {
	p.t.Helper()
	m := make(map[string]string)
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var x map[string]any
		if err := dec.Decode(&x); err != nil {
			p.t.Fatalf("%v in %s", err, out)
		}
		var strip func(v any)
		strip = func(v any) {
			switch v := v.(type) {
			case map[string]any:
				maps.DeleteFunc(v, func(k string, _ any) bool { return strings.HasSuffix(k, "_s") || k == "peak_bytes" })
				for _, w := range v {
					strip(w)
				}
			case []any:
				for _, w := range v {
					strip(w)
				}
			}
		}
		strip(x)
		text, err := json.Marshal(x)
		if err != nil {
			p.t.Fatal(err)
		}
		m[fmt.Sprintf("%v %v %v", x["action"], x["package"], x["entry"])] = string(text)
	}
	return m
}

// same compares the results of a run with those of one machine.
func (p *processes) same(got []byte, want map[string]string) {
	p.t.Helper()
	m := p.results(got)
	for k, v := range want {
		if m[k] != v {
			p.t.Errorf("%s:\n%s\nwant\n%s", k, m[k], v)
		}
	}
	if len(m) != len(want) {
		p.t.Errorf("%d results, want %d", len(m), len(want))
	}
}

// wait waits for a run.
func (p *processes) wait(c *exec.Cmd, out *bytes.Buffer) []byte {
	p.t.Helper()
	over := time.AfterFunc(p.patience, func() { c.Process.Signal(syscall.SIGQUIT) })
	defer over.Stop()
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitBug {
		p.t.Errorf("exit %d: %s", code, p.log(c))
	}
	return out.Bytes()
}

// fresh returns processes that share only the module.
func (p *processes) fresh(t *testing.T) *processes {
	q := newProcesses(t)
	q.dir = p.dir
	return q
}

// server starts a NATS server that keeps its data in dir.
func (p *processes) server(dir string) *exec.Cmd {
	c := p.start("/", []string{asServer + "=" + dir}, nil, fmt.Sprintf("127.0.0.1:%d", p.port))
	p.listens()
	return c
}

// underway waits until there is a run, and a worker.
func (p *processes) underway(secret string) {
	p.t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		a, err := jetstream.ParseAddress(strings.Replace(p.url(), "//", "//"+secret, 1))
		if err != nil {
			p.t.Fatal(err)
		}
		c, err := jetstream.Connect(p.t.Context(), a, jetstream.Options{})
		if err != nil {
			continue
		}
		s, err := c.Status(p.t.Context())
		c.Close()
		if err == nil && len(s.Runs) > 0 && len(s.Workers) > 0 && s.Runs[0].State == jetstream.Running {
			return
		}
	}
	p.t.Fatal("no run begins")
}

// smallDisk returns a directory of 8 MB.
func (p *processes) smallDisk() string {
	p.t.Helper()
	dir := p.t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m", "none", dir).CombinedOutput(); err != nil {
		p.t.Skipf("no small disk: %s", out)
	}
	p.t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
	return dir
}

// fill leaves room for n bytes in dir, or less.
func fill(dir string, n int) {
	os.WriteFile(filepath.Join(dir, "room"), make([]byte, n), 0o666)
	for i, size := 0, 1<<16; size > 0; i++ {
		name := filepath.Join(dir, fmt.Sprintf("fill%d", i))
		if os.WriteFile(name, make([]byte, size), 0o666) != nil {
			os.Remove(name)
			size /= 2
		}
	}
	os.Remove(filepath.Join(dir, "room"))
}

// sameOrRefused waits for a run whose server has a small disk. Its results are right, or it says why there
// are none.
func (p *processes) sameOrRefused(c *exec.Cmd, out *bytes.Buffer, want map[string]string) {
	p.t.Helper()
	over := time.AfterFunc(time.Minute, func() { c.Process.Kill() })
	c.Wait()
	over.Stop()
	if code := c.ProcessState.ExitCode(); code == exitBug {
		p.same(out.Bytes(), want) // it did fit
	} else if code != exitUsage || !strings.Contains(p.log(c), "cluster ") {
		p.t.Errorf("exit %d: %s%s", code, out, p.log(c))
	} else {
		p.t.Logf("%s", p.log(c))
	}
}

// kill kills a process, as a machine dies.
func kill(c *exec.Cmd) {
	c.Process.Kill()
	c.Wait()
}

// disturbed is the least time of a run in which processes are killed.
const disturbed = 3 * time.Second

// TestCluster: several workers have the findings of one process, whichever processes die.
func TestCluster(t *testing.T) {
	if deep.Quick() {
		deep.Skip(t, "it starts processes")
	}
	plain := newProcesses(t)
	var out bytes.Buffer
	want := plain.results(plain.wait(plain.run(&out, "--parallel", "1"), &out))
	if len(want) != clusterEntries+1 {
		t.Fatalf("%d results, want %d: %s", len(want)-1, clusterEntries, &out)
	}
	scenario := func(name string, f func(t *testing.T, p *processes)) {
		t.Run(name, func(t *testing.T) { f(t, plain.fresh(t)) })
	}
	for _, n := range []int{1, 2, 3} {
		scenario(fmt.Sprintf("workers%d", n), func(t *testing.T, p *processes) {
			var out bytes.Buffer
			c := p.run(&out, p.inside()...)
			for range n {
				p.worker()
			}
			p.same(p.wait(c, &out), want)
		})
	}
	scenario("alone", func(t *testing.T, p *processes) {
		var out bytes.Buffer
		p.same(p.wait(p.run(&out, "--parallel", "2", "--cluster", fmt.Sprintf("127.0.0.1:%d", p.port)), &out), want)
	})
	scenario("workers die", func(t *testing.T, p *processes) {
		var out bytes.Buffer
		c := p.run(&out, p.inside()...)
		stop := make(chan bool)
		var killer sync.WaitGroup
		killer.Go(func() {
			list := []*exec.Cmd{p.worker(), p.worker(), p.worker()}
			for n := 0; ; n++ {
				select {
				case <-stop:
					t.Logf("%d workers killed", n)
					return
				case <-time.After(time.Second):
					if n < 8 { // then they may finish
						i := rand.IntN(len(list))
						kill(list[i])
						list[i] = p.worker()
					}
				}
			}
		})
		got := p.wait(c, &out)
		close(stop)
		killer.Wait()
		p.same(got, want)
	})
	scenario("a worker is late", func(t *testing.T, p *processes) {
		var out bytes.Buffer
		c := p.run(&out, p.inside()...)
		w := p.worker()
		for range 3 {
			time.Sleep(time.Second)
			w.Process.Signal(syscall.SIGSTOP)
			time.Sleep(2 * time.Second)
			p.worker()
			w.Process.Signal(syscall.SIGCONT)
		}
		p.same(p.wait(c, &out), want)
	})
	scenario("a worker leaves", func(t *testing.T, p *processes) {
		var out bytes.Buffer
		c := p.run(&out, p.inside()...)
		w := p.worker()
		p.underway("")
		time.Sleep(disturbed)
		w.Process.Signal(syscall.SIGTERM)
		if err := w.Wait(); err != nil || !strings.Contains(p.log(w), "leaving") {
			t.Errorf("%v: %s", err, p.log(w))
		}
		p.worker()
		p.same(p.wait(c, &out), want)
	})
	scenario("the coordinator dies", func(t *testing.T, p *processes) {
		w := p.worker()
		for i := range 3 {
			c := p.run(nil, append(p.inside(), "--resume")...)
			time.Sleep(disturbed + time.Duration(i)*time.Second)
			kill(c)
		}
		var out bytes.Buffer
		c := p.run(&out, append(p.inside(), "--resume")...)
		p.same(p.wait(c, &out), want)
		_ = w
	})
	scenario("the server dies", func(t *testing.T, p *processes) {
		dir := t.TempDir()
		server := p.server(dir)
		var out bytes.Buffer
		c := p.run(&out, "--parallel", "0", "--cluster", p.url())
		p.worker()
		p.worker()
		for range 3 {
			time.Sleep(disturbed)
			kill(server)
			time.Sleep(300 * time.Millisecond)
			server = p.server(dir)
		}
		p.same(p.wait(c, &out), want)
	})
	scenario("two runs", func(t *testing.T, p *processes) {
		p.server(t.TempDir())
		var first, second bytes.Buffer
		a := p.run(&first, "--parallel", "0", "--cluster", p.url())
		b := p.run(&second, "--parallel", "0", "--cluster", p.url())
		p.worker()
		p.worker()
		p.same(p.wait(a, &first), want)
		p.same(p.wait(b, &second), want)
	})
	scenario("prefixes", func(t *testing.T, p *processes) {
		p.server(t.TempDir())
		var out bytes.Buffer
		c := p.run(&out, "--parallel", "0", "--cluster", p.url()+"?prefix=mine")
		other := p.worker() // it has no run
		p.worker(p.url() + "?prefix=mine")
		p.same(p.wait(c, &out), want)
		kill(other)
		if strings.Contains(p.log(other), "loading") {
			t.Errorf("a worker of another prefix has taken something: %s", p.log(other))
		}
	})
	scenario("another build", func(t *testing.T, p *processes) {
		var out bytes.Buffer
		c := p.run(&out, p.inside()...)
		p.worker()
		p.underway("")
		other := p.start("/", []string{otherBuildVariable + "=0123456789ab"}, nil, "worker", p.url())
		if other.Wait() == nil {
			t.Error("a worker of another build is taken")
		}
		if log := p.log(other); !strings.Contains(log, "refused: the run of ") || !strings.Contains(log, "build 0123456789ab") {
			t.Errorf("a worker of another build says %s", log)
		}
		p.same(p.wait(c, &out), want)
	})
	scenario("credentials", func(t *testing.T, p *processes) {
		var out bytes.Buffer
		c := p.run(&out, "--parallel", "0", "--cluster", fmt.Sprintf("pass@127.0.0.1:%d", p.port))
		p.start("/", nil, nil, "worker", fmt.Sprintf("nats://pass@127.0.0.1:%d", p.port))
		p.underway("pass@")
		for _, url := range []string{p.url(), fmt.Sprintf("nats://wrong@127.0.0.1:%d", p.port)} {
			w := p.start("/", nil, nil, "worker", url)
			if w.Wait() == nil || !strings.Contains(p.log(w), "Authorization") || strings.Contains(p.log(w), "wrong") {
				t.Errorf("%s: %s", url, p.log(w))
			}
		}
		p.same(p.wait(c, &out), want)
	})
	scenario("a full disk", func(t *testing.T, p *processes) {
		dir := p.smallDisk()
		fill(dir, 2<<20)
		p.server(dir)
		var out bytes.Buffer
		p.sameOrRefused(p.run(&out, "--parallel", "1", "--cluster", p.url()), &out, want)
	})
	scenario("status", func(t *testing.T, p *processes) {
		var out bytes.Buffer
		c := p.run(&out, p.inside()...)
		p.worker()
		p.underway("")
		var s jetstream.Status
		var table, text bytes.Buffer
		p.start("/", nil, &text, "status", "--format", "json", p.url()).Wait()
		if err := json.Unmarshal(text.Bytes(), &s); err != nil || len(s.Runs) != 1 || len(s.Workers) != 1 || s.Runs[0].Entries != clusterEntries || s.Workers[0].Slots != 1 {
			t.Errorf("%v: %s", err, &text)
		}
		p.start("/", nil, &table, "status", p.url()).Wait()
		if s := table.String(); !strings.Contains(s, "RUN ") || !strings.Contains(s, "running") || !strings.Contains(s, "working") {
			t.Errorf("%s", s)
		}
		p.same(p.wait(c, &out), want)
	})
}
