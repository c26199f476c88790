// Package godebug reads the settings of the GODEBUG environment variable. They
// are those the program is started with; nothing counts their use.
package godebug

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

// Value returns the setting's value, empty if it is not set.
func (s *Setting) Value() string { return setting(s.Name()) }

// setting looks name up in the machine's GODEBUG.
func setting(name string) string
