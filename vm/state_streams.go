package vm

import "strings"

// output appends b to stream fd.
//
// The two streams are one sequence of bytes, with a note of where one ends and the other begins:
// their order is what a terminal shows. With marks open a run is not made longer, since a rewind,
// which cuts both slices to what they were, could not make it shorter again.
func (m *Machine) output(fd int, b []byte) {
	if m.cfg.Run {
		if w := m.cfg.Stdout; fd == 1 && w != nil {
			w.Write(b)
			return
		}
		if w := m.cfg.Stderr; fd == 2 && w != nil {
			w.Write(b)
			return
		}
	}
	m.out = append(m.out, b...)
	if n := len(m.runs); n > 0 && m.runs[n-1].fd == fd && len(m.marks) == 0 {
		m.runs[n-1].end = len(m.out)
		return
	}
	m.runs = append(m.runs, outRun{len(m.out), fd})
}

// Output returns what the path so far has written to stream fd.
func (v Report) Output(fd int) string {
	m := v.m
	var b strings.Builder
	start := 0
	for _, r := range m.runs {
		if r.fd == fd {
			b.Write(m.out[start:r.end])
		}
		start = r.end
	}
	return b.String()
}
