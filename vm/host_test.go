package vm

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestHostLog: each answer holds until it is another one, and no longer.
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
	// what changes, and which answers are others then
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
				l.note(env, q.ask, q.name)
				l.note([]string{"A=another"}, q.ask, q.name) // the first answer counts
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
	none.note(nil, askKind, "/") // a machine whose questions nothing keeps
}
