package conformance

import (
	"bytes"
	"fmt"
	"go/build"
	"go/build/constraint"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm"
)

// A program is a file of $GOROOT/test whose first line says "run".
type program struct {
	path string   // relative to $GOROOT/test
	more []string // further files of the package
	args []string
	env  []string
}

// programs returns the programs in a directory of $GOROOT/test, by name, as
// cmd/internal/testdir would run them on the machine's platform.
func programs(root, dir string) ([]program, error) {
	files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var list []program
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		action := recipe(string(src))
		if len(action) == 0 || action[0] != "run" || !wanted(string(src)) {
			continue
		}
		p := program{path: filepath.ToSlash(filepath.Join(dir, filepath.Base(file)))}
		for i := 1; i < len(action); i++ {
			switch a := action[i]; {
			case a == "-godebug" && i+1 < len(action):
				i++
				p.env = append(p.env, "GODEBUG="+action[i])
			case a == "-goexperiment":
				i++
			case strings.HasPrefix(a, "-"):
				// Flags of the go command choose optimisations and instrumentation.
			case strings.HasSuffix(a, ".go"):
				p.more = append(p.more, filepath.Join(dir, a))
			default:
				p.args = append(p.args, a)
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// recipe returns the words of the first line that is no build constraint.
func recipe(src string) []string {
	for line := range strings.Lines(src) {
		if constraint.IsGoBuild(line) || constraint.IsPlusBuild(line) {
			continue
		}
		return strings.Fields(strings.TrimPrefix(line, "//"))
	}
	return nil
}

// wanted reports whether the build constraints above the package clause hold.
func wanted(src string) bool {
	header, _, _ := strings.Cut(src, "\npackage")
	for line := range strings.Lines(header) {
		expr, err := constraint.Parse(strings.TrimSpace(line))
		if err != nil {
			continue
		}
		if !expr.Eval(func(tag string) bool {
			return slices.Contains(build.Default.ReleaseTags, tag) || slices.Contains([]string{"linux", "amd64", "gc", "test_run"}, tag) ||
				strings.HasPrefix(tag, "goexperiment.") && slices.Contains(build.Default.ToolTags, tag)
		}) {
			return false
		}
	}
	return true
}

// maxRun bounds one program, in the machine's count of back edges and calls:
// about half a minute on a slow processor.
const maxRun = 1 << 30

// library is shared by all programs of a test run.
var library load.Cache

// run executes the program of the given files and returns its output, or the reason why it has no proper
// end.
func run(dir string, files, args, env []string) (output string, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%v\n%s", e, debug.Stack())
		}
	}()
	prog, err := load.Load(load.Config{Dir: dir, Patterns: files, Implicit: []string{"runtime"}, Cache: &library})
	if err != nil {
		return "", fmt.Errorf("load: %w", err)
	}
	var out bytes.Buffer
	end, err := describe.RunOnce(prog, prog.Entries[0], vm.Config{
		Args: append([]string{"a.out"}, args...), Env: append(env, "PATH=/usr/bin:/bin", "HOME=/"),
		Stdout: &out, Stderr: &out, MaxRun: maxRun,
	})
	if err != nil {
		return "", err
	}
	switch {
	case end.Unsupported != "":
		return out.String(), fmt.Errorf("incomplete: %s", end.Unsupported)
	case end.Exit != 0:
		return out.String(), fmt.Errorf("exit status %d", end.Exit)
	}
	return out.String(), nil
}
