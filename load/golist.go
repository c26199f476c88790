package load

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
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
	SFiles         []string
	EmbedFiles     []string
	Imports        []string
	ImportMap      map[string]string // source import path to ImportPath
	Module         *struct {
		Path, Version, GoVersion string
		Main                     bool
		Replace                  *struct{ Path string }
	}
	DefaultGODEBUG string // of a main package
	Error          *struct{ Err string }

	cgo map[string]*cgoFile // of GoFiles, those that import "C"
}

// listFields must name the fields of listPackage: go list does less work for fewer fields.
const listFields = "ImportPath,Dir,Name,ForTest,Standard,DepOnly,Match," +
	"GoFiles,IgnoredGoFiles,SFiles,EmbedFiles,Imports,ImportMap,Module,DefaultGODEBUG,Error"

// goEnv has the parts of the go command's configuration that load needs.
type goEnv struct {
	GOFLAGS, GOROOT, GOVERSION, GOEXPERIMENT, GOAMD64 string

	tags struct{ Releases, Tools []string } // see askTags; empty: the same tags as this process
}

// fixed has the dependences of every program, whatever its packages. (For GOFLAGS see
// buildChoices.)
func (e *goEnv) fixed() []string { return []string{e.GOROOT, e.GOVERSION, e.GOEXPERIMENT, e.GOAMD64} }

// goCommand runs the go command in l.dir and returns its output. If it fails, the error has its message.
func (l *loader) goCommand(args ...string) (stdout []byte, stderr string, err error) {
	a, err := l.cfg.GoAnswers.get(args, func() (a goAnswer) {
		cmd := exec.Command("go", args...)
		cmd.Dir = l.dir
		cmd.Env = l.cfg.env(l.dir)
		var out, diag bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &diag
		err := cmd.Run()
		a.Stdout, a.Stderr = out.Bytes(), strings.TrimSpace(diag.String())
		var exit *exec.ExitError
		if a.Failed = errors.As(err, &exit) && a.Stderr != ""; err != nil && !a.Failed {
			a.Other = fmt.Sprintf("go %s: %v", args[0], err)
		}
		return a
	})
	switch {
	case err != nil:
	case a.Failed:
		err = Errors{{Msg: a.Stderr}}
	case a.Other != "":
		err = errors.New(a.Other)
	}
	return a.Stdout, a.Stderr, err
}

// listArgs returns the arguments of go list with a format.
func (l *loader) listArgs(format string, tests bool, patterns []string) []string {
	args := []string{"list", "-e", "-deps", format}
	if tests {
		args = append(args, "-test")
	}
	args = append(args, l.cfg.listFlags()...)
	return append(append(args, "--"), patterns...)
}

// list asks the go command for its configuration and for the user's packages,
// both at once.
func (l *loader) list() error {
	envErr := make(chan error, 1)
	go func() {
		out, _, err := l.goCommand("env", "-json", "GOFLAGS", "GOROOT", "GOVERSION", "GOEXPERIMENT", "GOAMD64")
		if err == nil {
			err = json.Unmarshal(out, &l.goEnv)
		}
		envErr <- err
	}()

	list, diag, err := l.query(l.listArgs("-json="+listFields, l.cfg.Tests, l.patterns))
	if err := cmp.Or(<-envErr, err); err != nil {
		return err
	}
	if err := checkVersion(runtime.Version(), l.goEnv.GOVERSION); err != nil {
		return err
	}
	if err := cmp.Or(l.takeGoFlags(), l.askTags()); err != nil {
		return err
	}
	if a := l.cfg.GoAnswers; a != nil && a.replays && len(l.goEnv.tags.Releases) == 0 {
		l.goEnv.tags = a.tags // this process may have other tags
	}
	l.listed = list
	if len(l.listed) == 0 {
		// The go command only warns about a pattern with "..." that matches nothing; here it is an
		// error, because nothing is left to do.
		return Errors{{Msg: cmp.Or(strings.TrimPrefix(diag, "go: warning: "), "no packages")}}
	}
	return nil
}

