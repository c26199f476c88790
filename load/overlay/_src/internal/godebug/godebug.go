// Package godebug reads the settings of the GODEBUG environment variable. It does not count their use.
package godebug

import (
	"internal/effect"
	"unsafe"
)

// A Setting is one named setting.
type Setting struct {
	name string
}

// New returns the setting of that name; a leading # marks it as undocumented.
func New(name string) *Setting { return &Setting{name} }

// Name returns the name without the mark.
func (s *Setting) Name() string {
	if s.Undocumented() {
		return s.name[1:]
	}
	return s.name
}

// Undocumented reports whether the setting is marked as undocumented.
func (s *Setting) Undocumented() bool { return s.name != "" && s.name[0] == '#' }

// String returns the setting as it would stand in GODEBUG.
func (s *Setting) String() string { return s.Name() + "=" + s.Value() }

// IncNonDefault counts nothing.
func (s *Setting) IncNonDefault() {}

// Value returns the setting's value, empty if it is not set. In a program that can change
// the environment, this is a read of the environment.
func (s *Setting) Value() string {
	//mutant: asking for a setting is no operation [env TestPrograms/godebugset]: false
	if HbEnvs != nil && hbSets() {
		effect.Ordered(HbEnvs, false)
	}
	return setting(s.Name(), text, changed)
}

// HbEnvs is the environment, of package syscall.
var HbEnvs unsafe.Pointer

// The value of GODEBUG, if the program has changed it.
var (
	text    string
	changed bool
)

// HbChange records that the program changes GODEBUG, as part of a change of the environment.
// mutant: settings are those of the start [env TestPrograms/godebugset]
func HbChange(to string) { text, changed = to, true }

// HbValue returns the value of the named setting, if GODEBUG is text.
func HbValue(name, text string) string { return setting(name, text, true) }

// HbFirst returns the value of the named setting when the program started.
func HbFirst(name string) string { return setting(name, "", false) }

// setting looks name up in text, if that is given, or in the machine's GODEBUG.
func setting(name, text string, given bool) string

// hbSets reports whether the program can change the environment.
func hbSets() bool
