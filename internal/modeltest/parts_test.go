package modeltest

import (
	"strings"

	"hbcheck.dev/hbcheck/trace"
)

// apart are functions of package vm that TestMachine does not inspect.
var apart = map[string]string{
	"(*Machine).code":          "compiles a function, once for all paths",
	"(*Machine).compile":       "does the same",
	"(*Machine).saveGoroutine": "writes the undo log",
	"(*Machine).living":        "sorts what it returns on first use",
	"(*Machine).fatal":         "makes the end of the program the pending operation",
	"(*Machine).crashPanic":    "does the same",
	"(*Machine).overflowStack": "does the same",
	"(*Machine).unsupported":   "makes the end of the search of this path the pending operation",
	"(*Machine).cutForTime":    "does the same",
	"(*Machine).assume":        "the verdict names it",
	"(*Machine).assumeAlways":  "the verdict names it",
	"(*Machine).draw":          "values get labels, and stay the same, or the verdict names them",
	"(*Machine).forks":         "ends the initialisation, which is before the first step",
	"(*Machine).choosesEarly":  "does the same",
	"(*Machine).newG":          "no other goroutine knows the one that is made",
	"(*Machine).spawnFrame":    "nor its stack",
	"(*Machine).trackFirst":    "values become symbolic, and stay the same",
	"(Report).Stack":           "the frames of a goroutine, for reports",
	"(*Machine).serve":         "notes for a search in turn, whose explorer knows of no dependence",
	"(*Machine).mayGrow":       "only whether the machine has the memory depends on how large stacks are",
}

// Parts of the machine. No operation is on the first five.
const (
	mode   = "mode"   // how it executes: more is visible with a second goroutine or symbolic values
	memory = "memory" // the guest's: accesses declare reads and writes
	grows  = "grows"  // made on first use, and the same on all paths
	noted  = "noted"  // of the search and not of a path: it begins again, or the verdict names it
	kept   = "kept"   // of a step or a state, and computed anew in the next one; or only for reports

	others  = "goroutines" // their set, and their positions
	clock   = "clock"
	ending  = "ending"
	streams = "streams"
	gc      = "collection"
)

// about has the parts of the machine for operations of each kind: all operations on a part depend on each
// other.
var about = map[trace.Kind][]string{
	trace.Clock:      {clock, others},
	trace.Sleep:      {clock, others},
	trace.Timer:      {clock, others},
	trace.Inspect:    {others},
	trace.Exit:       {ending, others},
	trace.Crash:      {ending, others},
	trace.Output:     {streams},
	trace.SemAcquire: {others},
}

// partOf has the part of a field, or of all fields of a struct.
var partOf = func() map[string]string {
	all := map[string]string{}
	for part, fields := range map[string]string{
		mode:   `scalars.multi scalars.tracking Machine.sym autoMode.auto autoMode.paused autoMode.rand autoMode.keepPools autoMode.early autoMode.confluent autoMode.endedEarly scalars.entryPC`,
		memory: `Machine.heap`,
		grows: `image.chanLays image.layTick image.layEarly image.layWeak image.frames
			image.untilMoments image.nameable link:Linker.Code image.link image.times goroutineTable.spawn`,
		noted: `absolutes lateness goroutineTable.existed
			scalars.counted scalars.tied Config.AbsoluteTime
			Machine.covered Machine.coveredInit Machine.contended`,
		kept: `Machine.check Machine.reduction Machine.repeating scheduler.waiters scheduler.able scheduler.moment scheduler.silent
			scheduler.looksOfStep scalars.idleRounds scheduler.quietStep scheduler.arrivals scheduler.clockReads
			scalars.clockStep scalars.timeStep scalars.steps view.moment view.n view.parks view.op goroutine.view
			goroutine.slot scheduler.ready scheduler.advanced
			scalars.ranged gstate.assigned`,
		others: `goroutine.gstate goroutine.Goroutine shadow:Goroutine.Frame shadow:Goroutine.Stack goroutineTable.alives
			goroutineTable.gs goroutineTable.order goroutineTable.slots gstate.bubble gstate.came gstate.cameAfter
			gstate.coro gstate.owned gstate.origin shadow:Frame.Fn shadow:Frame.FP gstate.goFunc gstate.goPC shadow:Frame.ID gstate.label
			gstate.given gstate.numbered gstate.inCall gstate.leaves gstate.overflow gstate.panics gstate.parent gstate.parked shadow:Frame.PC gstate.pending
			gstate.scheduled gstate.status gstate.system gstate.trail gstate.wait shadow:Frame.Ways living.ended
			shadow:Goroutine.Shadow goroutine.inNative waitState.notified waitState.obj waitState.seq scalars.alive
			`,
		clock: `scalars.clock scalars.idleLooks scalars.debt scalars.shown scalars.looks scalars.jumped scalars.rests scalars.bubbles scalars.opened`,
		ending: `scalars.cut scalars.exit scalars.exitG scalars.exited scalars.failures scalars.failed
			scalars.goexited scalars.lonely scalars.mainEnd scalars.skip scalars.tested
			scalars.testing`,
		streams: `streams.out streams.runs streams.stdin`,
		gc:      `scalars.signals scalars.listens scalars.lacks scalars.missed`,
	} {
		for _, f := range strings.Fields(fields) {
			all[f] = part
		}
	}
	return all
}()

