package bench

import "strconv"

// cdporPrograms returns the suite cdpor: the programs of "Context-Sensitive Dynamic Partial Order
// Reduction" (CAV 2017). Actors are structs with a lock, messages are goroutines that hold the
// receiver's lock while they are handled.
//
// The paper's numbers for Fib, MSort(12) and MSort(15) are below the number of classes, which is 2
// to the power of the number of actors that get two results. So an explorer with fewer executions
// misses an order of two writes to one field.
func cdporPrograms() []CountedProgram {
	const source, states = "paper, Source-DPOR", "states"
	var list []CountedProgram
	add := func(program, args string, classes uint64, published ...Count) {
		list = append(list, CountedProgram{Suite: "cdpor", Program: program, Args: args, Large: classes > 6000, Classes: classes, Published: published})
	}
	// contexts adds the numbers of the paper's table 2.
	contexts := func(program string, n int, classes, execs, v1, v2, v3 uint64) {
		add(program, strconv.Itoa(n), classes, Count{source, "executions", execs},
			Count{"CDPOR1", "executions", v1}, Count{"CDPOR2", "executions", v2}, Count{"CDPOR3", "executions", v3})
	}
	add("pqr", "", 6, Count{source, "executions", 6}, Count{"paper, CDPOR", "executions", 3})
	pc := func(n int, execs, all, cExecs, cStates uint64) {
		add("pc", strconv.Itoa(n), execs, Count{source, "executions", execs}, Count{source, states, all},
			Count{"CDPOR", "executions", cExecs}, Count{"CDPOR", states, cStates})
	}
	pc(3, 20, 69, 8, 52)
	pc(5, 252, 923, 32, 324)
	pc(7, 3432, 12_869, 128, 1712)
	pc(9, 48_620, 184_755, 512, 8428)
	add("fib", "3", 1<<2)
	add("fib", "4", 1<<4)
	contexts("fib", 5, 1<<7, 94, 26, 26, 1)
	contexts("fib", 6, 1<<12, 2148, 256, 256, 1)
	contexts("fib", 7, 1<<20, 56_735, 7929, 11_924, 1)
	add("msort", "4", 1<<3)
	contexts("msort", 9, 1<<8, 256, 14, 14, 1)
	contexts("msort", 12, 1<<11, 912, 33, 23, 1)
	contexts("msort", 15, 1<<14, 15_872, 135, 135, 1)
	add("pi", "3", 6)
	contexts("pi", 5, 120, 120, 9, 9, 9)
	contexts("pi", 6, 720, 720, 24, 24, 24)
	contexts("pi", 7, 5040, 5040, 74, 74, 74)
	add("psort", "3", 12)
	contexts("psort", 4, 288, 288, 8, 2, 2)
	contexts("psort", 5, 34_560, 34_560, 64, 8, 8)
	contexts("psort", 6, 24_883_200, 275_358, 1224, 72, 72) // the paper's search was stopped
	add("reg", "2", 8)
	add("reg", "3", 48)
	contexts("reg", 4, 384, 384, 148, 71, 1)
	contexts("reg", 5, 3840, 3840, 1047, 449, 1)
	contexts("reg", 6, 46_080, 46_080, 7920, 3145, 1)
	for i := range list {
		// The results of explore: states, and executions that have not reached a known state.
		if n, ok := cdporStates[list[i].Name()]; ok {
			list[i].Exact = append(list[i].Exact, Count{"jpf states", states, n[0]}, Count{"jpf states", "executions", n[1]})
		}
	}
	return list
}

// cdporStates are the numbers of states of programs, and of executions that end in a new state.
var cdporStates = map[string][2]uint64{
	"pqr":  {6, 6},
	"pc 3": {17, 15}, "pc 5": {107, 79}, "pc 7": {569, 383}, "pc 9": {2807, 1791},
	"fib 3": {3, 2}, "fib 4": {5, 2}, "fib 5": {11, 4}, "fib 6": {17, 4}, "fib 7": {33, 4},
	"msort 4": {21, 2}, "msort 9": {1657, 2}, "msort 12": {27_583, 4}, "msort 15": {226_717, 4},
	"pi 3": {21, 12}, "pi 5": {233, 40}, "pi 6": {717, 60}, "pi 7": {2173, 84},
	"psort 3": {6, 2}, "psort 4": {17, 2}, "psort 5": {43, 2}, "psort 6": {100, 2},
	"reg 2": {4, 1}, "reg 3": {6, 1}, "reg 4": {8, 1}, "reg 5": {10, 1}, "reg 6": {12, 1},
}
