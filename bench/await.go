package bench

import "strconv"

// awaitPrograms returns the suite await: locks and barriers that wait in loops. Their executions are
// counted without the iterations of those loops that have no effect. Where there is no formula,
// TestClasses counts them, as it does for every suite.
func awaitPrograms() []CountedProgram {
	var list []CountedProgram
	// add adds a program. blocked is the number of executions that optimal abandons, because a goroutine
	// waits in the middle of an iteration for something that happened before the iteration.
	add := func(program, args string, classes, blocked uint64, published ...Count) {
		list = append(list, CountedProgram{Suite: "await", Program: program, Args: args, Large: classes > 6000, Classes: classes,
			Exact: []Count{{"optimal", "blocked", blocked}, {"context", "executions", classes}}, Published: published})
	}
	genMC := func(n uint64) Count { return Count{"GenMC", "executions", n} }
	for n := 2; n <= 8; n++ {
		arg := strconv.Itoa(n)
		add("taslock", arg, factorial(n), 0)
		add("clhlock", arg, factorial(n), 0)
		if n == 2 || n == 4 {
			add("ticket", arg, factorial(n), 0, genMC(factorial(n)))
		} else {
			add("ticket", arg, factorial(n), 0)
		}
	}
	for i, classes := range []uint64{6, 144, 12_096} {
		add("ttaslock", strconv.Itoa(i+2), classes, 0)
	}
	for i, classes := range []uint64{6, 66, 1080} {
		if i < 2 {
			add("mcslock", strconv.Itoa(i+2), classes, 0, genMC(classes))
		} else {
			add("mcslock", strconv.Itoa(i+2), classes, 0)
		}
	}
	add("bakery", "2", 9, 0)
	add("bakery", "3", 254, 0)
	add("peterson", "2", 4, 4)
	add("dekkerlock", "2", 4, 5)
	for n := 2; n <= 4; n++ {
		f := factorial(n) * factorial(n)
		add("barrier", strconv.Itoa(n)+" 1", f, 0)
		add("barrier", strconv.Itoa(n)+" 2", f*f, 0)
	}
	return list
}
