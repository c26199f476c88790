package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// With -once no test is explored. Each is executed once by go test and once in the machine, under
// one schedule, and the page has the number of tests that end in the machine as they do natively.

// An onceTest is a test with its end: pass, fail, skip, or nothing if it did not end.
type onceTest struct {
	Package, Name    string
	Natively, Within string
	Why              string // the reason why it did not pass in the machine
}

// agrees reports whether the test ends in the machine as it does natively.
func (t onceTest) agrees() bool {
	return t.Within == t.Natively || t.Natively == "pass" && t.Within == "skip" && t.Why == ""
}

// onceAnswers has the results of the tests of a module.
type onceAnswers struct {
	Path, Version string
	Error         string // the reason why there are no results
	Tests         []onceTest
}

func (m module) onceFile() string { return m.file() + ".once.json" }

// onceAll tests each module without kept results, and prints the page.
func onceAll(w io.Writer, modules []module, hbcheck string) {
	var all []onceAnswers
	for _, m := range modules {
		var a onceAnswers
		text, err := os.ReadFile(m.onceFile())
		if err == nil {
			err = json.Unmarshal(text, &a)
		}
		if (err != nil || a.Version != m.version) && !*printFlag {
			a = once(m, hbcheck)
			if text, err = json.MarshalIndent(a, "", "\t"); err == nil {
				err = os.WriteFile(m.onceFile(), text, 0o666)
			}
		}
		if err != nil {
			log.Printf("%s: %v", m.path, err)
			continue
		}
		all = append(all, a)
	}
	oncePage(w, all)
}

// once executes the tests of m.
func once(m module, hbcheck string) onceAnswers {
	a := onceAnswers{Path: m.path, Version: m.version}
	dir, err := fetch(m)
	if err != nil {
		a.Error = err.Error()
		return a
	}
	log.Printf("%s: natively", m)
	tests := map[[2]string]*onceTest{}
	test := func(pkg, name string) *onceTest {
		k := [2]string{pkg, name}
		if tests[k] == nil {
			tests[k] = &onceTest{Package: pkg, Name: name}
		}
		return tests[k]
	}
	out := output(dir, "go", append([]string{"test", "-json", "-count=1", "-run=^Test"}, m.packages...)...)
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var e struct{ Action, Package, Test string }
		if dec.Decode(&e) != nil {
			break
		}
		if e.Test != "" && !strings.Contains(e.Test, "/") && slices.Contains([]string{"pass", "fail", "skip"}, e.Action) {
			test(e.Package, e.Test).Natively = e.Action
		}
	}
	log.Printf("%s: in the machine", m)
	words := map[string]string{"ran": "pass", "FAIL": "fail", "skip": "skip", "??": "", "none": ""}
	var last *onceTest
	for line := range strings.Lines(string(output(dir, hbcheck, append([]string{"run", "--tests", "--timeout=" + *timeFlag}, m.packages...)...))) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		end, ok := words[f[0]]
		switch {
		case len(f) >= 4 && ok:
			last = test(f[1], f[2])
			last.Within, last.Why = end, strings.Join(f[3:len(f)-1], " ")
		case last != nil && last.Within == "fail" && last.Why == "":
			last.Why = strings.TrimSpace(line)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(tests), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		if t := tests[k]; t.Natively != "" { // without tests of files that go test does not build
			a.Tests = append(a.Tests, *t)
		}
	}
	return a
}

// output returns the output of a command, with any exit status.
func output(dir, name string, args ...string) []byte {
	const longest = 2 * time.Hour
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	var msgs bytes.Buffer
	cmd.Stderr = &msgs
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || len(out) == 0) {
		log.Printf("%s %s: %v: %s", filepath.Base(name), strings.Join(args, " "), err, lastLine(msgs.String()))
	}
	return out
}

const onceHead = `# Tests of published modules, each once

Every test that go test executes in these modules, executed once in the machine: ` + "`hbcheck run --tests --timeout=%s`" + `.
A test agrees if it ends as natively. Tests that fail natively (for example without a network) are not counted.
` + "`go run ./internal/real -once -work DIR HBCHECK > page`" + ` makes this page. %s

| module | tests | end as natively | share | otherwise |
|---|---|---|---|---|
`

func oncePage(w io.Writer, all []onceAnswers) {
	fmt.Fprintf(w, onceHead, *timeFlag, *noteFlag)
	causes := map[string][]string{}
	var tests, agree, failing, modules int
	for _, a := range all {
		if a.Error != "" {
			log.Printf("%s: %s", a.Path, a.Error)
			continue
		}
		n, ok := 0, 0
		here := map[string]int{}
		for _, t := range a.Tests {
			switch {
			case t.Natively == "fail":
				failing++
				continue
			case t.agrees():
				ok++
			default:
				c := cause(t)
				here[c]++
				causes[c] = append(causes[c], t.Package+" "+t.Name+": "+t.Within+" "+firstLine(t.Why))
			}
			n++
		}
		var list []string
		for _, c := range slices.SortedFunc(maps.Keys(here), func(x, y string) int { return here[y] - here[x] }) {
			list = append(list, fmt.Sprintf("%d %s", here[c], c))
		}
		slices.Sort(list)
		fmt.Fprintf(w, "| %s %s | %d | %d | %.0f %% | %s |\n", a.Path, a.Version, n, ok, percent(ok, n), strings.Join(list, ", "))
		tests, agree, modules = tests+n, agree+ok, modules+1
	}
	fmt.Fprintf(w, "| %d modules | %d | %d | %.1f %% | |\n\n%d more tests fail natively.\n\n## By cause\n", modules, tests, agree, percent(agree, tests), failing)
	for _, c := range slices.SortedFunc(maps.Keys(causes), func(x, y string) int {
		if d := len(causes[y]) - len(causes[x]); d != 0 {
			return d
		}
		return strings.Compare(x, y)
	}) {
		fmt.Fprintf(w, "\n%d: %s\n\n", len(causes[c]), c)
		for _, s := range causes[c] {
			fmt.Fprintf(w, "    %s\n", s)
		}
	}
}

var place = regexp.MustCompile(`^\S+:\d+: `)

// cause returns the reason why a test does not end as natively, in few words.
func cause(t onceTest) string {
	why := place.ReplaceAllString(t.Why, "")
	switch {
	case strings.Contains(why, "unsupported: "):
		_, why, _ = strings.Cut(why, "unsupported: ")
		if i := strings.LastIndex(why, ": "); i >= 0 {
			why = why[i+2:]
		}
		return "refused: " + why
	case strings.HasPrefix(why, "stopped"):
		return "takes longer"
	case t.Within == "fail":
		return "fails"
	case t.Within == "" && why == "":
		return "is not reached"
	}
	return firstLine(t.Within + " " + why)
}
