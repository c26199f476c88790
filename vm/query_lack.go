package vm

import (
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/load"
)

// lack records a lack. Only the first lack counts, because it may have caused everything after it.
func (m *Machine) lack(what Lack) {
	if m.lacks == LackNothing {
		m.lacks = what
	}
}

// miss records that something that a program may need does not exist. A test lacks only servers: see Lacks.
func (m *Machine) miss(what Lack) {
	if m.missed == LackNothing && (what == LackServer || m.entry.Kind == load.Main) {
		m.missed = what
	}
}

// probing are the packages of the standard library that try files of the system, and do without a file that
// does not exist. Their callers do not know of it.
var probing = []string{"crypto/x509", "mime", "net", "os/user", "time"}

// asksItself reports whether the code of a main module asks for a variable. Libraries do without the
// variables that they try, and so do functions such as os.TempDir.
func (m *Machine) asksItself(g *goroutine) (itself bool) {
	by := ""
	m.eachLogicalFrame(g, func(id uint32, _ int32, _ uint32) bool {
		f := m.code(id)
		if id == 0 || f.SSA == nil {
			return true
		}
		p := m.prog.PackageOf(original(f.SSA))
		if p == nil || p.Std && (p.Path == "os" || p.Path == "syscall") {
			by = f.SSA.Name()
			return true
		}
		//mutant: what functions of os try counts [test ./cmd/hbcheck TestScripts/arguments]: "p.Main && " -> "p.Main || "
		itself = p.Main && slices.Contains([]string{"Getenv", "LookupEnv", "ExpandEnv"}, by)
		return false
	})
	return itself
}

// probes reports whether g opens a file for a package of probing, perhaps with functions of package os.
func (m *Machine) probes(g *goroutine) (found bool) {
	m.eachLogicalFrame(g, func(id uint32, _ int32, _ uint32) bool {
		f := m.code(id)
		if id == 0 || f.SSA == nil {
			return true
		}
		p := m.prog.PackageOf(f.SSA)
		if p == nil || p.Std && (p.Path == "os" || p.Path == "syscall" || strings.HasPrefix(p.Path, "internal/")) {
			return true
		}
		//mutant: files that the library tries count [test ./cmd/hbcheck TestScripts/arguments]: "p.Std && slices" -> "false && slices"
		found = p.Std && slices.Contains(probing, p.Path)
		return false
	})
	return found
}

// Lacks returns the features of a native execution that this path lacked. A program that gives up (no test)
// may need arguments, a file, a server, input or a variable that are not here. A test finds the files and
// variables of hbcheck, but it may need a server.
func (v Report) Lacks() Lack {
	m := v.m
	//mutant: a program needs no arguments [test ./cmd/hbcheck TestScripts/arguments]: "m.lacks != LackNothing || " -> "true || "
	if m.lacks != LackNothing || !m.givesUp() {
		return m.lacks
	}
	switch main := m.entry.Kind == load.Main; {
	case m.facts.Arguments && len(m.cfg.Args) <= 1 && (main || m.exited):
		return LackArguments
	case main:
		return m.missed
	//mutant: a test needs no server [test ./cmd/hbcheck TestScripts/arguments]: "m.missed == LackServer" -> "false"
	case m.missed == LackServer:
		return LackServer
	}
	return LackNothing
}

// givesUp reports whether the program has decided to fail: it has exited with a status other than 0, a test
// has reported a failure, or code of the user, or of package log for it, has called panic. A panic that the
// runtime or a library raises is not such a decision.
func (m *Machine) givesUp() bool {
	if m.exited {
		return m.exit != 0
	}
	if len(m.failures) > 0 {
		return true
	}
	f := m.fault
	//mutant: a panic of the runtime is one of the program [test ./cmd/hbcheck TestScripts/lacking]: "f.Kind != GoPanic || " -> ""
	if f == nil || f.Kind != GoPanic || f.Fatal || len(f.Frames) == 0 {
		return false
	}
	at := f.Frames[0]
	return !at.Std || strings.HasPrefix(at.Func, "log.")
}
