// Real runs hbcheck with its default flags over unmodified tests of published modules and prints
// the results as a page:
//
//	go build -o /tmp/hbcheck ./cmd/hbcheck
//	go run ./internal/real -work /tmp/real /tmp/hbcheck > page
//
// It needs a network, or a module cache that has the modules of modules.txt. The results
// are kept under the -work directory, a file for each module: a second run continues where the first
// one ended. With -once each test is only compared with go test; with -big stress tests are explored, and
// their small versions. Arguments after the command are the
// modules to test, instead of all.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed modules.txt
var modulesText string

// module is a line of modules.txt: a published module, and its tested packages.
type module struct {
	path, version string
	packages      []string // patterns within the module; ./... if none is given
}

var (
	workFlag  = flag.String("work", filepath.Join(os.TempDir(), "hbcheck-real"), "where copies of modules and results are kept")
	limitFlag = flag.Int("tests", 8, "tests of a module that are explored, of those that start goroutines")
	timeFlag  = flag.String("timeout", "60s", "for each test that is explored")
	noteFlag  = flag.String("note", "", "a sentence about the machine, for the page")
	onceFlag  = flag.Bool("once", false, "execute each test once, natively and in the machine, and explore none")
	bigFlag   = flag.Bool("big", false, "explore stress tests, and their small versions: the modules are those of big.txt")
	findFlag  = flag.Bool("find", false, "find the small versions of stress tests without a limit on time, and explore a bounded number of their executions")
	printFlag = flag.Bool("print", false, "run nothing: print the page from what is kept")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("real: ")
	flag.Parse()
	if flag.NArg() == 0 && !*printFlag && !*findFlag {
		log.Fatal("usage: real [flags] HBCHECK [MODULE ...]")
	}
	modules := parse(modulesText)
	if *bigFlag || *findFlag {
		modules = parse(bigText)
	}
	if flag.NArg() > 1 {
		modules = slices.DeleteFunc(modules, func(m module) bool {
			return !slices.Contains(flag.Args()[1:], m.path)
		})
	}
	if *findFlag {
		findAll(os.Stdout, modules)
		return
	}
	if *bigFlag {
		bigAll(os.Stdout, modules, flag.Arg(0))
		return
	}
	if *onceFlag {
		onceAll(os.Stdout, modules, flag.Arg(0))
		return
	}
	var all []answers
	for _, m := range modules {
		a, err := load(m)
		if err != nil && !*printFlag {
			a, err = ask(m, flag.Arg(0))
			if err == nil {
				err = save(m, a)
			}
		}
		if err != nil {
			log.Printf("%s: %v", m.path, err)
			continue
		}
		all = append(all, a)
	}
	page(os.Stdout, all)
}

// parse reads modules.txt: path, version, packages; # begins a comment.
func parse(text string) []module {
	var all []module
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		m := module{path: f[0], version: f[1], packages: f[2:]}
		if len(m.packages) == 0 {
			m.packages = []string{"./..."}
		}
		all = append(all, m)
	}
	return all
}

func (m module) String() string { return fmt.Sprintf("%s %s", m.path, m.version) }

// file is the name of the module's files below -work.
func (m module) file() string {
	return filepath.Join(*workFlag, strings.NewReplacer("/", "_", ".", "_").Replace(m.path))
}
