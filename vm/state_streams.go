package vm

import "strings"

// output appends b to stream fd.
//
// The bytes of the two streams are in one sequence, because a terminal shows their order; the runs
// say which bytes belong to which stream. While a mark is open no run grows: a rewind only shortens
// both slices, and could not shrink a run.
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

// Output returns the output of the present path to stream fd.
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
