package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/load/overlay"
)

// goEnv returns a variable of a go command's environment. The command runs with toolchain as GOTOOLCHAIN,
// unless that is empty.
func goEnv(command, toolchain, name string) (string, error) {
	cmd := exec.Command(command, "env", name)
	if toolchain != "" {
		cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+toolchain, "GOROOT=")
	}
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", fmt.Errorf("go env: %s", strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}

// moduleRoot returns the directory of the module that we are in.
func moduleRoot() (string, error) {
	mod, err := goEnv("go", "", "GOMOD")
	return filepath.Dir(mod), err
}

// standsFor returns the sources, in the distribution at goroot, of the declarations on which hbcheck, whose
// source is at root, depends. Names are path.F and path.(*T).M.
func standsFor(root, goroot string) (map[string]string, error) {
	lib, err := newLibrary(goroot)
	if err != nil {
		return nil, err
	}
	found := make(map[string]string)
	take := func(pkgpath, name string) error {
		p, err := lib.pkg(pkgpath)
		if err == nil && p != nil {
			if source, ok := p.sources[name]; ok {
				found[pkgpath+"."+name] = source
			}
		}
		return err
	}
	if err := overlaid(lib, take); err != nil {
		return nil, err
	}
	err = mentioned(root, take)
	return found, err
}

// overlaid calls take for the declarations that the overlay drops, replaces or links to.
func overlaid(lib *library, take func(pkgpath, name string) error) error {
	tree := overlay.FS()
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "README" {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		pkgpath, base := path.Dir(name), path.Base(name)
		real, err := lib.pkg(pkgpath)
		if err != nil {
			return err
		}
		file := func(base string) {
			if real != nil {
				for _, decl := range real.files[base] {
					err = errors.Join(err, take(pkgpath, decl))
				}
			}
		}
		if base == "PATCH" {
			for line := range strings.Lines(string(data)) {
				line, _, _ = strings.Cut(line, "#")
				f := strings.Fields(line)
				if len(f) > 1 && f[0] == "swap" {
					continue // only that text of the file counts, and loading fails if it is missing
				}
				if len(f) > 1 && strings.HasSuffix(f[1], ".go") {
					file(f[1])
				} else if len(f) > 1 {
					err = errors.Join(err, take(pkgpath, f[1]))
				}
			}
			return err
		}
		file(base)
		if _, e := fs.Stat(tree, pkgpath+"/PATCH"); e != nil && real != nil && !strings.Contains(pkgpath, "internal") {
			// The whole package is replaced: all of its exported declarations have to exist.
			for decl := range real.sources {
				if ast.IsExported(decl) || strings.HasPrefix(decl, "(") && ast.IsExported(decl[strings.LastIndexByte(decl, '.')+1:]) {
					err = errors.Join(err, take(pkgpath, decl))
				}
			}
		}
		f, e := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution)
		if e != nil {
			return e
		}
		each(f, func(decl string, _ ast.Node) { err = errors.Join(err, take(pkgpath, decl)) })
		for line := range strings.Lines(string(data)) {
			if f := strings.Fields(line); len(f) == 3 && f[0] == "//go:linkname" {
				if i := strings.LastIndexByte(f[2], '.'); i > 0 {
					err = errors.Join(err, take(f[2][:i], f[2][i+1:]))
				}
			}
		}
		return err
	})
}

// symbol matches "path.F", "path.T.M", "(*path.T).M" and "(path.T).M".
var symbol = regexp.MustCompile(`(\(\*?)?\b([a-z][a-z0-9]*(?:/[a-z0-9.]+)*)\.([A-Za-z_]\w*)(\)?\.([A-Za-z_]\w*))?`)

// mentioned calls take for the declarations that strings in the source of hbcheck name.
func mentioned(root string, take func(pkgpath, name string) error) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != root && (base == "testdata" || base[0] == '_' || base[0] == '.' || base == "docs" || base == "internal") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var s scanner.Scanner
		fset := token.NewFileSet()
		s.Init(fset.AddFile(name, -1, len(src)), src, nil, 0)
		for {
			_, tok, lit := s.Scan()
			if tok == token.EOF {
				return err
			}
			if tok != token.STRING {
				continue
			}
			text, _ := strconv.Unquote(lit)
			for _, m := range symbol.FindAllStringSubmatch(text, -1) {
				pkgpath, first, second := m[2], m[3], m[5]
				if second == "" {
					err = errors.Join(err, take(pkgpath, first))
					continue
				}
				for _, recv := range []string{"(" + first + ").", "(*" + first + ")."} {
					err = errors.Join(err, take(pkgpath, recv+second))
				}
			}
		}
	})
}
