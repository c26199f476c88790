// Bugs of the JDK, as their reports describe them (jdk6 and jdk7 of JaConTeBe; the argument is the number of
// the bug). Kept are the goroutines, the locks, the shared state and the order in which the reports say that
// it is accessed.
//
//	locks.go    two locks in two orders, and lost notifications
//	state.go    state that changes between a check and its use
package main

import "os"

func main() {
	map[string]func(){
		"6492872": wraps, "6582568": compares, "6648001": authenticates, "7122142": annotates, "8010939": configures,
		"8012019": positions,
		"4243978": enqueues, "4742723": mkdirs, "4779253": filters, "6436220": attaches, "7045594": names,
		"7100996": inserts, "7132378": publishes, "7132889": registers,
	}[os.Args[1]]()
}
