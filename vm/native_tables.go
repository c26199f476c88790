package vm

// nativeTables lists the natives of all areas.
var nativeTables = [][]Native{
	machineNatives,
	runtimeNatives,
	bytealgNatives,
	leakNatives,
	mathNatives,
	cryptoNatives,
	bigNatives,
	fileNatives,
	finalizerNatives,
	effectNatives,
	syncNatives,
	atomicNatives(),
	timeNatives,
	reflectNatives,
	reflectMapNatives,
	reflectTypeNatives,
	reflectCallNatives,
	reflectChanNatives,
	testingNatives,
	choiceNatives,
	linNatives,
	fuzzNatives,
	synctestNatives,
	signalNatives,
	netNatives,
}

// machineNatives are the machine's own entry points.
var machineNatives = []Native{
	{Name: "runtime.hbInitDone", Fn: func(m *Machine, g *goroutine, _ Regs) Ctl {
		if m.heap.Based { // an initialiser has started a goroutine
			return Next
		}
		m.initDone()
		return Stop
	}},
	{Name: "runtime.hbEntry", Symbolic: true, Makes: entryMakes, Fn: callEntry},
}

// NativeNames returns the SSA names of all functions that the machine implements, in no particular
// order. Static analyses have a model of each (static/pointer).
func NativeNames() []string {
	var names []string
	for _, t := range nativeTables {
		for _, n := range t {
			names = append(names, n.Name)
		}
	}
	return names
}
