// Package native holds no code, only tests: what small programs about the models of
// the standard library and the environment do when they are compiled and run must be
// among the outcomes that every explorer knows, unless the verdict says what it did not
// cover, and programs that are right must get no bug.
//
//	testdata/programs/<area>/*.go       programs: functions without parameters, and tests
//	testdata/outcomes/<area>.txt        what they did natively, recorded with -update
//	testdata/known.txt                  those that disagree today, each with the reason
//
// The native side is recorded, as it takes minutes: each program is run some 200 times
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
//	//native:incomplete TEXT  verdicts may be incomplete with a reason that contains TEXT
//	//native:interrupt        it gets an interrupt some milliseconds after it has begun
//	//native:straggler        main returns while other goroutines still print
package native
