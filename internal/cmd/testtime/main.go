// Command testtime executes a test binary for go test -exec, and adds a line to a file: the
// package's directory and the processor seconds of the binary and its children. It removes GOFLAGS
// from the environment of the binary, because GOFLAGS may name testtime itself. With -report it
// prints such a file as a table and compares it with the budgets of the packages.
//
//	go test -exec "testtime -to times.txt" ./...
//	testtime -report times.txt -budgets .ci/budgets.txt
package main

import (
	"bufio"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	to := flag.String("to", "", "the `file` that gets a line")
	table := flag.String("report", "", "print the times of this `file`")
	budgets := flag.String("budgets", "", "with -report: a `file` of packages and the processor seconds they may take")
	flag.Parse()
	if *table != "" {
		over, err := report(os.Stdout, *table, *budgets)
		if err != nil {
			fmt.Fprintln(os.Stderr, "testtime:", err)
			os.Exit(2)
		}
		if over {
			os.Exit(1)
		}
		return
	}
	os.Exit(execute(*to, flag.Args()))
}

// execute runs the test binary and returns its exit status.
func execute(to string, args []string) int {
	c := exec.Command(args[0], args[1:]...)
	c.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOFLAGS=") })
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := c.Run()
	if c.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "testtime:", err)
		return 2
	}
	spent := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	dir, _ := os.Getwd()
	// One write appends one line, so that packages tested at the same time do not mix their lines.
	f, err := os.OpenFile(to, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = fmt.Fprintf(f, "%s %.1f\n", inModule(dir), spent.Seconds())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testtime:", err)
		return 2
	}
	return c.ProcessState.ExitCode()
}

// inModule returns dir relative to the module's directory.
func inModule(dir string) string {
	for root := dir; root != filepath.Dir(root); root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			rel, _ := filepath.Rel(root, dir)
			return filepath.ToSlash(rel)
		}
	}
	return dir
}

// read returns the lines of a file of names and numbers.
func read(file string) (map[string]float64, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := make(map[string]float64)
	s := bufio.NewScanner(f)
	for s.Scan() {
		text, _, _ := strings.Cut(s.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 {
			return nil, fmt.Errorf("%s: want a name and a number: %q", file, s.Text())
		}
		n, err := strconv.ParseFloat(words[1], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		m[words[0]] += n
	}
	return m, s.Err()
}

// report prints a table of packages, the most expensive first, and reports whether one is over its
// budget. The budget named default is that of packages without their own.
func report(w io.Writer, file, budgets string) (over bool, err error) {
	times, err := read(file)
	if err != nil {
		return false, err
	}
	limits := make(map[string]float64)
	if budgets != "" {
		if limits, err = read(budgets); err != nil {
			return false, err
		}
	}
	names := make([]string, 0, len(times))
	total := 0.0
	for name, n := range times {
		names, total = append(names, name), total+n
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), strings.Compare(a, b))
	})
	fmt.Fprintf(w, "%-28s %8s %8s\n", "package", "cpu s", "budget")
	for _, name := range names {
		limit, ok := limits[name]
		if !ok {
			limit, ok = limits["default"]
		}
		note := ""
		if ok {
			note = fmt.Sprintf("%8.0f", limit)
			if times[name] > limit {
				over = true
				note += "  over"
			}
		}
		fmt.Fprintf(w, "%-28s %8.1f %s\n", name, times[name], note)
	}
	fmt.Fprintf(w, "%-28s %8.1f\n", "all", total)
	return over, nil
}
