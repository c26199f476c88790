package load

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// listPackage is the part of go list's answer we ask for.
type listPackage struct {
	ImportPath     string // with the variant: "p [q.test]"
	Dir            string
	Name           string
	ForTest        string // the path p of a package only compiled for p.test
	Standard       bool
	DepOnly        bool // not matched by a pattern, only a dependency
	Match          []string
	GoFiles        []string
	IgnoredGoFiles []string
	EmbedFiles     []string
	Imports        []string
	ImportMap      map[string]string // source import path to ImportPath
	Module         *struct{ Path, GoVersion string }
	Error          *listError
}

// listFields must name the fields of listPackage: go list does less for less.
const listFields = "ImportPath,Dir,Name,ForTest,Standard,DepOnly,Match," +
	"GoFiles,IgnoredGoFiles,EmbedFiles,Imports,ImportMap,Module,Error"

// listError is an error the go command found in a package.
type listError struct {
	ImportStack []string
	Pos         string // file:line:col, abbreviated
	Err         string
}

// text renders e as the go command does: the import stack only where there is
// no position or the stack is the point.
func (e *listError) text() string {
	const cycle = "import cycle not allowed"
	if e.Pos != "" && !strings.HasPrefix(e.Err, cycle) || len(e.ImportStack) == 0 {
		return e.Err
	}
	at := ""
	if e.Pos != "" {
		at = "\n\t(" + e.Pos + ")"
	}
	return "package " + strings.Join(e.ImportStack, "\n\timports ") + at + ": " + e.Err
}

// error converts e. Errors of a cycle carry their position in the text.
func (e *listError) error() Error {
	msg := e.text()
	if msg != e.Err {
		return Error{Msg: msg}
	}
	return Error{Pos: parsePosition(e.Pos), Msg: msg}
}

// parsePosition reads file:line:col or file:line; anything else is a file name.
func parsePosition(s string) token.Position {
	var nums []int
	for len(nums) < 2 {
		i := strings.LastIndexByte(s, ':')
		if i < 0 {
			break
		}
		n, err := strconv.Atoi(s[i+1:])
		if err != nil {
			break
		}
		nums = append(nums, n)
		s = s[:i]
	}
	p := token.Position{Filename: s}
	switch len(nums) {
	case 1:
		p.Line = nums[0]
	case 2:
		p.Line, p.Column = nums[1], nums[0]
	}
	return p
}

// goEnv is what we need to know about the go command's configuration.
type goEnv struct {
	GOFLAGS, GOROOT, GOVERSION string
}

// goCommand runs the go command in l.dir and returns its standard output. If it
// fails, the error is what it said.
func (l *loader) goCommand(args ...string) (stdout []byte, stderr string, err error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = l.dir
	cmd.Env = l.cfg.env(l.dir)
	var out, diag bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diag
	err = cmd.Run()
	stderr = strings.TrimSpace(diag.String())
	var exit *exec.ExitError
	if errors.As(err, &exit) && stderr != "" {
		return nil, stderr, Errors{{Msg: stderr}}
	}
	if err != nil {
		return nil, stderr, fmt.Errorf("go %s: %w", args[0], err)
	}
	return out.Bytes(), stderr, nil
}

// list asks the go command for its configuration and for the user's packages,
// both at once.
func (l *loader) list() ([]*listPackage, error) {
	envErr := make(chan error, 1)
	go func() {
		out, _, err := l.goCommand("env", "-json", "GOFLAGS", "GOROOT", "GOVERSION")
		if err == nil {
			err = json.Unmarshal(out, &l.goEnv)
		}
		envErr <- err
	}()

	args := []string{"list", "-e", "-deps", "-json=" + listFields}
	if l.cfg.Tests {
		args = append(args, "-test")
	}
	args = append(args, l.cfg.listFlags()...)
	args = append(append(args, "--"), l.patterns...)
	out, diag, err := l.goCommand(args...)
	if err := cmp.Or(<-envErr, err); err != nil {
		return nil, err
	}
	if err := checkVersion(l.goEnv.GOVERSION); err != nil {
		return nil, err
	}

	var list []*listPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		lp := new(listPackage)
		if err := dec.Decode(lp); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		list = append(list, lp)
	}
	if len(list) == 0 {
		// A pattern with "..." that matches nothing is only worth a warning to
		// the go command; to us there is nothing left to do.
		return nil, Errors{{Msg: cmp.Or(strings.TrimPrefix(diag, "go: warning: "), "no packages")}}
	}
	return list, nil
}

