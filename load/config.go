package load

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Config selects the program to load, and how to load it. The zero value loads the package in the current
// directory without its tests.
type Config struct {
	_ struct{}

	// Dir is the directory the go command runs in, as its -C flag; empty
	// means the current one. Positions in errors are relative to it.
	Dir string

	// Patterns are what one would give to go build: import paths, directories,
	// patterns with "...", or the .go files of one package. Empty means ".".
	Patterns []string

	// Tests loads test functions: packages include their _test.go files and their external test packages.
	Tests bool

	// Tags are additional build tags. If there are any, they replace the tags of GOFLAGS, as on the go
	// command's line.
	Tags []string

	// Mod is the go command's -mod flag: mod, readonly, vendor or empty.
	Mod string

	// BuildFlags are further flags for the go command, such as -modfile=FILE.
	BuildFlags []string

	// Env is the environment of the go command; nil means this process's.
	// GOOS, GOARCH and CGO_ENABLED are always those of the machine.
	Env []string

	// Implicit lists import paths of std packages to be loaded though no package
	// imports them, because the machine itself relies on them.
	Implicit []string

	// Overlay replaces the embedded overlay of the standard library; nil means
	// overlay.FS(). Package overlay documents the layout.
	Overlay fs.FS

	// Cache, if not nil, keeps std packages for further Loads.
	Cache *Cache

	// Outlines, if not nil, keeps outlines of std packages for further Loads, also of other processes.
	// Build identifies the build of hbcheck, because the overlay is part of it.
	Outlines Store
	Build    string

	// Names asks for DebugRef instructions in the functions outside the standard library. TakeNames removes
	// these instructions again before the machine compiles a function.
	Names bool

	// Loaded, if not nil, is called while packages are checked: of all packages, done have been
	// checked.
	Loaded func(done, all int)

	// Edits are applied to files of the user's as they are read.
	Edits []Edit

	// Again makes Program.Again possible, and keeps the data that it needs.
	Again bool

	// Cover makes the program note which blocks of the user's module it executes: see Program.Blocks.
	Cover bool

	// GoAnswers, if not nil, collects the answers of the go command for a bundle, or has the
	// answers that are in a bundle.
	GoAnswers *GoAnswers

	// Root is the directory below which all files are read: those of a bundle. Empty means the host's own.
	Root string

	whole bool // remove nothing from packages; to measure the benefit
	early bool // check bodies with their packages, for comparison
}

// The platform whose memory layout, build constraints and system-dependent files the machine has, on every
// host.
const (
	goos   = "linux"
	goarch = "amd64"
)

// dir returns the absolute directory of c, with symbolic links as they are
// named, so that the go command and we abbreviate the same prefix.
func (c *Config) dir() (string, error) {
	if c.Dir == "" {
		return os.Getwd()
	}
	return filepath.Abs(c.Dir)
}

// env returns the environment for the go command running in dir.
func (c *Config) env(dir string) []string {
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	return append(slices.Clip(env), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "PWD="+dir)
}

// listFlags returns the build flags of the go command's line. A sanitizer in GOFLAGS needs cgo, and does
// not affect the loaded code; coverage adds imports.
func (c *Config) listFlags() []string {
	flags := append([]string{"-race=false", "-msan=false", "-asan=false", "-cover=false"}, c.BuildFlags...)
	if len(c.Tags) > 0 {
		flags = append(flags, "-tags="+strings.Join(c.Tags, ","))
	}
	if c.Mod != "" {
		flags = append(flags, "-mod="+c.Mod)
	}
	return flags
}

// tags returns the build tags in force given the value of GOFLAGS. The last
// -tags flag wins and the command line wins over GOFLAGS, as in the go command.
func (c *Config) tags(goflags string) []string {
	if len(c.Tags) > 0 {
		return c.Tags
	}
	var tags []string
	flags := slices.Concat(splitFlags(goflags), c.BuildFlags)
	for i, f := range flags {
		name, value, ok := strings.Cut(strings.TrimPrefix(f, "-"), "=")
		if strings.TrimPrefix(name, "-") != "tags" {
			continue
		}
		if !ok && i+1 < len(flags) {
			value = flags[i+1]
		}
		tags = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
	}
	return tags
}

// splitFlags splits the value of GOFLAGS: fields separated by space. A whole field may be quoted, with single
// or double quotes.
func splitFlags(s string) []string {
	var flags []string
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			return flags
		}
		end := " \t\r\n"
		if s[0] == '\'' || s[0] == '"' {
			end, s = s[:1], s[1:]
		}
		i := strings.IndexAny(s, end)
		if i < 0 {
			return append(flags, s)
		}
		flags, s = append(flags, s[:i]), s[i+1:]
	}
}
