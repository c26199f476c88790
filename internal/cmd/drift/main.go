// Drift lists the changes between two releases of Go of the declarations that hbcheck depends on: those
// of the standard library that the overlay drops, replaces or links to, and those that
// tables in hbcheck's source mention by name.
//
//	go run ./internal/cmd/drift go1.26.8 go1.27.1            the declarations that differ, with the differences
//	go run ./internal/cmd/drift -record go1.26.8 go1.27.1    note both as reviewed
//
// A release is a version, which the go command provides (GOTOOLCHAIN), or the directory of a
// distribution. The file reviewed has the reviewed declarations, each with hashes of the
// sources that fit the overlay and the tables. Comments do not count. docs/dev/adding-a-release.md has the
// steps.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	record := flag.Bool("record", false, "note both releases as reviewed")
	all := flag.Bool("all", false, "show what has been reviewed, too")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: drift [-all] [-record] RELEASE RELEASE")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Arg(1), *record, *all); err != nil {
		fmt.Fprintln(os.Stderr, "drift:", err)
		os.Exit(1)
	}
}

func run(from, to string, record, all bool) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	file := filepath.Join(root, reviewedFile)
	known, err := readReviewed(file)
	if err != nil {
		return err
	}
	var sources [2]map[string]string
	for i, release := range []string{from, to} {
		goroot, err := distribution(release)
		if err != nil {
			return err
		}
		if sources[i], err = standsFor(root, goroot); err != nil {
			return err
		}
	}
	if record {
		for _, s := range sources {
			known.add(s)
		}
		known.addMissing(sources[0])
		known.addMissing(sources[1])
		return known.write(file)
	}
	n := 0
	for _, name := range names(sources[0], sources[1]) {
		old, cur := sources[0][name], sources[1][name]
		reviewed := known.has(name, old) && known.has(name, cur)
		if old == cur || reviewed && !all {
			continue
		}
		n++
		note := ""
		if reviewed {
			note = " (reviewed)"
		}
		fmt.Printf("%s%s\n%s\n", name, note, difference(old, cur))
	}
	fmt.Printf("%d of %d declarations differ", n, len(sources[1]))
	if !all {
		fmt.Print(" and have not been reviewed")
	}
	fmt.Println()
	return nil
}