// checkVersion refuses a go command of another release than the one we are
// built with: go/types would not know its language, nor the overlay its
// library. Development versions are let through.
func checkVersion(goversion string) error {
	release := func(v string) string {
		v, _, _ = strings.Cut(v, " ")
		if parts := strings.Split(v, "."); strings.HasPrefix(v, "go") && len(parts) >= 2 {
			minor := strings.TrimRight(strings.FieldsFunc(parts[1], func(r rune) bool { return r < '0' || r > '9' })[0], " ")
			return parts[0] + "." + minor
		}
		return ""
	}
	want, have := release(runtime.Version()), release(goversion)
	if want == "" || have == "" || want == have {
		return nil
	}
	return Errors{{Msg: fmt.Sprintf("the go command here is %s, but hbcheck was built with and models %s: set GOTOOLCHAIN=%s",
		goversion, want, runtime.Version())}}
}

// isTestMain reports whether lp is the main package that go test generates.
func (lp *listPackage) isTestMain() bool {
	return lp.Name == "main" && strings.HasSuffix(lp.ImportPath, ".test") && lp.ForTest == "" &&
		len(lp.GoFiles) == 1 && !strings.HasSuffix(lp.GoFiles[0], ".go")
}

// path returns lp's import path without the variant.
func (lp *listPackage) path() string {
	path, _, _ := strings.Cut(lp.ImportPath, " ")
	return path
}

// userPackages makes Packages of go list's answer and says which of them are
// wanted for their entries: those a pattern matched, except a package that has
// a test variant with all its files and is no command itself.
func (l *loader) userPackages(list []*listPackage) (wanted []*Package) {
	hasVariant := make(map[string]bool) // p, if there is p [p.test]
	rank := make(map[string]int)        // path to index of the first pattern that matched it
	for _, lp := range list {
		if lp.ForTest != "" && lp.ForTest == lp.path() {
			hasVariant[lp.ForTest] = true
		}
		for _, m := range lp.Match {
			if i := slices.Index(l.patterns, m); i >= 0 && !lp.DepOnly {
				if old, ok := rank[lp.path()]; !ok || i < old {
					rank[lp.path()] = i
				}
			}
		}
	}
	for _, lp := range list {
		// Of the standard library, only a package asked for by name is taken as
		// the user's.
		if lp.isTestMain() || lp.Standard && lp.DepOnly {
			continue
		}
		p := &Package{
			ID:      lp.ImportPath,
			Path:    lp.path(),
			Name:    lp.Name,
			Dir:     lp.Dir,
			ForTest: lp.ForTest,
			list:    lp,
		}
		if lp.Module != nil {
			p.Module = lp.Module.Path
			p.GoVersion = "go" + cmp.Or(lp.Module.GoVersion, "1.16") // the go command's default
		}
		for _, f := range lp.GoFiles {
			p.files = append(p.files, &file{name: filepath.Join(lp.Dir, f)})
		}
		for _, f := range lp.EmbedFiles {
			p.EmbedFiles = append(p.EmbedFiles, filepath.Join(lp.Dir, f))
		}
		if lp.Error != nil {
			p.errs = append(p.errs, lp.Error.error())
		}
		l.user[p.ID] = p
		if !lp.DepOnly && !(hasVariant[lp.ImportPath] && lp.Name != "main") {
			wanted = append(wanted, p)
		}
	}
	slices.SortStableFunc(wanted, func(a, b *Package) int {
		return cmp.Or(
			cmp.Compare(rank[a.subject()], rank[b.subject()]),
			cmp.Compare(a.subject(), b.subject()))
	})
	return wanted
}
