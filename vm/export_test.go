package vm

// ForgetSerialised makes the next Hash write every goroutine down anew.
func (m *Machine) ForgetSerialised() {
	for _, g := range m.gs {
		g.serial.valid = false
	}
}

// ConstantPackage reports whether path is listed as a package whose unexported
// variables never change.
func ConstantPackage(path string) bool { return constantPkgs[path] }
