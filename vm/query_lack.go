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

// miss records that something that a program may need does not exist.
func (m *Machine) miss(what Lack) {
	if m.missed == LackNothing {
		m.missed = what
	}
}

// probing are the packages of the standard library that try files of the system, and do without a file that
// does not exist. Their callers do not know of it.
var probing = []string{"crypto/x509", "mime", "net", "os/user", "time"}

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

// Lacks returns the features of a native execution that this path lacked. A program (no test) that exits with
// a status other than 0 may need arguments, a file or a server that are not here.
func (v Report) Lacks() Lack {
	m := v.m
	//mutant: a program needs no arguments [test ./cmd/hbcheck TestScripts/arguments]: "m.lacks != LackNothing || " -> "true || "
	if m.lacks != LackNothing || !m.exited || m.exit == 0 {
		return m.lacks
	}
	if m.facts.Arguments && len(m.cfg.Args) <= 1 {
		return LackArguments
	}
	if m.entry.Kind == load.Main {
		return m.missed
	}
	return LackNothing
}
