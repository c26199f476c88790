package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/vm"
)

// TestRefused: a refusal has a code and a position in JSON, and docs/formats.md has all codes.
func TestRefused(t *testing.T) {
	page := document(t, "docs/formats.md")
	for _, code := range vm.RefusalCodes() {
		if !strings.Contains(page, "`"+string(code)+"`") {
			t.Errorf("docs/formats.md does not say what %s is", code)
		}
	}
	t.Chdir(t.TempDir())
	src := `package p

import (
	"os"
	"os/exec"
	"reflect"
	"syscall"
	"testing"

	"example.com/dep"
)

func assembly()

func TestAssembly(t *testing.T) { assembly() }

func TestProcess(t *testing.T) { exec.Command("true").Run() }

func TestSize(t *testing.T) { _ = make([]int, 1<<31+len(os.Args)) }

func TestType(t *testing.T) { reflect.ArrayOf(1<<31, reflect.TypeFor[int]()) }

func TestSignal(t *testing.T) { syscall.Kill(1, syscall.SIGTERM) }

func FuzzInput(f *testing.F) { f.Fuzz(func(t *testing.T, x float64) {}) }

func TestMeasure(t *testing.T) {
	if testing.AllocsPerRun(1, func() {}) == 0 {
		t.Error("none")
	}
}

func TestFile(t *testing.T) { os.OpenFile("/dev/zero", os.O_WRONLY, 0) }

func TestCall(t *testing.T) { syscall.EpollCreate1(0) }

func TestNumber(t *testing.T) { syscall.Syscall(3000, 0, 0, 0) }

func TestModule(t *testing.T) { dep.Watch() } // another module calls it

func TestFine(t *testing.T) {}
`
	if err := os.Mkdir("dep", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"p_test.go": src, "p.s": "",
		"go.mod":     "module example.com/p\n\ngo 1.26\n\nrequire example.com/dep v0.0.0\n\nreplace example.com/dep => ./dep\n",
		"dep/go.mod": "module example.com/dep\n\ngo 1.26\n",
		"dep/dep.go": "package dep\n\nimport \"syscall\"\n\nfunc Watch() { syscall.EpollCreate1(0) }\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	run([]string{"-json", "."}, strings.NewReader(""), &out, &errs)
	calls := map[string]string{"TestCall": "system call epoll_create1", "TestNumber": "system call 3000",
		"TestModule": "system call epoll_create1"}
	got := make(map[string]string)
	for dec := json.NewDecoder(&out); dec.More(); {
		var r struct {
			Entry   string
			Refused []struct{ Code, What, Func, Pos string }
		}
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		for _, x := range r.Refused {
			got[r.Entry] += x.Code
			if !strings.HasPrefix(x.Pos, "p_test.go:") || x.What == "" {
				t.Errorf("%s: %+v", r.Entry, x)
			}
			if want := calls[r.Entry]; want != "" && !strings.HasSuffix(x.What, want) {
				t.Errorf("%s: %s, want %s", r.Entry, x.What, want)
			}
		}
	}
	want := map[string]string{"TestAssembly": "assembly", "TestProcess": "process", "TestSize": "size", "TestType": "type", "TestSignal": "signal",
		"FuzzInput": "input", "TestMeasure": "measure", "TestFile": "file", "TestCall": "syscall", "TestNumber": "syscall",
		"TestModule": "syscall"}
	for entry, code := range want {
		if got[entry] != code {
			t.Errorf("%s: %q, want %q", entry, got[entry], code)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%v\n%s", got, errs.String())
	}
}

// TestMemoryShown: the verdict on a program that reads memory statistics names them as an assumption, which
// --assume=gc accepts.
func TestMemoryShown(t *testing.T) {
	t.Chdir(t.TempDir())
	src := `package p

import (
	"runtime"
	"testing"
)

var keep *int

func TestMallocs(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	keep = new(int)
	runtime.ReadMemStats(&after)
	_ = before.Mallocs == after.Mallocs
}
`
	for name, text := range map[string]string{"p_test.go": src, "go.mod": "module example.com/p\n\ngo 1.26\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		flag string
		code int
		want string
	}{
		{"--assume=rand", exitOK, "exhaustive, assuming memory statistics"},
		{"--assume=rand", exitOK, "memory statistics (those of a small idle program) at p_test.go:12"},
		{"--strict", exitIncomplete, "??  \texample.com/p\tTestMallocs\texhaustive, assuming memory statistics"},
		{"--assume=none", exitOK, "??  \texample.com/p\tTestMallocs"},
		{"--strict --assume=gc", exitOK, "ok  \texample.com/p\tTestMallocs"},
	} {
		var out bytes.Buffer
		if code := run(append(strings.Fields(x.flag), "."), strings.NewReader(""), &out, &out); code != x.code || !strings.Contains(out.String(), x.want) {
			t.Errorf("%s: exit %d: %s", x.flag, code, out.String())
		}
	}
}
