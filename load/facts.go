package load

import (
	"bytes"
	"go/types"
	"path"
	"slices"
	"strings"
)

// The operations that a program may execute decide which data are part of its states, and which
// operations are visible. For example, a program with a ticker has infinitely many states if it can
// read the clock, and a handful if it cannot. In the user's code, facts are found by types. The
// library is searched as text, in which a call has only one form: that is a hundred times faster,
// and comments that mention a call do no harm.

// A fact is a set of things that a package may do.
type fact uint16

// The facts.
const (
	clockFact      fact = 1 << iota // the code reads the clock, and may decide something by it
	deadlineFact                    // the code makes contexts with deadlines
	goroutineFact                   // the code asks which goroutines there are
	collectionFact                  // the code asks for a collection of garbage
	finalizerFact                   // the code is the user's, and can observe garbage collection
	setenvFact                      // the code changes the environment
	seedFact                        // the code seeds the global functions of math/rand
	argumentFact                    // the code reads the arguments of the command line
	descriptorFact                  // the code is the user's, and can see numbers of descriptors
	watchFact                       // the code may watch files with inotify
	linkedCallFact                  // the code names functions for system calls by go:linkname
)

// factTable says for each fact how it is found.
var factTable = []struct {
	fact     fact
	function func(*types.Func) bool // in the user's code: the fact holds where such a function is mentioned
	imports  string                 // in the library: the fact holds for a file that imports this package, if one is named,
	calls    []string               // and that has one of these texts,
	links    []string               // and in any package: for a line that ends in one of these names (go:linkname)
	but      func(path string) bool // packages that use it only for their users, or that do not depend on it
}{
	{fact: clockFact, function: readsClock, imports: `"time"`, calls: []string{"time.Now(", "time.Since(", "time.Until("},
		but: func(path string) bool { return showsTime[path] }},
	{fact: deadlineFact, function: named("context.WithTimeout", "context.WithTimeoutCause", "context.WithDeadline", "context.WithDeadlineCause"),
		imports: `"context"`, calls: []string{"context.WithTimeout", "context.WithDeadline"},
		but: func(path string) bool { return showsTime[path] }},
	{fact: goroutineFact, function: showsGoroutines,
		calls: []string{"runtime.NumGoroutine(", "runtime.GoroutineProfile(", "pprof.Lookup(", "pprof.Profiles("},
		but:   func(path string) bool { return path == "runtime" || path == "runtime/pprof" }},
	{fact: collectionFact, function: asksForCollection, calls: []string{"runtime.GC(", "debug.FreeOSMemory("},
		links: []string{" runtime.GC", "debug.freeOSMemory"},
		but:   func(path string) bool { return path == "runtime" || path == "runtime/debug" }},
	{fact: finalizerFact, function: named("runtime.SetFinalizer", "runtime.AddCleanup", "weak.Make")},
	{fact: setenvFact, function: setsEnvironment,
		calls: []string{"os.Setenv(", "os.Unsetenv(", "os.Clearenv(", "syscall.Setenv(", "syscall.Unsetenv(", "syscall.Clearenv("},
		links: []string{"syscall.Setenv", "syscall.Unsetenv", "syscall.Clearenv", "os.Setenv", "os.Unsetenv", "os.Clearenv"},
		but:   func(p string) bool { return p == "os" || p == "syscall" || path.Base(p) == "testing" }},
	//mutant: no program seeds [env TestPrograms/seeded$]: "named(\"math/rand.Seed\")" -> "named()"
	{fact: seedFact, function: named("math/rand.Seed"), links: []string{" math/rand.Seed"}},
	{fact: descriptorFact, function: showsDescriptors},
	{fact: watchFact, function: watches,
		calls: []string{"syscall.InotifyInit", "unix.InotifyInit"}},
	{fact: linkedCallFact, function: named(), links: []string{" syscall.Syscall", " syscall.Syscall6", " syscall.RawSyscall", " syscall.RawSyscall6"}},
	{fact: argumentFact, function: named(), imports: `"os"`, calls: []string{"os.Args"}},
}

// factsOf returns the facts of p, which is type-checked.
func factsOf(p *Package) (set fact) {
	for _, row := range factTable {
		switch library := p.library(); {
		case library && row.but != nil && row.but(p.Path):
		case p.mentions("", row.links, "\n"), library && p.mentions(row.imports, row.calls, ""):
			set |= row.fact
		}
	}
	if p.library() {
		return set
	}
	for _, obj := range p.Info.Uses {
		if v, ok := obj.(*types.Var); ok && v.Pkg() != nil && v.Pkg().Path() == "os" && v.Name() == "Args" {
			set |= argumentFact
		}
		if fn, ok := obj.(*types.Func); ok && fn.Pkg() != nil {
			for _, row := range factTable {
				if set&row.fact == 0 && row.function(fn) {
					set |= row.fact
				}
			}
		}
	}
	return set
}

// mentions reports whether a file of p that has the text imports has one of texts, each followed by end.
func (p *Package) mentions(imports string, texts []string, end string) bool {
	for _, file := range p.files {
		if !bytes.Contains(file.src, []byte(imports)) {
			continue
		}
		for _, text := range texts {
			if bytes.Contains(file.src, []byte(text+end)) {
				return true
			}
		}
	}
	return false
}

// named returns whether a function has one of these names.
func named(names ...string) func(*types.Func) bool {
	return func(fn *types.Func) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, fn.Name()) && name == fn.FullName() })
	}
}

// isOf reports whether fn is of one of the packages. It is called before full names are compared,
// because making these took half of the time of the queries, which concern every function that a
// test reaches.
func isOf(fn *types.Func, paths ...string) bool {
	return fn.Pkg() != nil && slices.Contains(paths, fn.Pkg().Path())
}

