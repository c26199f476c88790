// Bugs of SpiderMonkey (1 to 3) and of NSPR (4 to 6), as their reports describe them (radbench of SCTBench: Mozilla's
// bugs 515403, 476934, 478336, 354593, 165586, 526805; the argument is the number of the bug). Kept are the goroutines,
// the locks, the shared state and the order in which the reports say that it is accessed; all else of the
// applications is left out.
//
//	spidermonkey.go    a runtime, its contexts and its collector
//	nspr.go            locks and condition variables
package main

import "os"

func main() {
	map[string]func(){"1": sweeps, "2": clears, "3": lands, "4": creates, "5": interrupts, "6": nests}[os.Args[1]]()
}