// query runs a go list that prints JSON, and returns the listed packages and its other messages.
func (l *loader) query(args []string) (list []*listPackage, diag string, err error) {
	out, diag, err := l.goCommand(args...)
	if err != nil {
		return nil, diag, err
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		lp := new(listPackage)
		if err := dec.Decode(lp); err == io.EOF {
			return list, diag, nil
		} else if err != nil {
			return nil, diag, fmt.Errorf("go list: %w", err)
		}
		list = append(list, lp)
	}
}

// listErrors returns the errors of the packages for which reached holds, in the words the go command prints.
// Its JSON lacks some of them: the text of an import cycle names files, for instance, and the JSON does not.
func (l *loader) listErrors(list []*listPackage, reached func(*listPackage) bool) error {
	if !slices.ContainsFunc(list, func(lp *listPackage) bool { return lp.Error != nil && reached(lp) }) {
		return nil
	}
	out, _, err := l.goCommand(l.listArgs(`-f={{with .Error}}{{printf "%q %q\n" $.ImportPath (printf "%v" .)}}{{end}}`, l.cfg.Tests, l.patterns)...)
	if err != nil {
		return err
	}
	text := make(map[string]string) // ImportPath to message
	for line := range strings.Lines(string(out)) {
		var id, msg string
		if _, err := fmt.Sscanf(line, "%q %q", &id, &msg); err == nil {
			text[id] = msg
		}
	}
	var errs Errors
	for _, lp := range list {
		if lp.Error != nil && reached(lp) {
			e := parseError(cmp.Or(text[lp.ImportPath], lp.Error.Err))
			if !slices.Contains(errs, e) {
				errs = append(errs, e)
			}
			if strings.Contains(e.Msg, "build constraints exclude all Go files") {
				errs = append(errs, l.cgoErrors(lp)...)
			}
		}
	}
	return errs
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

// userPackages makes Packages from go list's answer, and marks those whose entries are wanted: the
// packages that a pattern matches. Two kinds of them are not marked: a package that is not a
// command and has a test variant with all its files, and a package without files, which can only
// have tests.
func (l *loader) userPackages(list []*listPackage) (wanted []*Package) {
	hasVariant := make(map[string]bool) // packages p for which there is a p [p.test]
	rank := make(map[string]int)        // path of a package to the index of the first pattern that matched it
	settings := make(map[string]string) // GODEBUG of the tests of a package, by its path
	for _, lp := range list {
		if lp.isTestMain() {
			settings[strings.TrimSuffix(lp.ImportPath, ".test")] = lp.DefaultGODEBUG
		}
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
		// A package of the standard library counts as the user's only if it is named.
		if lp.isTestMain() || lp.Standard && lp.DepOnly && lp.Error == nil {
			continue
		}
		library := lp.Standard && !strings.HasSuffix(lp.path(), "_test") && lp.Name != "main"
		if library && lp.Error == nil && len(lp.GoFiles) > 0 {
			// The program has one package of that path, the one that the rest of the standard library
			// imports, with the overlay applied.
			if !hasVariant[lp.ImportPath] && !lp.DepOnly && (lp.ForTest == "" || lp.ForTest == lp.path()) {
				wanted = append(wanted, l.std.test(lp))
			}
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
			p.Module, p.Main = lp.Module.Path, lp.Module.Main
			p.published = lp.Module.Version != "" && lp.Module.Replace == nil
			p.GoVersion = "go" + cmp.Or(lp.Module.GoVersion, "1.16") // the go command's default
		}
		if p.Settings = lp.DefaultGODEBUG; lp.Name != "main" || lp.ForTest != "" {
			p.Settings = settings[p.subject()]
		}
		for _, f := range lp.GoFiles {
			p.files = append(p.files, &file{name: filepath.Join(lp.Dir, f), cgo: lp.cgo[f]})
		}
		l.user[p.ID] = p
		if !lp.DepOnly && len(lp.GoFiles) > 0 && !(hasVariant[lp.ImportPath] && lp.Name != "main") {
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
