package load

import (
	"bytes"
	"go/types"
	"path"
)

// Whether a program can change its environment decides whether what the library reads of it by itself
// (TZ) is an operation.

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

// mentionsSetenv reports whether the text of p does: of a std package, calls of such functions, but for
// packages that do it for others; of others, links to them by name.
func (p *Package) mentionsSetenv() bool {
	names := []string{"syscall.Setenv\n", "syscall.Unsetenv\n", "syscall.Clearenv\n", "os.Setenv\n", "os.Unsetenv\n", "os.Clearenv\n"}
	if p.library() {
		if p.Path == "os" || p.Path == "syscall" || path.Base(p.Path) == "testing" {
			return false
		}
		names = []string{"os.Setenv(", "os.Unsetenv(", "os.Clearenv(", "syscall.Setenv(", "syscall.Unsetenv(", "syscall.Clearenv("}
	}
	for _, file := range p.files {
		for _, name := range names {
			if bytes.Contains(file.src, []byte(name)) {
				return true
			}
		}
	}
	return false
}

// SetsEnvironment reports whether a package that is linked for e may change the environment.
func (prog *Program) SetsEnvironment(e *Entry) bool {
	for _, p := range closure(e.roots) {
		if p.facts.setsEnv {
			return true
		}
	}
	return false
}
