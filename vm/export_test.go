package vm

// ForgetTranscripts makes the next Hash write every goroutine down anew.
func (m *Machine) ForgetTranscripts() {
	for _, g := range m.gs {
		g.transcript.valid = false
	}
}
