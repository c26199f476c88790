package bench

// dporenginePrograms returns the suite dporengine: the programs of table 1 of "A Sound Dynamic Partial
// Order Reduction Engine for Java Pathfinder" (Storey, Mercer and Parizek), with the numbers of graphs its
// engine has written for two analyses. It writes a graph whenever a thread ends.
func dporenginePrograms() []CountedProgram {
	program := func(name string, classes, races, accesses uint64) CountedProgram {
		return CountedProgram{Suite: "dporengine", Program: name, Classes: classes,
			Exact:     []Count{{"graph restart", "graphs", races}, {"graph everyaccess restart", "graphs", accesses}, {"graph everyaccess", "graphs", accesses}, {"graph", "replays", 0}},
			Published: []Count{{"DataRaceBehavior", "graphs", races}, {"EveryAccess", "graphs", accesses}},
		}
	}
	return []CountedProgram{
		program("graphexample", 2, 6, 4), // counted from the paper's figure 1
		program("maybeexample", 2, 8, 5),
		program("moresimple", 3, 7, 7),
		program("lesssimple", 4, 17, 19),
		program("engineexample", 8, 62, 125),
	}
}
