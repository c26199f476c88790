package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// TestHostLog: each answer holds until it changes, and no longer.
func TestHostLog(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "f"), filepath.Join(dir, "l")
	old := time.Unix(1e9, 0)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"A=1", "PWD=/x", "B=2"}
	point := func(to string) {
		os.Remove(link)
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	// a change, and the answers that it changes
	type facts map[question]bool
	for _, x := range []struct {
		name   string
		change func()
		others facts
	}{
		{"nothing", func() {}, nil},
		{"content", func() { write("2") }, facts{{AskContent, file}: true, {AskContent, link}: true}},
		{"size", func() { write("11") }, facts{{AskContent, file}: true, {AskContent, link}: true, {AskStat, file}: true, {AskTarget, link}: true}},
		{"time", func() { os.Chtimes(file, old, old.Add(1)) }, facts{{AskStat, file}: true, {AskTarget, link}: true}},
		{"mode", func() { os.Chmod(file, 0o600) }, facts{{AskKind, file}: true, {AskStat, file}: true, {AskTarget, link}: true}},
		{"gone", func() { os.Remove(file) }, facts{{AskKind, file}: true, {AskStat, file}: true, {AskTarget, link}: true,
			{AskContent, file}: true, {AskContent, link}: true, {AskNames, dir}: true, {AskNames, file}: true, {AskLink, file}: true}},
		{"new name", func() { os.WriteFile(filepath.Join(dir, "g"), nil, 0o666) }, facts{{AskNames, dir}: true}},
		{"another target", func() { point("nowhere") }, facts{{AskLink, link}: true, {AskContent, link}: true, {AskTarget, link}: true}},
		{"a variable", func() { env[0] = "A=2" }, facts{{AskVariable, "A"}: true, {AskEnvironment, ""}: true}},
		{"another variable", func() { env[2] = "C=2" }, facts{{AskVariable, "B"}: true, {AskEnvironment, ""}: true}},
		{"the directory", func() { env[1] = "PWD=/y" }, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			os.Remove(filepath.Join(dir, "g"))
			os.Remove(file)
			write("1")
			os.Chmod(file, 0o666)
			point("f")
			env = []string{"A=1", "PWD=/x", "B=2"}
			var l Log
			for _, q := range []question{{AskVariable, "A"}, {AskVariable, "B"}, {AskVariable, "PWD"}, {AskVariable, "Z"}, {AskEnvironment, ""},
				{AskKind, file}, {AskKind, dir}, {AskStat, file}, {AskTarget, link}, {AskContent, file}, {AskContent, link}, {AskNames, dir}, {AskLink, link},
				{AskContent, filepath.Join(dir, "none")}, {AskNames, file}, {AskLink, file}} {
				l.Note(new(View), env, q.ask, q.name)
				l.Note(new(View), []string{"A=another"}, q.ask, q.name) // the first answer counts
			}
			x.change()
			for _, f := range l.Facts() {
				q := question{Ask(f.Ask), f.Name}
				if want := !x.others[q]; f.Holds(env) != want {
					t.Errorf("%v: holds is %v", q, !want)
				}
			}
		})
	}
	if (Fact{string(AskContent), os.DevNull, unknown}).Holds(nil) {
		t.Error("what a device says was known")
	}
	var none *Log
	none.Note(nil, nil, AskKind, "/") // a machine whose questions nothing keeps
}

// TestHostView: a file that is read again is as it was at the first read.
func TestHostView(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "f"), filepath.Join(dir, "l")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	if err := os.Symlink("f", link); err != nil {
		t.Fatal(err)
	}
	look := func(v *View) string {
		b := make([]byte, 10)
		n, err := v.ReadAt(file, b, 0)
		k, err2 := v.ReadAt(file, b[n:], 2)
		names, err3 := v.Names(dir)
		target, err4 := v.Target(link)
		info, err5 := v.Stat(file, false)
		infoL, err6 := v.Stat(link, true)
		_, err7 := v.Stat(filepath.Join(dir, "h"), true)
		m, err8 := v.ReadAt(file, b, 1<<30)
		return fmt.Sprint(string(b[:n+k]), strings.ReplaceAll(names, "\x00", " "), target, info.Size(), infoL.Size(), os.IsNotExist(err7), m, err, err2, err3, err4, err5, err6, err8)
	}
	v := new(View)
	was := look(v)
	write("another")
	os.Remove(link)
	if err := os.Symlink("h", link); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "h"), []byte("h"), 0o666)
	if is := look(v); is != was {
		t.Errorf("first %s, then %s", was, is)
	}
	if is := look(new(View)); is == was {
		t.Errorf("a view that has not read it sees %s", is)
	}
	for _, x := range []struct {
		path string
		made bool
	}{{file, false}, {filepath.Join(dir, "none"), false}, {dir, false}, {os.DevNull, false}, {"/proc/uptime", true}} {
		if v.Content(x.path).Made != x.made {
			t.Errorf("%s is made when it is read: %v", x.path, !x.made)
		}
	}
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, make([]byte, maxKeptFile+1), 0o666); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 4)
	if n, err := v.ReadAt(large, b, maxKeptFile); n != 1 || err != nil || v.size > maxKeptFile {
		t.Errorf("%d bytes, %v; %d bytes are kept", n, err, v.size)
	}
}

// TestHostName: a fact keeps its name when the memory of that name changes.
func TestHostName(t *testing.T) {
	memory := []byte("/none")
	var log Log
	log.Note(new(View), nil, AskKind, unsafe.String(&memory[0], len(memory)))
	memory[1] = 'd'
	if list := log.Facts(); len(list) != 1 || list[0].Name != "/none" {
		t.Errorf("%v", list)
	}
}

// TestHostViewName: a file's data are found under its name, even if the memory of that name has changed.
func TestHostViewName(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	memory := []byte(file)
	path, v := unsafe.String(&memory[0], len(memory)), new(View)
	v.Stat(path, true)
	v.Content(path)
	memory[0] = 'x'
	os.Remove(file)
	if c := string(v.Content(file).Data); c != "text" {
		t.Errorf("the content is %q", c)
	}
	if _, err := v.Stat(file, true); err != nil {
		t.Error(err)
	}
}
