package vm

// ForgetSerialised makes the next Hash write every goroutine down anew.
func (m *Machine) ForgetSerialised() {
	for _, g := range m.gs {
		g.serial.valid = false
	}
}

// GrowMap rebuilds a map of the program's, in the middle of a step of main, with room for entries of
// 4 GB and some.
func (m *Machine) GrowMap() {
	defer m.recoverOutOfMemory()
	for _, t := range m.mapTypes {
		if t != nil {
			m.mapGrow(m.gs[0], uint64(m.heap.alloc(m.gs[0], mpSize, m.layMap))<<32, t, 1<<32/int(t.entry.Size)+8)
		}
	}
}

// ConstantPackage reports whether path is listed as a package whose unexported
// variables never change.
func ConstantPackage(path string) bool { return constantPkgs[path] }
