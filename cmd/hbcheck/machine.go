package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

// machineFlags are the flags that change the machine, and so the meaning of a schedule. Replay files record
// them.
type machineFlags struct {
	args      []string // arguments of the program, after its name
	env       []string // variables of the program that differ from hbcheck's: KEY=VALUE
	variables []string // hbcheck's own variables, if they are not those of this process
	stdin     string   // a file, whose content is input; input is its standard input
	input     []byte
	outcomes  bool   // the order of writes to stdout and stderr matters
	run       string // pattern of tests and subtests; see selection.Filter
	skip      string // tests and subtests to exclude
	bench     string // which benchmarks are entries
	short     bool   // testing.Short
	time      string // any, bounded, virtual
	slack     time.Duration
	refined   vm.Refinement // visible operations that the search has found, and their alternatives
	rand      string        // all, seed
	maps      string        // auto, all, insertion
	signals   string        // auto, all, sent
	net       string        // reliable, faulty
	seed      int64
	symbolic  bool                        // the entry is called with symbolic arguments
	inputLen  int                         // bound on the length of strings and slices among inputs
	unwind    int                         // bound on the iterations of a loop; not part of a schedule
	inputs    map[vm.InputKey]uint64      // the inputs with which a schedule was recorded; nil: inputs are symbolic
	heap      uint64                      // bytes the program may need; not part of a schedule
	solver    string                      // a solver program that answers questions about inputs; not part of a schedule
	host      *vm.HostLog                 // records the program's questions to the host; not part of a schedule
	watch     func(*vm.Machine, vm.Point) // watch of a debugger: vm.Config.Watch
}

func (f *machineFlags) register(fs *pflag.FlagSet) {
	fs.BoolVar(&f.outcomes, "outcomes", false, "list everything that executions print, and how they end")
	fs.StringVar(&f.run, "run", "", "explore only the tests that match `regexp`; Test/sub also selects subtests. If two parallel tests match and share variables, hbcheck also explores them together, as TestA+TestB")
	fs.StringVar(&f.skip, "skip", "", "do not explore the tests and subtests that match `regexp`")
	fs.StringVar(&f.bench, "bench", "", "also explore the benchmarks that match `regexp`, each with one iteration, or with two if they run in parallel")
	fs.BoolVar(&f.short, "short", false, "let testing.Short return true")
	fs.StringVar(&f.time, "time", "bounded", "`any|bounded|virtual`: when timers fire. any: at any moment; bounded: in the order of their deadlines; time passes when no goroutine can run, and by at most --slack before that; virtual: only when no goroutine can run")
	fs.DurationVar(&f.slack, "slack", defaultSlack, "with --time=bounded: the longest `time` that passes while goroutines can run, between two moments when all of them wait")
	fs.StringVar(&f.rand, "rand", "all", "`all|seed`: values of math/rand. all: every value of a small range; seed: the sequence that --seed starts")
	fs.StringVar(&f.maps, "maps", "auto", "`auto|all|insertion`: order of map iteration. auto: every order of a small map; all: every order of any map; insertion: the order of insertion")
	fs.StringVar(&f.signals, "signals", "auto", "`auto|all|sent`: signals that signal.Notify asks for. all: each may arrive at any moment; sent: only those that the program sends itself; auto: sent in tests, all elsewhere")
	fs.StringVar(&f.net, "net", "reliable", "`reliable|faulty`: connections of the program to itself. reliable: nothing is lost; faulty: connects may be refused, Reads may return one byte, connections may be reset and packets lost")
	fs.StringVar(&f.stdin, "stdin", "", "let the program read `file` as its standard input")
	fs.StringArrayVar(&f.env, "env", nil, envUsage)
	fs.BoolVar(&f.symbolic, "symbolic", false, "call the function of --entry with all possible arguments: integers, bools, strings, and slices, arrays and structs of these")
	fs.IntVar(&f.inputLen, "input-len", vm.DefaultInputLen, "give strings and slices that are inputs at most `n` bytes or elements")
	fs.IntVar(&f.unwind, "unwind", vm.DefaultUnwind, "let a goroutine take at most `n` decisions about inputs at one place, for instance in a loop that an input bounds; 0: no limit")
	fs.Int64Var(&f.seed, "seed", 1, "`number` that starts the sequence of --rand=seed, and the random schedules of --por="+report.ExplorerNames(func(e *por.Explorer) bool { return e.Samples }))
}

