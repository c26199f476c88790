package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// result has the fields of the output of hbcheck --format=json for an entry that the page needs.
type result struct {
	Package, Entry, Verdict, Error, Por string
	Bugs                                []struct{ Code, Severity, Message, Pos string }
	Incomplete                          []string
	Assumed                             []struct{ Message string }
	Stats                               struct {
		Executions, Goroutines int
		Explore                float64 `json:"explore_s"`
		Load                   float64 `json:"load_s"`
	}
}

// answers has the results of one module: in Once those of single runs of all tests; in Explored those of
// the chosen tests, which start goroutines, end, and are not refused.
type answers struct {
	Path, Version  string
	Once, Explored []result
	Concurrent     int // tests that start goroutines and can be explored
}

// ask downloads the module, runs each of its tests once, and explores some of them.
func ask(m module, hbcheck string) (answers, error) {
	a := answers{Path: m.path, Version: m.version}
	dir, err := fetch(m)
	if err != nil {
		return a, err
	}
	log.Printf("%s: each test once", m)
	a.Once = run(dir, hbcheck, append([]string{"--por=random", "--max-executions=1", "--time=virtual",
		"--assume=all", "--timeout=10s"}, m.packages...))
	var fit []result
	for _, r := range a.Once {
		if r.Stats.Goroutines > 1 && r.Error == "" && !refused(r) {
			fit = append(fit, r)
		}
	}
	a.Concurrent = len(fit)
	for i, r := range spread(fit, *limitFlag) {
		log.Printf("%s: %s (%d)", m, r.Entry, i+1)
		found := run(dir, hbcheck, []string{"--timeout=" + *timeFlag, "--run=^" + r.Entry + "$", r.Package})
		for _, f := range found {
			if f.Entry == r.Entry {
				a.Explored = append(a.Explored, f)
			}
		}
	}
	return a, nil
}

// spread picks at most n of the results, evenly.
func spread(all []result, n int) []result {
	if len(all) <= n {
		return all
	}
	var some []result
	for i := range n {
		some = append(some, all[i*len(all)/n])
	}
	return some
}

// run returns hbcheck's JSON for these arguments; its exit status is that of the tests.
func run(dir, hbcheck string, args []string) (all []result) {
	for _, line := range runLines(dir, hbcheck, args) {
		var r result
		if err := json.Unmarshal(line, &r); err != nil {
			log.Printf("%s: %v", strings.Join(args, " "), err)
		} else if r.Entry != "" {
			all = append(all, r)
		}
	}
	return all
}

// runLines returns the lines of hbcheck's JSON.
func runLines(dir, hbcheck string, args []string) (lines []json.RawMessage) {
	cmd := exec.Command(hbcheck, append([]string{"--format=json", "-count=1", "-o", os.TempDir()}, args...)...)
	cmd.Dir = dir
	var out, msgs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msgs
	err := cmd.Run()
	for dec := json.NewDecoder(&out); ; {
		var line json.RawMessage
		if derr := dec.Decode(&line); errors.Is(derr, io.EOF) {
			break
		} else if derr != nil {
			log.Printf("%s: %v", strings.Join(args, " "), derr)
			break
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 && err != nil {
		log.Printf("%s: %v: %s", strings.Join(args, " "), err, lastLine(msgs.String()))
	}
	return lines
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// fetch makes a writable copy of the module, for go.sum; its code is unchanged.
func fetch(m module) (string, error) {
	dir := m.file()
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	out, err := command(os.TempDir(), "go", "mod", "download", "-json", m.path+"@"+m.version)
	var found struct{ Dir, Error string }
	if jerr := json.Unmarshal(out, &found); jerr != nil || found.Error != "" {
		return "", fmt.Errorf("download: %v %s", err, found.Error)
	}
	tmp := dir + ".new"
	if err := os.RemoveAll(tmp); err != nil {
		return "", err
	}
	if err := os.CopyFS(tmp, os.DirFS(found.Dir)); err != nil {
		return "", err
	}
	if err := filepath.WalkDir(tmp, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chmod(p, 0o755)
	}); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(tmp, "go.mod")); err != nil {
		if _, err := command(tmp, "go", "mod", "init", m.path); err != nil {
			return "", err
		}
	}
	if _, err := command(tmp, "go", "mod", "tidy"); err != nil {
		return "", err
	}
	return dir, os.Rename(tmp, dir)
}

func command(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		err = fmt.Errorf("%s %s: %s", name, strings.Join(args, " "), lastLine(string(exit.Stderr)))
	}
	return out, err
}

// load and save keep the answers below -work.
func load(m module) (answers, error) {
	var a answers
	text, err := os.ReadFile(m.file() + ".json")
	if err != nil {
		return a, err
	}
	if err = json.Unmarshal(text, &a); err == nil && a.Version != m.version {
		err = fmt.Errorf("kept answers are of %s", a.Version)
	}
	return a, err
}

func save(m module, a answers) error {
	text, err := json.MarshalIndent(a, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(m.file()+".json", text, 0o666)
}
