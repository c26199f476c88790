package testing

// hbRunTest runs the test function of an entry, or the two of them. The machine calls it.
func hbRunTest(name string, f func(*T), beside string, g func(*T)) {
	if g != nil {
		runTogether(InternalTest{name, f}, InternalTest{beside, g})
		return
	}
	t := newTest(name)
	hbTestBegins()
	defer func() { hbTestDone(t.failed) }()
	tRunner(t, f)
}

// hbRunMain runs TestMain of an entry's package, whose M runs the entry's tests.
func hbRunMain(name string, f func(*T), beside string, g func(*T), testMain func(*M)) {
	testMain(&M{test: InternalTest{name, f}, beside: InternalTest{beside, g}})
}

// hbRunFuzz runs the fuzz target of an entry, by TestMain if there is one.
func hbRunFuzz(name string, f func(*F), testMain func(*M)) {
	run := func(t *T) {
		x := &F{common: common{name: t.name, parent: &t.common, level: t.level, owner: t.owner, isEntry: true}}
		defer func() { t.finished = t.finished || x.finished }()
		defer x.runCleanup()
		f(x)
	}
	if testMain != nil {
		hbRunMain(name, run, "", nil, testMain)
		return
	}
	hbRunTest(name, run, "", nil)
}

func newTest(name string) *T {
	return &T{common{name: name, level: 1, barrier: make(chan bool), isEntry: true}}
}

// runTogether runs two tests that call t.Parallel as go test does: one after the other until it
// waits, then both at the same time. It reports whether one has failed.
func runTogether(tests ...InternalTest) (failed bool) {
	root := &T{common{barrier: make(chan bool), owner: hbG()}}
	hbTestBegins()
	defer func() { hbTestDone(root.failed) }()
	for _, x := range tests {
		t := newTest(x.Name)
		t.parent, t.signal = &root.common, make(chan bool, 1)
		root.hbRunChild(t, x.F)
	}
	close(root.barrier)
	for _, t := range root.sub {
		t.hbAwait()
	}
	hbTouch(&root.failed, 0, true)
	root.done = true
	return root.failed
}

// hbAwait waits for the test. Stacks show it as (*T).Run, where the goroutine of TestMain waits natively:
// programs that search for leaked goroutines omit stacks with this function on top.
func (t *T) hbAwait() { <-t.signal }

// M is a type passed to a TestMain function to run the actual tests.
type M struct {
	test   InternalTest
	beside InternalTest // a second test to run beside it; F is nil without one
}

// Run runs the entry's test, on a goroutine of its own, because the test may end it. It returns an
// exit code to pass to os.Exit.
func (m *M) Run() (code int) {
	if m.beside.F != nil {
		if runTogether(m.test, m.beside) {
			return 1
		}
		return 0
	}
	t := newTest(m.test.Name)
	t.signal = make(chan bool, 1)
	hbTestBegins()
	go tRunner(t, m.test.F)
	t.hbAwait()
	hbTestDone(t.failed)
	if t.failed {
		return 1
	}
	return 0
}

// InternalTest is a test by name.
type InternalTest struct {
	Name string
	F    func(*T)
}

// Init registers no flags here, because there are no testing flags.
func Init() {}

// Short reports whether the -test.short flag is set: it is that of the command.
func Short() bool

// Verbose reports whether the -test.v flag is set: no.
func Verbose() bool { return false }

// Testing reports whether the current code is being run in a test.
func Testing() bool

// CoverMode reports what the test coverage mode is set to: none.
func CoverMode() string { return "" }

// Coverage reports the current code coverage: none is measured.
func Coverage() float64 { return 0 }

// CoverBlock records the coverage data for a single basic block.
type CoverBlock struct {
	Line0, Col0 uint32
	Line1, Col1 uint32
	Stmts       uint16
}

// Cover records information about test coverage checking.
type Cover struct {
	Mode            string
	Counters        map[string][]uint32
	Blocks          map[string][]CoverBlock
	CoveredPackages string
}

// RegisterCover records the coverage data accumulators for the tests: nothing.
func RegisterCover(c Cover) {}

// allocations is set if the program has asked how many there are.
var allocations bool

// AllocsPerRun calls f once, and returns 0. How many objects the compiled program allocates is not
// known here: a test that fails after it has asked is refused.
func AllocsPerRun(runs int, f func()) (avg float64) {
	allocations = true
	f()
	return 0
}
