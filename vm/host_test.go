package vm

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
	type facts map[hostQuestion]bool
	for _, x := range []struct {
		name   string
		change func()
		others facts
	}{
		{"nothing", func() {}, nil},
		{"content", func() { write("2") }, facts{{askContent, file}: true, {askContent, link}: true}},
		{"size", func() { write("11") }, facts{{askContent, file}: true, {askContent, link}: true, {askStat, file}: true, {askTarget, link}: true}},
		{"time", func() { os.Chtimes(file, old, old.Add(1)) }, facts{{askStat, file}: true, {askTarget, link}: true}},
		{"mode", func() { os.Chmod(file, 0o600) }, facts{{askKind, file}: true, {askStat, file}: true, {askTarget, link}: true}},
		{"gone", func() { os.Remove(file) }, facts{{askKind, file}: true, {askStat, file}: true, {askTarget, link}: true,
			{askContent, file}: true, {askContent, link}: true, {askNames, dir}: true, {askNames, file}: true, {askLink, file}: true}},
		{"new name", func() { os.WriteFile(filepath.Join(dir, "g"), nil, 0o666) }, facts{{askNames, dir}: true}},
		{"another target", func() { point("nowhere") }, facts{{askLink, link}: true, {askContent, link}: true, {askTarget, link}: true}},
		{"a variable", func() { env[0] = "A=2" }, facts{{askVariable, "A"}: true, {askEnvironment, ""}: true}},
		{"another variable", func() { env[2] = "C=2" }, facts{{askVariable, "B"}: true, {askEnvironment, ""}: true}},
		{"the directory", func() { env[1] = "PWD=/y" }, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			os.Remove(filepath.Join(dir, "g"))
			os.Remove(file)
			write("1")
			os.Chmod(file, 0o666)
			point("f")
			env = []string{"A=1", "PWD=/x", "B=2"}
			var l HostLog
			for _, q := range []hostQuestion{{askVariable, "A"}, {askVariable, "B"}, {askVariable, "PWD"}, {askVariable, "Z"}, {askEnvironment, ""},
				{askKind, file}, {askKind, dir}, {askStat, file}, {askTarget, link}, {askContent, file}, {askContent, link}, {askNames, dir}, {askLink, link},
				{askContent, filepath.Join(dir, "none")}, {askNames, file}, {askLink, file}} {
				l.note(new(hostView), env, q.ask, q.name)
				l.note(new(hostView), []string{"A=another"}, q.ask, q.name) // the first answer counts
			}
			x.change()
			for _, f := range l.Facts() {
				q := hostQuestion{hostAsk(f.Ask), f.Name}
				if want := !x.others[q]; f.Holds(env) != want {
					t.Errorf("%v: holds is %v", q, !want)
				}
			}
		})
	}
	if (HostFact{string(askContent), os.DevNull, unknown}).Holds(nil) {
		t.Error("what a device says was known")
	}
	var none *HostLog
	none.note(nil, nil, askKind, "/") // a machine whose questions nothing keeps
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
	look := func(v *hostView) string {
		b := make([]byte, 10)
		n, err := v.readAt(file, b, 0)
		k, err2 := v.readAt(file, b[n:], 2)
		names, err3 := v.names(dir)
		target, err4 := v.target(link)
		info, err5 := v.stat(file, false)
		infoL, err6 := v.stat(link, true)
		_, err7 := v.stat(filepath.Join(dir, "h"), true)
		m, err8 := v.readAt(file, b, 1<<30)
		return fmt.Sprint(string(b[:n+k]), strings.ReplaceAll(names, "\x00", " "), target, info.Size(), infoL.Size(), os.IsNotExist(err7), m, err, err2, err3, err4, err5, err6, err8)
	}
	v := new(hostView)
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
	if is := look(new(hostView)); is == was {
		t.Errorf("whoever has not looked sees %s", is)
	}
	for _, x := range []struct {
		path string
		made bool
	}{{file, false}, {filepath.Join(dir, "none"), false}, {dir, false}, {os.DevNull, false}, {"/proc/uptime", true}} {
		if v.content(x.path).made != x.made {
			t.Errorf("%s is made when it is read: %v", x.path, !x.made)
		}
	}
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, make([]byte, maxKeptFile+1), 0o666); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 4)
	if n, err := v.readAt(large, b, maxKeptFile); n != 1 || err != nil || v.size > maxKeptFile {
		t.Errorf("%d bytes, %v; %d bytes are kept", n, err, v.size)
	}
}

// TestHostName: what a fact is about does not change with the memory that had its name.
func TestHostName(t *testing.T) {
	memory := []byte("/none")
	var log HostLog
	log.note(new(hostView), nil, askKind, unsafe.String(&memory[0], len(memory)))
	memory[1] = 'd'
	if list := log.Facts(); len(list) != 1 || list[0].Name != "/none" {
		t.Errorf("%v", list)
	}
}

// TestHostViewName: what is kept about a file is found under its name, when the memory that had the name has
// changed.
func TestHostViewName(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	memory := []byte(file)
	path, v := unsafe.String(&memory[0], len(memory)), new(hostView)
	v.stat(path, true)
	v.content(path)
	memory[0] = 'x'
	os.Remove(file)
	if c := string(v.content(file).data); c != "text" {
		t.Errorf("the content is %q", c)
	}
	if _, err := v.stat(file, true); err != nil {
		t.Error(err)
	}
}