// readsClock reports whether fn reveals the time: time.Now and similar functions, and methods of a Time,
// because a context's deadline and the values of a ticker are Times, too.
func readsClock(fn *types.Func) bool {
	if !isOf(fn, "time", "syscall") {
		return false
	}
	switch name := fn.FullName(); name {
	case "time.Now", "time.Since", "time.Until", "syscall.Gettimeofday", "syscall.Time":
		return true
	default:
		return strings.HasPrefix(name, "(time.Time).") || strings.HasPrefix(name, "(*time.Time).")
	}
}

// showsTime are the packages of the standard library that read the clock but do not depend on it: they
// print it, measure with it, or use it as a seed. Package context compares deadlines; see UsesDeadlines.
var showsTime = map[string]bool{
	"time": true, "context": true, "log": true, "log/slog": true, "testing": true, "testing/quick": true,
	"internal/poll": true, "crypto/internal/fips140deps/time": true,
}

// showsGoroutines reports whether fn is a function that says which goroutines there are.
func showsGoroutines(fn *types.Func) bool {
	if !isOf(fn, "runtime", "runtime/pprof") {
		return false
	}
	switch fn.FullName() {
	case "runtime.NumGoroutine", "runtime.GoroutineProfile", "runtime.Stack",
		//mutant: pprof does not ask [points]: "Lookup\", \"runtime/pprof." -> ""
		"runtime/pprof.Lookup", "runtime/pprof.Profiles":
		return true
	}
	return false
}

// asksForCollection reports whether fn is a function that collects garbage.
func asksForCollection(fn *types.Func) bool {
	if !isOf(fn, "runtime", "runtime/debug") {
		return false
	}
	name := fn.FullName()
	return name == "runtime.GC" || name == "runtime/debug.FreeOSMemory"
}

// setsEnvironment reports whether fn may change the environment: it is one of package os, syscall or
// testing, or of an interface that a test implements, or finds a method by its name.
func setsEnvironment(fn *types.Func) bool {
	switch fn.Name() {
	//mutant: programs do not set variables [models TestModels/localZone]: "Setenv\", \"Unsetenv\", \"" -> ""
	case "Setenv", "Unsetenv", "Clearenv":
		return true
	case "Method", "MethodByName":
		return fn.Pkg() != nil && fn.Pkg().Path() == "reflect"
	}
	return false
}

// showsDescriptors reports whether fn may show or take the number of a descriptor. A function may do so if it
// is a system call, has the name of a method of files or connections that shows the number, or finds a method
// by its name. Functions of package syscall about signals, errors, the environment and the process do not
// count.
func showsDescriptors(fn *types.Func) bool {
	switch fn.Name() {
	//mutant: no program sees descriptors [models TestCaches/numbered]: "Fd" -> "fd"
	case "Fd", "SyscallConn":
		return true
	case "Method", "MethodByName":
		return isOf(fn, "reflect")
	case "NewFile":
		return isOf(fn, "os")
	}
	switch {
	case isOf(fn, "golang.org/x/sys/unix"):
		return strings.Contains(fn.Name(), "yscall")
	case !isOf(fn, "syscall"):
		return false
	}
	if recv := fn.Signature().Recv(); recv != nil {
		return !slices.Contains([]string{"Error", "Is", "Signal", "String", "Temporary", "Timeout"}, fn.Name())
	}
	return !slices.Contains([]string{
		"Clearenv", "Environ", "Exit", "Getegid", "Getenv", "Geteuid", "Getgid", "Getpid", "Getppid", "Getuid",
		"Kill", "Setenv", "Unsetenv",
	}, fn.Name())
}

// watches reports whether fn makes an instance of inotify.
func watches(fn *types.Func) bool {
	return strings.HasPrefix(fn.Name(), "InotifyInit") && isOf(fn, "syscall", "golang.org/x/sys/unix")
}

// linked reports whether a package that is linked for e has the fact.
func (prog *Program) linked(e *Entry, f fact) bool {
	for _, p := range closure(e.roots) {
		if p.facts&f != 0 {
			return true
		}
	}
	return false
}

// UsesDeadlines reports whether a package that is linked for e makes contexts with deadlines. These
// are times in memory, which matter if time passes in the order of deadlines. Where timers fire in
// any order, a context may expire at any moment, so deadlines do not matter.
func (prog *Program) UsesDeadlines(e *Entry) bool { return prog.linked(e, deadlineFact) }

// SetsEnvironment reports whether a package that is linked for e may change the environment: then the
// library's own read of TZ is an operation.
func (prog *Program) SetsEnvironment(e *Entry) bool { return prog.linked(e, setenvFact) }

// SeedsRand reports whether a package that is linked for e mentions the function that seeds the global
// functions of math/rand: then these can return a sequence that the program knows.
func (prog *Program) SeedsRand(e *Entry) bool { return prog.linked(e, seedFact) }

// TakesArguments reports whether a package that is linked for e mentions the arguments of the command line.
func (prog *Program) TakesArguments(e *Entry) bool { return prog.linked(e, argumentFact) }

// Collects reports whether a package that is linked for e mentions a function that collects garbage:
// then a collection is something that Pools notice.
func (prog *Program) Collects(e *Entry) bool { return prog.linked(e, collectionFact) }

// TellsOfCollection reports whether a package of the user that is linked for e mentions a function by which
// a program can observe garbage collection.
func (prog *Program) TellsOfCollection(e *Entry) bool { return prog.linked(e, finalizerFact) }
