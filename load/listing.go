package load

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Listing has the go command's answers about the packages that a Config selects. It shows, long before
// packages are loaded, whether the packages are unchanged since an earlier run.
type Listing struct {
	cfg    Config
	l      *loader
	hashes map[string]string // by name of a file
	stat   func(name string) (fs.FileInfo, error)
}

// List asks the go command. The error is an Errors if the request is at fault.
func List(cfg Config) (*Listing, error) {
	x := &Listing{cfg: cfg, hashes: make(map[string]string), stat: os.Stat}
	x.l = newLoader(&x.cfg)
	var err error
	if x.l.dir, err = cfg.dir(); err != nil {
		return nil, err
	}
	return x, x.l.phase("list", x.l.list)
}

// Dir is Program.Dir.
func (x *Listing) Dir() string { return x.l.dir }

// GoVersion is Program.GoVersion.
func (x *Listing) GoVersion() string { return x.l.goEnv.GOVERSION }

// Packages returns the import paths of the packages that the patterns match, in order. For the
// package of a test it returns the path of the package under test.
func (x *Listing) Packages() []string {
	var list []string
	for _, lp := range x.l.listed {
		if !lp.DepOnly && !lp.isTestMain() {
			list = append(list, lp.subject())
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// subject is the path of the package that lp tests, or lp's own path.
func (lp *listPackage) subject() string {
	if lp.ForTest != "" {
		return lp.ForTest
	}
	return lp.path()
}

// Fingerprint returns a fingerprint of everything that Load reads for the package at path, which is
// one of Packages, for its tests and for all their imports. Packages of the standard library that
// only the overlay imports are left out, because the Go version determines them. The fingerprint
// changes if any of these changes, even the directory of a package.
func (x *Listing) Fingerprint(path string) (string, error) {
	byID := make(map[string]*listPackage)
	for _, lp := range x.l.listed {
		byID[lp.ImportPath] = lp
	}
	var list []*listPackage
	seen := make(map[*listPackage]bool)
	var visit func(lp *listPackage)
	visit = func(lp *listPackage) {
		if lp == nil || seen[lp] {
			return
		}
		seen[lp] = true
		for _, id := range lp.Imports {
			visit(byID[id])
		}
		list = append(list, lp)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%+q %q %q %q %v\n", x.l.goEnv.fixed(), x.l.dir, x.cfg.tags(x.l.goEnv.GOFLAGS), x.l.choices.vars, x.l.choices.trimpath)
	for _, lp := range x.l.listed {
		switch {
		case lp.isTestMain():
			// The file of the test's main package does not count, because the go command generates
			// it anew each time. That package records the tests' GODEBUG settings. They come from
			// godebug lines, the module's version of Go, and //go:debug comments.
			if strings.TrimSuffix(lp.ImportPath, ".test") == path {
				fmt.Fprintf(h, "settings of tests %q\n", lp.DefaultGODEBUG)
			}
		case !lp.DepOnly && lp.subject() == path:
			visit(lp)
		}
	}
	for _, lp := range list {
		if err := x.add(h, lp); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// add writes all data of lp to h.
func (x *Listing) add(h hash.Hash, lp *listPackage) error {
	fmt.Fprintf(h, "package %q %q %q %q %v\n", lp.ImportPath, lp.Name, lp.Dir, lp.ForTest, lp.DepOnly)
	if lp.Module != nil {
		m := lp.Module
		fmt.Fprintf(h, "module %q %q %q %v %v\n", m.Path, m.Version, m.GoVersion, m.Main, m.Replace != nil)
	}
	fmt.Fprintf(h, "settings %q\n", lp.DefaultGODEBUG)
	if lp.Error != nil {
		fmt.Fprintf(h, "error %q\n", lp.Error.Err)
	}
	fmt.Fprintf(h, "imports %q\n", lp.Imports)
	files := slices.Concat(lp.GoFiles, lp.EmbedFiles)
	if !lp.Standard {
		// Files that import "C" are among the ignored ones. The constraints of files in assembly
		// decide whether Go files replace them.
		files = slices.Concat(files, lp.IgnoredGoFiles, lp.SFiles)
	}
	if !lp.DepOnly {
		corpus, err := fs.Glob(os.DirFS(lp.Dir), "testdata/fuzz/*/*") // not of filepath: the directory may have any name
		if err != nil {
			return err
		}
		for _, name := range corpus {
			files = append(files, filepath.FromSlash(name))
		}
	}
	for _, name := range files {
		if lp.Standard && x.cfg.Root == "" {
			// These are not edited, and there are thousands.
			info, err := x.stat(filepath.Join(lp.Dir, name))
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "file %q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
			continue
		}
		sum, err := x.sum(filepath.Join(lp.Dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "file %q %s\n", name, sum)
	}
	return nil
}

// sum returns a hash of a file's contents.
func (x *Listing) sum(name string) (string, error) {
	if s, ok := x.hashes[name]; ok {
		return s, nil
	}
	f, err := os.Open(x.l.choices.source(name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if info, err := f.Stat(); err != nil || info.IsDir() {
		fmt.Fprint(h, "directory") // a directory in testdata/fuzz
	} else if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	s := fmt.Sprintf("%x", h.Sum(nil))
	x.hashes[name] = s
	return s, nil
}