// check refuses meaningless values. seed is set if --seed was given and no explorer needs it.
func (f *machineFlags) check(seed bool) error {
	_, known := mapModes[f.maps]
	switch {
	case f.time != "any" && f.time != "bounded" && f.time != "virtual":
		return fmt.Errorf("--time %s: want any, bounded or virtual", f.time)
	case f.slack < 0:
		return fmt.Errorf("--slack %v: want a duration that is not negative", f.slack)
	case f.rand != "all" && f.rand != "seed":
		return fmt.Errorf("--rand %s: want all or seed", f.rand)
	case !known:
		return fmt.Errorf("--maps %s: want auto, all or insertion", f.maps)
	case f.signals != "auto" && f.signals != "all" && f.signals != "sent":
		return fmt.Errorf("--signals %s: want auto, all or sent", f.signals)
	case f.net != "reliable" && f.net != "faulty":
		return fmt.Errorf("--net %s: want reliable or faulty", f.net)
	case f.inputLen < 0 || f.inputLen > vm.MaxInputLen:
		return fmt.Errorf("--input-len %d: want a number up to %d", f.inputLen, vm.MaxInputLen)
	case f.unwind < 0:
		return fmt.Errorf("--unwind %d: want a number that is not negative", f.unwind)
	case seed && f.rand != "seed":
		return fmt.Errorf("--seed has no effect without --rand=seed")
	case f.solver != "" && !slices.Contains(vm.Solvers(), f.solver):
		return fmt.Errorf("--solver %s: want %s", f.solver, strings.Join(vm.Solvers(), " or "))
	case f.solver != "":
		if _, err := exec.LookPath(f.solver); err != nil {
			return fmt.Errorf("--solver: %v", err)
		}
	}
	return cmp.Or(checkEnv(f.env), f.readStdin())
}

// envUsage is the usage of --env.
const envUsage = "set a variable in the program's environment: `KEY=VALUE`"

// checkEnv refuses elements that are not a variable with a value.
func checkEnv(env []string) error {
	for _, s := range env {
		if strings.IndexByte(s, '=') < 1 || strings.Contains(s, "\x00") {
			return fmt.Errorf("--env %s: want KEY=VALUE", s)
		}
	}
	return nil
}

// maxStdin bounds the size of the file of --stdin, because replay files contain it.
const maxStdin = 1 << 20