// unnoticed has the reasons why a field that a native reads or writes needs no operation.
var unnoticed = map[string]string{
	"net.hbUnreached writes collection":  "only what is said of a failure depends on it, when the execution has ended",
	"net.hbUnreached reads collection":   "likewise",
	"net.hbRefused writes collection":    "likewise",
	"net.hbRefused reads collection":     "likewise",
	"syscall.hbAbsent writes collection": "likewise",
	"syscall.hbAbsent reads collection":  "likewise",
	"syscall.hbSame writes collection":   "likewise",
	"syscall.hbSame reads collection":    "likewise",
	"runtime.hbLive writes collection":   "likewise",
	"runtime.hbLive reads collection":    "likewise",
	"syscall.hbStdin writes collection":  "likewise",
	"syscall.hbStdin reads collection":   "likewise",
	"syscall.hbUnset writes collection":  "likewise",
	"syscall.hbUnset reads collection":   "likewise",

	// Times. The fact that one comparison of them depends on the clock is recorded for the whole search.
	"(time.Time).Add reads clock":      "only to see whether it is to come",
	"(time.Time).Sub reads clock":      "only to see whether it is to come",
	"(time.Time).After reads clock":    "only to note how much later it would come out otherwise",
	"(time.Time).Before reads clock":   "only to note how much later it would come out otherwise",
	"(time.Time).Compare reads clock":  "only to note how much later it would come out otherwise",
	"(time.Time).Equal reads clock":    "only to note how much later it would come out otherwise",
	"time.hbMade reads clock":          "only to note that absolute times count",
	"time.hbApart reads clock":         "only to note that absolute times count",
	"time.hbArm reads clock":           "hbArming is an operation, and precedes it",
	"time.hbSend reads clock":          "in the step of the timer",
	"time.runtimeNano reads clock":     "when packages are initialised",
	"time.hbCounted reads clock":       "named",
	"syscall.gettimeofday reads clock": "named",

	// Timers.
	"time.hbGo writes goroutines":   "the one that is made",
	"time.hbGo reads goroutines":    "the one that is made",
	"time.hbKill writes goroutines": "that of the timer; hbChange is an operation on it, and precedes it",
	"time.hbKill reads goroutines":  "that of the timer; hbChange is an operation on it, and precedes it",
	"time.hbFire reads ending":      "how often time wakes what main has left over is bounded",
	"time.hbSleep reads ending":     "how often time wakes what main has left over is bounded",
	"time.now reads ending":         "how often time wakes what main has left over is bounded",
	"time.runtimeNow reads ending":  "how often time wakes what main has left over is bounded",

	// Goroutines that take turns, or make each other.
	"iter.coroswitch reads goroutines":            "that to which it hands over, and which does nothing meanwhile",
	"iter.coroswitch writes goroutines":           "that to which it hands over, and which does nothing meanwhile",
	"iter.newcoro reads goroutines":               "the one that is made",
	"iter.newcoro writes goroutines":              "the one that is made",
	"sync.hbSignal reads goroutines":              "where there is one schedule only",
	"internal/runtime/maps.look reads goroutines": "while packages are initialised in one schedule, whether there are others",

	"sync.hbMode reads goroutines":   "while packages are initialised, where there is one schedule only",
	"sync.hbWgAdd reads goroutines":  "those with a Wait that is pending, an operation on the same WaitGroup",
	"sync.hbWgAdd writes goroutines": "those with a Wait that is pending, an operation on the same WaitGroup",

	"internal/synctest.hbWaiting reads goroutines": "an access to waits precedes it",
	"internal/synctest.hbEnter reads clock":        "the one of its bubble, whose number is a name",
	"internal/synctest.hbEnter writes clock":       "the one of its bubble, whose number is a name",
	"internal/synctest.hbWait reads clock":         "the one of its bubble, which only moves when all of the bubble wait, the one in Wait included",
	"internal/synctest.hbWait writes clock":        "counts the call for queues; the others of the bubble are blocked, and come to channels after it or before it",
	"internal/synctest.hbDrain reads clock":        "as hbWait does",
	"internal/synctest.hbDrain writes clock":       "stops it: sleepers of the bubble were not enabled while this waited, and are not after it",
	"sync.hbWgAdd reads clock":                     "only whether there are bubbles: where there is none all is outside",

	"os/signal.hbHidden reads goroutines":             "in the step that starts the goroutine",
	"os/signal.hbHidden writes goroutines":            "in the step that starts the goroutine",
	"runtime.hbEnvironment reads goroutines":          "in the step that starts the goroutine",
	"runtime.hbEnvironment writes goroutines":         "in the step that starts the goroutine",
	"os/signal.hbArrives writes collection":           "what it says of the path is named",
	"os/signal.hbHidden reads collection":             "in the step that starts the goroutine, which is counted",
	"os/signal.hbHidden writes collection":            "in the step that starts the goroutine, which is counted",
	"runtime.hbStartCollector reads goroutines":       "the one that is made",
	"runtime.hbStartCollector writes goroutines":      "the one that is made",
	"runtime.hbCollect reads ending":                  "whether the search is interrupted",
	"runtime.hbCollect writes ending":                 "whether the search is interrupted",
	"runtime.hbCollect writes clock":                  "as all wait no time has passed since",
	"runtime.hbLive reads goroutines":                 "only if there are no others",
	"runtime.Stack reads ending":                      "whether the path is given up, after which nothing follows",
	"runtime.hbLive reads ending":                     "whether the search is interrupted",
	"runtime.hbLive writes ending":                    "whether the search is interrupted",
	"runtime.hbGC reads ending":                       "whether the search is interrupted",
	"runtime.hbGC writes ending":                      "whether the search is interrupted",
	"runtime/pprof.hbLeaked reads ending":             "whether the path is given up, after which nothing follows",
	"runtime.hbInitDone reads clock":                  "there is no other goroutine",
	"runtime.Goexit writes ending":                    "what is said if main has been the last; nothing reads it before",
	"syscall.hbStdin reads streams":                   "what comes at an offset, which is in memory, is the same on all paths",
	"syscall.hbStdin writes streams":                  "what comes at an offset, which is in memory, is the same on all paths",
	"hbcheck.dev/hbcheck/hbtest.Assume reads ending":  "the path ends there",
	"hbcheck.dev/hbcheck/hbtest.Assume writes ending": "the path ends there",
	"hbcheck.dev/hbcheck/hbtest.nondet writes ending": "the path ends there",

	// Tests. hbTouch is an operation on the test, and precedes what other goroutines than its own do.
	"testing.hbTarget writes ending":     "the path ends there",
	"testing.hbFailed reads ending":      "of several failures the first one is told, and each is one",
	"testing.hbFailed writes ending":     "of several failures the first one is told, and each is one",
	"testing.hbSkipped reads ending":     "hbTouch precedes it",
	"testing.hbSkipped writes ending":    "hbTouch precedes it",
	"testing.hbLog reads streams":        "the order of what is logged is no outcome",
	"testing.hbLog writes streams":       "the order of what is logged is no outcome",
	"testing.hbTestBegins writes ending": "in main, before all else",
	"testing.hbTestDone writes ending":   "only os.Exit reads it, which depends on everything",
}
