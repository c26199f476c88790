//go:build cluster

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/cluster/jetstream"
	_ "hbcheck.dev/hbcheck/internal/cluster/server"
	"hbcheck.dev/hbcheck/internal/deep"
)

// asServer is the environment variable with which the test binary runs as a NATS server. Its value is
// the directory of the data; the argument of the process is the address.
const asServer = "HBCHECK_TEST_SERVER"

// otherBuildVariable makes a test process report another build of hbcheck.
const otherBuildVariable = "HBCHECK_TEST_BUILD"

func init() {
	testBuild = os.Getenv(otherBuildVariable)
	if dir := os.Getenv(asServer); dir != "" {
		serveTests(os.Args[1], dir)
	}
}

// serveTests is a NATS server until it is killed.
func serveTests(address, dir string) {
	a, err := jetstream.ParseAddress(address)
	if err == nil {
		_, err = jetstream.Serve(a, dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitUsage)
	}
	select {}
}

// TestClusterCached: a run with workers has the output of a run without them, and its cached results depend
// on the files that the program has read.
func TestClusterCached(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HBCHECKCACHE", filepath.Join(t.TempDir(), "cache"))
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "text": "good", "m_test.go": `package m

import (
	"os"
	"testing"
)

func TestText(t *testing.T) {
	text, err := os.ReadFile("text")
	if err != nil || string(text) != "good" {
		t.Fatal("it is not good")
	}
}

func TestTwo(t *testing.T) {
	c := make(chan int, 2)
	for range 2 {
		go func() { c <- 1 }()
	}
	<-c
	<-c
}
`} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	explored := func(flags ...string) (out string, code int) {
		var stdout, stderr bytes.Buffer
		code = run(append([]string{"explore", "--html", "off", "--parallel", "1"}, flags...), strings.NewReader(""), &stdout, &stderr)
		return tabRE.ReplaceAllString(timeRE.ReplaceAllString(stdout.String(), "0.00s"), `\t0.00s`), code
	}
	want, _ := explored("--count", "1")
	got, code := explored("--count", "1", "--cluster", "127.0.0.1:0")
	if got != want || code != exitOK {
		t.Errorf("exit %d: %s\nwant %s", code, got, want)
	}
	if deep.Quick() {
		return
	}
	if got, code = explored("--cluster", "127.0.0.1:0"); code != exitOK || strings.Contains(got, "cached") {
		t.Errorf("exit %d: %s", code, got)
	}
	if got, code = explored(); code != exitOK || strings.Count(got, "cached") == 0 {
		t.Errorf("exit %d, not cached: %s", code, got)
	}
	if err := os.WriteFile("text", []byte("bad"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, code = explored(); code != exitBug {
		t.Errorf("exit %d after the file has changed: %s", code, got)
	}
}
