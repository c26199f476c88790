package load

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A FlagUse is the treatment of a flag of the go command in GOFLAGS.
type FlagUse int

const (
	// Meaningless flags make no difference to the exploration.
	Meaningless FlagUse = iota
	// Honoured flags have the same effect as with the go command.
	Honoured
	// Refused flags would make the program another one than the explored one.
	Refused
)

// A GoFlag is a flag of go build or go test. Why has the reason why the flag makes no difference, or the
// alternative to a refused flag. Flags that hbcheck has, too, are handled with its command line.
type GoFlag struct {
	Use FlagUse
	Why string
}

// GoFlags are all flags of go build and go test (go help build, go help testflag, go help test).
// TestGoFlags compares them with the go command's own list.
var GoFlags = map[string]GoFlag{
	// Flags for compilation.
	"C":             {Honoured, "use -C here; GOFLAGS cannot contain it"},
	"tags":          {Honoured, ""},
	"mod":           {Honoured, "set GOFLAGS=-mod=..."},
	"modfile":       {Honoured, "set GOFLAGS=-modfile=..."},
	"overlay":       {Honoured, "set GOFLAGS=-overlay=..."},
	"trimpath":      {Honoured, "set GOFLAGS=-trimpath"},
	"ldflags":       {Honoured, "set it in GOFLAGS: hbcheck honours its -X"},
	"gcflags":       {Honoured, "set it in GOFLAGS: hbcheck ignores optimisation and printing"},
	"buildmode":     {Honoured, "set it in GOFLAGS: hbcheck ignores modes that build a program"},
	"toolexec":      {Refused, "hbcheck does not see the code that the tool produces"},
	"compiler":      {Honoured, "set it in GOFLAGS: hbcheck models gc only"},
	"linkshared":    {Refused, "hbcheck does not execute shared libraries"},
	"race":          {Meaningless, "hbcheck always detects data races"},
	"msan":          {Meaningless, "hbcheck runs no C code"},
	"asan":          {Meaningless, "hbcheck runs no C code"},
	"asmflags":      {Meaningless, "hbcheck does not execute assembly"},
	"gccgoflags":    {Meaningless, "hbcheck does not use gccgo"},
	"pgo":           {Meaningless, "a profile changes only the speed of a program"},
	"pkgdir":        {Meaningless, "hbcheck installs nothing"},
	"installsuffix": {Meaningless, "hbcheck installs nothing"},
	"modcacherw":    {Meaningless, "it affects only the module cache"},
	"buildvcs":      {Meaningless, "hbcheck builds no binary to stamp"},

	// How it is compiled.
	"a":    {Meaningless, "hbcheck compiles nothing"},
	"n":    {Meaningless, "hbcheck compiles nothing"},
	"p":    {Meaningless, "hbcheck compiles nothing; -j sets the number of workers"},
	"x":    {Meaningless, "hbcheck compiles nothing"},
	"work": {Meaningless, "hbcheck compiles nothing"},
	"c":    {Meaningless, "hbcheck compiles nothing"},
	"o":    {Meaningless, "hbcheck compiles nothing; --output names the directory of replay files"},
	"exec": {Refused, "hbcheck builds no binary for another program to run"},

	// Which tests are executed, and how.
	"run":       {Honoured, ""},
	"skip":      {Honoured, ""},
	"bench":     {Honoured, ""},
	"short":     {Honoured, ""},
	"count":     {Honoured, ""},
	"timeout":   {Honoured, ""},
	"args":      {Honoured, "pass the program's arguments after --; GOFLAGS cannot contain them"},
	"cpu":       {Meaningless, "hbcheck explores every schedule, whatever GOMAXPROCS is"},
	"parallel":  {Meaningless, "hbcheck explores every order of goroutines"},
	"shuffle":   {Meaningless, "hbcheck explores tests one by one"},
	"failfast":  {Meaningless, "hbcheck stops an entry at its first bug, unless --all is given"},
	"benchtime": {Meaningless, "hbcheck runs benchmarks with one or two iterations"},
	"benchmem":  {Meaningless, "hbcheck does not measure memory"},
	"fuzz":      {Meaningless, "hbcheck explores fuzz targets like tests; select one with --run"},
	"fuzztime":  {Meaningless, "hbcheck explores fuzz targets like tests, each for at most --timeout"},

	"fuzzminimizetime": {Meaningless, "hbcheck explores fuzz targets like tests, and simplifies schedules"},

	// Flags for output.
	"v":         {Meaningless, "ignored in GOFLAGS; hbcheck -v shows every step of a schedule"},
	"json":      {Meaningless, "ignored in GOFLAGS; hbcheck has --json"},
	"list":      {Meaningless, "ignored in GOFLAGS; hbcheck lists entries when it explores them"},
	"fullpath":  {Meaningless, "hbcheck prints positions as the go command does"},
	"vet":       {Meaningless, "use go vet"},
	"artifacts": {Meaningless, "hbcheck does not keep files that a test writes"},
	"outputdir": {Meaningless, "hbcheck does not keep files that a test writes; --output names the directory of replay files"},
	"cover":     {Meaningless, "ignored in GOFLAGS; hbcheck has --cover"},
	"coverpkg":  {Meaningless, "--cover covers all packages of the module that the program imports"},
	"covermode": {Meaningless, "the number of times that a search executes a block means nothing; --cover reports whether it was executed"},

	"coverprofile":         {Meaningless, "ignored in GOFLAGS; hbcheck has --coverprofile"},
	"blockprofile":         {Meaningless, noProfile},
	"blockprofilerate":     {Meaningless, noProfile},
	"cpuprofile":           {Meaningless, noProfile},
	"memprofile":           {Meaningless, noProfile},
	"memprofilerate":       {Meaningless, noProfile},
	"mutexprofile":         {Meaningless, noProfile},
	"mutexprofilefraction": {Meaningless, noProfile},
	"trace":                {Meaningless, "go tool trace shows one run; --output names the directory of schedules"},
}

