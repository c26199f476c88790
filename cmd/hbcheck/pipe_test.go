//go:build unix

package main

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestPipe: opening a pipe, which would wait for another process, is refused.
func TestPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe", 0o666); err != nil {
		t.Skip(err)
	}
	src := `package main

import "os"

func main() {
	os.ReadFile("pipe")
}
`
	if err := os.WriteFile("main.go", []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	code := run([]string{"main.go"}, strings.NewReader(""), &out, &out)
	if want := "main.go:6:13: unsupported: os.ReadFile: opening "; code != exitOK || !strings.Contains(out.String(), want) {
		t.Errorf("exit %d: %s", code, &out)
	}
}
