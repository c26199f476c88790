package load

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestBundle checks that a bundle loads without the go command and without the files.
func TestBundle(t *testing.T) {
	above := filepath.Join(t.TempDir(), "above")
	dir := filepath.Join(above, "m")
	for name, text := range map[string]string{
		"go.mod":                "module m\n\ngo 1.26\n",
		"m.go":                  "package m\n\nimport (\n\t_ \"embed\"\n\t\"strings\"\n)\n\n//go:embed testdata/a.txt\nvar A string\n\nfunc F() bool { return strings.Contains(A, \"a\") }\n",
		"m_test.go":             "package m\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { F() }\n\nfunc FuzzF(f *testing.F) { f.Fuzz(func(t *testing.T, n int) {}) }\n",
		"testdata/a.txt":        "a",
		"testdata/fuzz/FuzzF/x": "go test fuzz v1\nint(7)\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := Load(Config{Dir: dir, Patterns: []string{"./..."}, Tests: true, Again: true, GoAnswers: NewGoAnswers()})
	if err != nil {
		t.Fatal(err)
	}
	os.Chmod(above, 0o711|fs.ModeSticky)
	mode := modeOf(t, above)
	var b bytes.Buffer
	if err := prog.Bundle(&b, []byte("extra")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	to := t.TempDir()
	extra, err := Unpack(&b, to)
	if err != nil || string(extra) != "extra" {
		t.Fatalf("Unpack: %q, %v", extra, err)
	}
	if got := modeOf(t, filepath.Join(to, filepath.FromSlash(inBundle(above)))); got != mode {
		t.Errorf("the mode of the directory above is %v, want %v", got, mode)
	}
	var cfg = Config{Tests: true}
	if err := cfg.Bundled(to); err != nil {
		t.Fatal(err)
	}
	again, err := Load(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Entries) != 2 || len(again.Entries) != len(prog.Entries) {
		t.Fatalf("%d entries, want 2", len(again.Entries))
	}
	for i, e := range again.Entries {
		f := prog.Entries[i]
		if e.Name != f.Name || len(e.Corpus) != len(f.Corpus) || again.Fset.Position(e.Pos) != prog.Fset.Position(f.Pos) || again.WorkDir(e) != prog.WorkDir(f) {
			t.Errorf("entry %d: %s at %v, want %s at %v", i, e.Name, again.Fset.Position(e.Pos), f.Name, prog.Fset.Position(f.Pos))
		}
	}
	if len(again.Entries[1].Corpus) != 1 {
		t.Error("the seed corpus is not in the bundle")
	}
	for i := range again.All {
		if again.All[i].ID != prog.All[i].ID || len(again.All[i].Files) != len(prog.All[i].Files) {
			t.Errorf("package %d is %s, want %s", i, again.All[i].ID, prog.All[i].ID)
		}
	}
	t.Logf("%d bytes", b.Cap())
}

func modeOf(t *testing.T, name string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// TestRooted: nothing leads out of a bundle.
func TestRooted(t *testing.T) {
	root := t.TempDir()
	for name, want := range map[string]string{"/a/b": "/a/b", "/../../etc/passwd": "/etc/passwd", "/a/../../b": "/b", "/": "/"} {
		if got, want := Rooted(root, filepath.FromSlash(name)), filepath.Join(root, filepath.FromSlash(want)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := Rooted("", "/a"); got != "/a" {
		t.Errorf("without a bundle: %s", got)
	}
	dir := t.TempDir()
	for name, target := range map[string]string{"out": "/etc", "up": "../x", "in": "sub/file"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	var b bytes.Buffer
	x := &bundler{tar: tar.NewWriter(&b), seen: make(map[string]bool)}
	x.tree(dir, true)
	if x.err != nil || !x.seen[filepath.Join(dir, "out")] {
		t.Fatal(x.err)
	}
	var links []string
	for r := tar.NewReader(&b); ; {
		h, err := r.Next()
		if err != nil {
			break
		}
		if h.Typeflag == tar.TypeSymlink {
			links = append(links, filepath.Base(h.Name))
		}
	}
	if len(links) != 1 || links[0] != "in" {
		t.Errorf("links %q, want that which stays below", links)
	}
}
