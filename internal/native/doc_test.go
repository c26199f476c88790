// Package native has only tests. They compare small programs about the models of the standard
// library and the environment with the same programs compiled and run: every explorer finds the
// outcomes of the compiled program, unless the verdict names what it did not cover. Correct
// programs have no bug.
//
//	testdata/programs/<area>/*.go       programs: functions without parameters, and tests
//	testdata/outcomes/<area>.txt        their native outcomes, recorded with -update
//	testdata/known.txt                  programs that disagree, each with the reason
//
// The native side is recorded, because it takes minutes: each program is run some 200 times
// with different GOMAXPROCS, GODEBUG and GOGC, half of the runs with calls of
// runtime.Gosched and short sleeps before random statements, and some under the race
// detector. TestOutcomes compares the records with the machine, TestLive runs a sample
// of the programs again.
//
// A program is described by lines of its comment:
//
//	//native:race             it has a data race, though the detector may not have seen it
//	//native:norace why       it has none, though the detector reports one
//	//native:bug CODE why     it has this bug, which no native run shows
//	//native:incomplete TEXT  verdicts may be incomplete with a reason that contains TEXT;
//	                          "stopped" if only some searches end within the bounds
//	//native:interrupt        it gets an interrupt some milliseconds after its start
//	//native:straggler        main returns while other goroutines still print
package native