const noProfile = "the time and memory of a search are not those of the program"

// buildChoices has the effects of the go command's flags on the explored program.
type buildChoices struct {
	root     string            // Config.Root
	replaced map[string]string // by -overlay: the replacement of a file, "" if there is none
	vars     []setVar          // by -ldflags=-X
	trimpath bool              // names of files have no directories of the host
}

// A setVar is a variable that the linker gives a value.
type setVar struct{ pkg, name, value string }

// goFlagError is the error of a flag that is refused.
func goFlagError(flag, why string) error {
	return Errors{{Msg: fmt.Sprintf("GOFLAGS: %s: %s; unset it for hbcheck", flag, why)}}
}

// takeGoFlags determines the effects of the go command's flags. The error is an Errors that names the flag
// that is refused.
func (l *loader) takeGoFlags() error {
	// The environment of this process decides which files the standard library has.
	if e := l.goEnv.GOEXPERIMENT; e != "" && !slices.ContainsFunc(l.cfg.env(l.dir), func(s string) bool { return strings.HasPrefix(s, "GOEXPERIMENT=") }) {
		return Errors{{Msg: fmt.Sprintf("GOEXPERIMENT=%s was set by go env -w: set it in the environment for hbcheck", e)}}
	}
	for _, f := range slices.Concat(splitFlags(l.goEnv.GOFLAGS), l.cfg.BuildFlags) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(f, "-"), "-"), "=")
		name = strings.TrimPrefix(name, "test.")
		if known := GoFlags[name]; known.Use == Refused && value != "" && value != "false" {
			return goFlagError("-"+name, known.Why)
		} else if known.Use != Honoured {
			continue // the go command reports unknown flags
		}
		var err error
		switch name {
		case "overlay":
			l.choices.replaced, err = l.readReplaced(value)
		case "trimpath":
			l.choices.trimpath = value != "false"
		case "ldflags":
			err = l.linkerFlags(value)
		case "gcflags":
			err = compilerFlags(value)
		case "buildmode":
			if !slices.Contains([]string{"default", "exe", "pie"}, value) {
				err = goFlagError("-buildmode="+value, "only default, exe and pie build a program")
			}
		case "compiler":
			if value != "gc" {
				err = goFlagError("-compiler="+value, "hbcheck models gc only")
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readReplaced reads the file of -overlay.
func (l *loader) readReplaced(file string) (map[string]string, error) {
	if file == "" {
		return nil, nil
	}
	abs := func(name string) string {
		if !filepath.IsAbs(name) {
			name = filepath.Join(l.dir, name)
		}
		return filepath.Clean(name)
	}
	data, err := os.ReadFile(l.host(abs(file)))
	if err != nil {
		return nil, Errors{{Msg: fmt.Sprintf("GOFLAGS: -overlay: %v", err)}}
	}
	var text struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &text); err != nil {
		return nil, Errors{{Msg: fmt.Sprintf("GOFLAGS: -overlay: %s: %v", file, err)}}
	}
	replaced := make(map[string]string)
	for name, by := range text.Replace {
		if by != "" {
			by = abs(by)
		}
		name = abs(name)
		if strings.HasPrefix(name, l.goEnv.GOROOT+string(filepath.Separator)) {
			return nil, goFlagError("-overlay="+file, "it replaces "+name+", a file of the standard library, parts of which hbcheck replaces itself")
		}
		replaced[name] = by
	}
	return replaced, nil
}

// source returns the file that is read in place of the file of that name.
func (c *buildChoices) source(name string) string {
	if by := c.replaced[name]; by != "" {
		name = by
	}
	return Rooted(c.root, name)
}

// toolArgs splits the value of -ldflags or -gcflags. A pattern other than "all" selects packages.
func toolArgs(value string) (pattern string, args []string) {
	value = strings.TrimSpace(value)
	if value != "" && value[0] != '-' && value[0] != '\'' && value[0] != '"' {
		pattern, value, _ = strings.Cut(value, "=")
	}
	if pattern == "all" {
		pattern = ""
	}
	return pattern, splitFlags(value)
}

// flagged returns the name of a tool's flag and its value, if that is in the same word.
func flagged(arg string) (name, value string, hasValue bool) {
	name, value, hasValue = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
	return
}

// linkerFlags takes the value of -ldflags. -X is the only flag of the linker that programs notice: the
// others affect the file that it writes.
func (l *loader) linkerFlags(flags string) error {
	pattern, args := toolArgs(flags)
	for i := 0; i < len(args); i++ {
		name, value, hasValue := flagged(args[i])
		if name != "X" {
			continue
		}
		if !hasValue && i+1 < len(args) {
			i++
			value = args[i]
		}
		if pattern != "" {
			return goFlagError("-ldflags="+flags, "hbcheck honours -X only without the pattern "+pattern+"; remove the pattern")
		}
		path, text, ok := strings.Cut(value, "=")
		dot := strings.LastIndexByte(path, '.')
		if !ok || dot <= 0 {
			return goFlagError("-ldflags="+flags, "-X takes path.name=value")
		}
		v := setVar{path[:dot], path[dot+1:], text}
		if !strings.Contains(v.pkg, ".") && l.isStd(v.pkg) {
			return goFlagError("-ldflags="+flags, v.pkg+" is a package of the standard library, whose variables hbcheck does not set")
		}
		l.choices.vars = append(slices.DeleteFunc(l.choices.vars, func(o setVar) bool { return o.pkg == v.pkg && o.name == v.name }), v)
	}
	return nil
}

// isStd reports whether the standard library has a package of that path.
func (l *loader) isStd(path string) bool {
	info, err := os.Stat(l.host(filepath.Join(l.goEnv.GOROOT, "src", filepath.FromSlash(path))))
	return path != "main" && err == nil && info.IsDir()
}

// noDifference are the flags of the compiler that programs do not notice: optimisations, output, checks and
// debug information.
var noDifference = []string{"N", "l", "m", "S", "e", "v", "w", "c", "live", "json", "dwarf", "dwarflocationlists", "dwarfbasentries",
	"spectre", "wb", "smallframes", "buildid", "bench", "memprofile", "memprofilerate", "cpuprofile", "blockprofile", "mutexprofile"}

// compilerFlags refuses flags in -gcflags that change the behaviour of programs.
func compilerFlags(flags string) error {
	_, args := toolArgs(flags)
	for _, arg := range args {
		name, value, _ := flagged(arg)
		ok := slices.Contains(noDifference, strings.TrimRight(name, "0123456789")) || !strings.HasPrefix(arg, "-")
		if name == "d" { // debug settings, separated by commas
			ok = true
			for _, d := range strings.Split(value, ",") {
				d, _, _ = strings.Cut(d, "=")
				ok = ok && (strings.HasPrefix(d, "ssa/") || slices.Contains([]string{"checkptr", "inlfuncswithclosures", "pgoinline", "nil", "append", "closure", "defer", "panic"}, d))
			}
		}
		if !ok {
			return goFlagError("-gcflags="+flags, arg+" may change the behaviour of the program, and hbcheck does not implement it")
		}
	}
	return nil
}

// setVars gives variables of p the values that the linker would: those of type string without an initial
// value, or with a constant one. Other variables are initialised by code, which overwrites the linker's
// value, unless the compiler has computed their values in advance. It is unknown which of the two happens.
// The variables that are set come first, because they have their values before any code is executed.
func (l *loader) setVars(p *Package) {
	for _, set := range l.choices.vars {
		if set.pkg != p.Types.Path() || p.library() {
			continue
		}
		v, ok := p.Types.Scope().Lookup(set.name).(*types.Var)
		if !ok {
			continue
		}
		if types.Unalias(v.Type()) != types.Typ[types.String] {
			l.typeError(p, types.Error{Fset: l.fset, Pos: v.Pos(),
				Msg: fmt.Sprintf("%s.%s: cannot set with -X: not a var of type string (type:%s)", set.pkg, set.name, v.Type())})
			continue
		}
		at := slices.IndexFunc(p.Info.InitOrder, func(in *types.Initializer) bool { return slices.Contains(in.Lhs, v) })
		if at >= 0 {
			if in := p.Info.InitOrder[at]; len(in.Lhs) > 1 || p.Info.Types[in.Rhs].Value == nil {
				l.typeError(p, types.Error{Fset: l.fset, Pos: v.Pos(),
					Msg: fmt.Sprintf("%s.%s: -X works only if the variable has no initial value, or a constant one", set.pkg, set.name)})
				continue
			}
			p.Info.InitOrder = slices.Delete(p.Info.InitOrder, at, at+1)
		}
		text := &ast.BasicLit{ValuePos: v.Pos(), Kind: token.STRING, Value: strconv.Quote(set.value)}
		p.Info.Types[text] = constantOf(v.Type(), set.value)
		p.Info.InitOrder = slices.Insert(p.Info.InitOrder, 0, &types.Initializer{Lhs: []*types.Var{v}, Rhs: text})
	}
}

// constantOf returns the type-checker's record of a string constant of type t.
func constantOf(t types.Type, s string) types.TypeAndValue {
	tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, strconv.Quote(s))
	if err != nil {
		panic("BUG: " + err.Error())
	}
	tv.Type = t
	return tv
}

// Source returns the file with the text of the file of that name: -overlay may replace it.
func (prog *Program) Source(name string) string { return prog.choices.source(name) }

// Root is the directory that contains the program's files, if it is the directory of a bundle;
// otherwise it is empty.
func (prog *Program) Root() string { return prog.root }

// Recorded returns the name that the compiler records for a file, for example for stack traces: with
// -trimpath there are no directories of the host in it.
func (prog *Program) Recorded(name string) string {
	if !prog.choices.trimpath {
		return name
	}
	dir, base := filepath.Split(name)
	dir = filepath.Clean(dir)
	if std, ok := strings.CutPrefix(name, filepath.Join(prog.GOROOT, "src")+string(filepath.Separator)); ok {
		return filepath.ToSlash(std)
	}
	for _, p := range prog.All {
		if p.Dir != dir || p.Std {
			continue
		}
		path := p.Path
		if p.ForTest != "" {
			path = p.ForTest // the path of an external test is not that of a directory
		}
		if m := p.list.Module; m != nil && m.Version != "" {
			path = m.Path + "@" + m.Version + strings.TrimPrefix(path, m.Path)
		}
		return path + "/" + base
	}
	return base
}
