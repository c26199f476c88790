package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// TestDogfoodCluster: hbcheck explores the protocol of runs on several machines: a coordinator that dies and
// begins again, workers that die before and after each call, and are late, and cut a task differently the
// second time. The counts are right in every interleaving. And it finds the bugs in mutants of the
// protocol.
func TestDogfoodCluster(t *testing.T) {
	t.Setenv("HBCHECKCACHE", "off")
	dir := filepath.Join("..", "..", "internal", "cluster")
	tests := []string{"TestOneDies", "TestCoordinatorDies", "TestCollector"}
	if !deep.Quick() {
		tests = append(tests, "TestCutTwice", "TestTwoWorkers", "TestLate", "TestPieces", "TestShown", "TestLateAndDead")
	}
	verdicts, text := dogfood(t, dir, "--run", "^("+strings.Join(tests, "|")+")$")
	for _, name := range tests {
		if verdicts[name] != "ok" {
			t.Errorf("%s: %q\n%s", name, verdicts[name], text)
		}
	}
	files := map[string]string{"go.mod": "module example.com/cluster\n\ngo 1.26\n"}
	for _, name := range []string{"cluster.go", "memory.go", "pieces.go", "cluster_test.go"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	for i, x := range []struct{ Name, Test, File, Old, New string }{
		{"acknowledge first", "TestOneDies", "cluster.go", "\tt := d.Task()\n", "\tt := d.Task()\n\tif err := d.Acknowledge(); err != nil {\n\t\treturn err\n\t}\n"},
		{"publish before commit", "TestCutTwice", "cluster.go", "\t\twon, err := q.Commit(t.Name, r)\n",
			"\t\tfor _, c := range r.Children {\n\t\t\tif err := q.Publish(c); err != nil {\n\t\t\t\treturn err\n\t\t\t}\n\t\t}\n\t\twon, err := q.Commit(t.Name, r)\n"},
		{"count acknowledgements", "TestLate", "cluster_test.go", "q.Next()\n\t\tif err != nil {\n\t\t\treturn -1\n\t\t}\n\t\tc.Add(name, r, add)\n",
			"q.Acked()\n\t\tif err != nil {\n\t\t\treturn -1\n\t\t}\n\t\tsum += int(r.Result[0])\n\t\tc.Add(name, r, func(string, Record) {})\n"},
		{"a known record's children are not published again", "TestOneDies", "cluster.go", "\tfor _, c := range r.Children {\n\t\tif err := q.Publish(c)", "\tfor _, c := range r.Children {\n\t\tif known {\n\t\t\tbreak\n\t\t}\n\t\tif err := q.Publish(c)"},
		{"who asks does not wait yet when the piece is published", "TestPieces", "pieces.go", "\tp.mu.Lock()\n\tp.waiting[t.Name] = c\n\tp.mu.Unlock()\n\tif err := p.q.Publish(t); err != nil {\n\t\tp.GiveUp(t.Name)\n\t\treturn nil, err\n\t}\n",
			"\tif err := p.q.Publish(t); err != nil {\n\t\treturn nil, err\n\t}\n\tp.mu.Lock()\n\tp.waiting[t.Name] = c\n\tp.mu.Unlock()\n"},
		{"an owner that begins again uses the names of the first one", "TestPieces", "cluster_test.go", "r-piece-%d\", owner)", "r-piece-%d\", owner-owner)"},
		{"what an owner shows has the name of what the first one has shown", "TestShown", "pieces.go", "\"shown-%s-%d\", owner, number)", "\"shown-%.0s%d\", owner, number)"},
		{"a piece gets what is shown later", "TestShown", "cluster_test.go", "n <= t.Data[1]; n++ {\n\t\t\t\tdata, err := Shown(q.Memory, fmt.Sprint(t.Data[0]), int(n))\n\t\t\t\tif err != nil {\n\t\t\t\t\treturn Record{}, err\n",
			"; n++ {\n\t\t\t\tdata, err := Shown(q.Memory, fmt.Sprint(t.Data[0]), int(n))\n\t\t\t\tif err != nil {\n\t\t\t\t\tbreak\n"},
		{"who begins again publishes the roots only", "TestCoordinatorDies", "cluster.go", "\t\tnext = append(next[:len(next):len(next)], r.Children...)\n", "\t\t_ = r\n"},
	} {
		if !deep.Every(4, i) {
			continue
		}
		if n := strings.Count(files[x.File], x.Old); n != 1 {
			t.Errorf("%s: %q is %d times in %s", x.Name, x.Old, n, x.File)
			continue
		}
		mutant := t.TempDir()
		for name, text := range files {
			if name == x.File {
				text = strings.Replace(text, x.Old, x.New, 1)
			}
			if err := os.WriteFile(filepath.Join(mutant, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if verdicts, text := dogfood(t, mutant, "--run", "^"+x.Test+"$"); verdicts[x.Test] != "fail" {
			t.Errorf("%s: survives: %v\n%s", x.Name, verdicts, text)
		}
	}
}
