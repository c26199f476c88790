package vm

// writeInputs writes the path condition, as a set, the number of variables of each goroutine, and
// the places and numbers of its decisions.
func (m *Machine) writeInputs(ws []uint64) []uint64 {
	sum := m.sym.Sum()
	//mutant: the path condition is not in the hash [inputs Concurrent]: "sum[0], sum[1]" -> "0*sum[0], 0"
	ws = append(ws, 1<<62, sum[0], sum[1])
	for _, o := range m.living() {
		if g := m.gs[o]; g.status != gEnded {
			//mutant: counts are no part of a state [inputs Unwind]: ", g.Facts.HashOfPlaces()" -> ""
			ws = append(ws, uint64(g.NVars), g.Facts.HashOfPlaces())
		}
	}
	return ws
}
