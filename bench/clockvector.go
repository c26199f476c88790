package bench

import "fmt"

// clockvectorPrograms returns the suite clockvector: the programs of table 3 of "Vector-clock Based Partial
// Order Reduction for JPF" (Noonan, Mercer and Rungta), with the states of JPF's own reduction and of the
// paper's reduction (mean of three random searches). Two smaller sizes are ours. The states of jpf are
// counted without a walk through its whole tree (stateful.JPFTree); clockvector has to walk its tree, and
// does not finish the large programs.
func clockvectorPrograms() []CountedProgram {
	var list []CountedProgram
	add := func(program string, a, b int, large bool, jpf, vectors float64) {
		t := CountedProgram{Suite: "clockvector", Program: program, Args: fmt.Sprint(a, b), Large: large}
		if jpf > 0 {
			t.Published = []Count{{"JPF", "states", uint64(jpf)}, {"clock vectors", "states", uint64(vectors + 0.5)}}
		}
		list = append(list, t)
	}
	add("airline", 2, 1, false, 0, 0)
	add("airline", 2, 2, false, 0, 0)
	add("airline", 3, 4, false, 9025, 2786.7)
	add("airline", 4, 2, true, 307_561, 107_112)
	add("airline", 4, 4, true, 281_105, 87_214)
	add("airline", 5, 1, true, 3_966_210, 1_050_418)
	add("reorder", 1, 1, false, 285, 181.33)
	add("reorder", 2, 1, false, 3859, 2222.7)
	add("reorder", 3, 1, false, 54_555, 26_576)
	add("reorder", 4, 1, true, 532_101, 228_874)
	return list
}