// readStdin reads the file of --stdin.
func (f *machineFlags) readStdin() error {
	if f.stdin == "" {
		return nil
	}
	file, err := os.Open(f.stdin)
	if err != nil {
		return fmt.Errorf("--stdin: %w", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("--stdin %s: want a regular file", f.stdin)
	}
	if f.input, err = io.ReadAll(io.LimitReader(file, maxStdin+1)); err != nil {
		return fmt.Errorf("--stdin: %w", err)
	}
	if len(f.input) > maxStdin {
		return fmt.Errorf("--stdin %s: want at most 1 MB", f.stdin)
	}
	return nil
}

// mapModes are the values of --maps.
var mapModes = map[string]vm.MapMode{"auto": vm.MapsAuto, "all": vm.MapsAll, "insertion": vm.MapsInsertion}

// build makes the machine an entry is explored in.
func (f *machineFlags) build(prog *load.Program, e *load.Entry, interrupted func() bool) (describe.Machine, error) {
	cfg, err := f.vmConfig(prog, e, interrupted)
	if err != nil {
		return nil, err
	}
	begin := func() (describe.Machine, error) { return describe.NewMachine(prog, e, cfg) }
	if f.watch != nil {
		return begin() // a debugger can halt it in the middle
	}
	return relaxed(begin)
}

// vmConfig returns the configuration of the machine for an entry.
func (f *machineFlags) vmConfig(prog *load.Program, e *load.Entry, interrupted func() bool) (cfg vm.Config, err error) {
	run, skip, bench, err := f.filters()
	if err != nil {
		return cfg, err
	}
	if e.Bench {
		run = bench
	}
	orNone := func(n int) int { // for Config, in which 0 is the default
		if n == 0 {
			return -1
		}
		return n
	}
	cfg = vm.Config{Given: f.inputs,
		Subtest: func(name string) bool { return selection.SelectedIn(e, run, skip, name) }, Short: f.short,
		Races: true, Watch: f.watch, Args: programArgs(e, f.args), Env: f.environ(prog.WorkDir(e)), Host: f.host, Stdin: bytes.NewReader(f.input), VisibleOutput: f.outcomes,
		OrderedTime: f.time != "any", Slack: f.slackOf(),
		Maps: mapModes[f.maps], NetFaulty: f.net == "faulty", RandFixed: f.rand == "seed", RandSeed: f.seed,
		Interrupt: interrupted, MaxHeap: f.heap, Solver: f.solver, InputLen: orNone(f.inputLen), Unwind: orNone(f.unwind),
	}
	// Who interrupts a test wants it to end.
	cfg.SignalsAssumed = f.signals == "auto" && e.Kind == load.Test
	cfg.SignalsOff = f.signals == "sent" || cfg.SignalsAssumed
	f.refined.Refine(&cfg)
	return cfg, nil
}

// filters parses --run, --skip and --bench; nil for a flag that has not been given.
func (f *machineFlags) filters() (run, skip, bench *selection.Filter, err error) {
	for _, x := range []struct {
		flag, pattern string
		filter        **selection.Filter
	}{{"run", f.run, &run}, {"skip", f.skip, &skip}, {"bench", f.bench, &bench}} {
		if x.pattern == "" {
			continue
		}
		if *x.filter, err = selection.ParseFilter(x.pattern); err != nil {
			return nil, nil, nil, fmt.Errorf("--%s: %v", x.flag, err)
		}
	}
	return run, skip, bench, nil
}

// record returns the flags that differ from the defaults, for a replay file.
func (f *machineFlags) record() map[string]string {
	m := make(map[string]string)
	if f.outcomes {
		m["outcomes"] = "true"
	}
	for i, s := range f.env {
		m["env"+strconv.Itoa(i)] = s
	}
	if len(f.input) > 0 {
		m["stdin"] = base64.StdEncoding.EncodeToString(f.input)
	}
	if f.run != "" {
		m["run"] = f.run
	}
	if f.skip != "" {
		m["skip"] = f.skip
	}
	if f.bench != "" {
		m["bench"] = f.bench
	}
	if f.short {
		m["short"] = "true"
	}
	if f.time != "any" {
		m["time"] = f.time
	}
	if f.time == "bounded" {
		m["slack"] = f.slack.String()
	}
	if f.maps != "auto" {
		m["maps"] = f.maps
	}
	if f.signals != "all" {
		m["signals"] = f.signals
	}
	if f.net != "reliable" {
		m["net"] = f.net
	}
	if f.symbolic {
		m["symbolic"] = "true"
	}
	if f.inputLen != vm.DefaultInputLen {
		m["input-len"] = strconv.Itoa(f.inputLen)
	}
	if f.rand == "seed" {
		m["rand"], m["seed"] = f.rand, strconv.FormatInt(f.seed, 10)
	}
	return m
}

// recorded is the inverse of record.
func recorded(args []string, m map[string]string) (machineFlags, error) {
	f := machineFlags{args: args, outcomes: m["outcomes"] == "true", run: m["run"], skip: m["skip"], bench: m["bench"], short: m["short"] == "true", time: "any", rand: "all", maps: "auto", signals: "all", net: "reliable",
		symbolic: m["symbolic"] == "true", inputLen: vm.DefaultInputLen}
	if m["time"] != "" {
		f.time = m["time"]
	}
	var err error
	if f.refined, err = recordedRefinement(m); err != nil {
		return f, err
	}
	for i := 0; m["env"+strconv.Itoa(i)] != ""; i++ {
		f.env = append(f.env, m["env"+strconv.Itoa(i)])
	}
	if m["stdin"] != "" {
		input, err := base64.StdEncoding.DecodeString(m["stdin"])
		if err != nil || len(input) > maxStdin {
			return f, fmt.Errorf("bad stdin")
		}
		f.input = input
	}
	if m["input-len"] != "" {
		n, err := strconv.Atoi(m["input-len"])
		if err != nil {
			return f, fmt.Errorf("bad input-len %q", m["input-len"])
		}
		f.inputLen = n
	}
	if m["slack"] != "" {
		slack, err := time.ParseDuration(m["slack"])
		if err != nil {
			return f, fmt.Errorf("bad slack %q", m["slack"])
		}
		f.slack = slack
	}
	if m["maps"] != "" {
		f.maps = m["maps"]
	}
	if m["signals"] != "" {
		f.signals = m["signals"]
	}
	if m["net"] != "" {
		f.net = m["net"]
	}
	if m["rand"] != "" {
		f.rand = m["rand"]
		seed, err := strconv.ParseInt(m["seed"], 10, 64)
		if err != nil {
			return f, fmt.Errorf("bad seed %q", m["seed"])
		}
		f.seed = seed
	}
	return f, f.check(false)
}

// defaultSlack is the default of --slack. Tests wait a millisecond or more for the goroutines that they
// start. With a slack of a millisecond, many of these tests would fail (docs/dev/model.md).
const defaultSlack = 500 * time.Microsecond

// slackOf returns the slack for vm.Config.
func (f *machineFlags) slackOf() int64 {
	if f.time != "bounded" {
		return 0
	}
	return int64(f.slack)
}

// environ returns the environment of the program.
func (f *machineFlags) environ(dir string) []string {
	if f.variables != nil {
		return environOf(f.variables, dir, f.env)
	}
	return environ(dir, f.env)
}

// environ returns the environment of a program that runs in dir: hbcheck's own, changed by set.
func environ(dir string, set []string) []string { return environOf(os.Environ(), dir, set) }

// environOf is environ with other variables in place of hbcheck's own.
func environOf(variables []string, dir string, set []string) []string {
	own := slices.Concat([]string{"PWD=" + dir}, set)
	slices.Reverse(own) // the last of two variables with the same key counts
	changed := func(s string) bool {
		key, _, _ := strings.Cut(s, "=")
		return slices.ContainsFunc(own, func(t string) bool { return strings.HasPrefix(t, key+"=") })
	}
	return append(slices.DeleteFunc(slices.Clone(variables), changed), own...)
}

// programArgs returns os.Args: the package's path stands for the program's name.
func programArgs(e *load.Entry, args []string) []string {
	return append([]string{e.Path}, args...)
}

// splitArgs returns the patterns of a command line and the arguments of the
// program, which follow "--". dash is their place, or negative.
func splitArgs(args []string, dash int) (patterns, rest []string) {
	if dash < 0 {
		return args, nil
	}
	return args[:dash], args[dash:]
}
