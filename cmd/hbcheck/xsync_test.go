package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestXSync explores packages of golang.org/x/sync as they are, which must be
// exhaustive and show no bug, and with one line taken out, which must be
// found. The tests are testdata/xsync/*_test.go; the packages come from the
// module cache.
func TestXSync(t *testing.T) {
	exec.Command("go", "mod", "download", "golang.org/x/sync").Run() // offline it may be there already
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sync").Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		t.Skipf("golang.org/x/sync is not in the module cache: %v", err)
	}
	for _, tt := range []struct {
		pkg    string
		remove string // from the package's file; "": nothing
		want   string // part of what is found
	}{
		{pkg: "errgroup"},
		{"errgroup", "\tg.wg.Wait()\n", "HB002"},
		{"errgroup", "\t\tg.sem <- token{}\n", "HB0"},
		{"errgroup", "\tg.wg.Done()\n", "HB001"},
		{pkg: "singleflight"},
		{"singleflight", "\t\tc.wg.Wait()\n", "HB0"},
		{"singleflight", "\t\tg.mu.Lock()\n\t\tdefer g.mu.Unlock()\n", "HB0"},
		{pkg: "semaphore"},
		{"semaphore", "\t\t\ts.cur -= n\n\t\t\ts.notifyWaiters()\n", "HB005"},
		{"semaphore", "\ts.notifyWaiters()\n\ts.mu.Unlock()\n", "HB0"},
	} {
		name := tt.pkg
		if tt.remove != "" {
			name += " without " + strings.Join(strings.Fields(tt.remove), " ")
		}
		t.Run(name, func(t *testing.T) {
			tmp := t.TempDir()
			copyFile(t, filepath.Join(dir, tt.pkg, tt.pkg+".go"), filepath.Join(tmp, tt.pkg+".go"), tt.remove)
			copyFile(t, filepath.Join(start, "testdata", "xsync", tt.pkg+"_test.go"), filepath.Join(tmp, tt.pkg+"_test.go"), "")
			if err := os.WriteFile(filepath.Join(tmp, "go.mod"), []byte("module example.com/"+tt.pkg+"\n\ngo 1.26\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			code := run([]string{"-C", tmp, "-o", filepath.Join(tmp, "out"), "."}, strings.NewReader(""), &out, &out)
			t.Logf("%s", clean(out.String(), tmp))
			switch {
			case tt.remove == "" && (code != exitOK || !strings.Contains(out.String(), "exhaustive")):
				t.Errorf("exit %d", code)
			case tt.remove != "" && (code != exitBug || !strings.Contains(out.String(), tt.want)):
				t.Errorf("exit %d, want %s", code, tt.want)
			}
		})
	}
}

// copyFile copies a file and takes out the first occurrence of remove.
func copyFile(t *testing.T, from, to, remove string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if remove != "" {
		if !bytes.Contains(data, []byte(remove)) {
			t.Fatalf("%s does not contain %q", from, remove)
		}
		data = bytes.Replace(data, []byte(remove), nil, 1)
	}
	if err := os.WriteFile(to, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
