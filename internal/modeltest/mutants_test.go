package modeltest

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/mutation"
)

var every = flag.Bool("every", false, "explore with all kinds of static facts")

var mutantsFlag = flag.String("mutants", "", "build the mutants whose name contains this (all: every one) and see whether their programs fail")

// mutants are declarations of effects, and conditions about them, that are taken away. The test is
// the program that has to notice.
var mutants = []struct {
	name, file, old, new, test string
}{
	{"Setenv declares nothing", "load/overlay/_src/syscall/env_unix.go", "func envWrite() { effect.Ordered(unsafe.Pointer(&envs), true) }", "func envWrite() {}", "setenv"},
	{"Setenv reads", "load/overlay/_src/syscall/env_unix.go", "func envWrite() { effect.Ordered(unsafe.Pointer(&envs), true) }", "func envWrite() { effect.Ordered(unsafe.Pointer(&envs), false) }", "setenv"},
	{"the environment orders nothing", "vm/native_effect.go", "\tif !m.following() {", "\tif true {", "envOrders"},
	{"Chdir declares nothing", "load/overlay/_src/syscall/hb_directories.go", "\teffect.Access(unsafe.Pointer(&hbDir), true)\n", "", "chdir"},
	{"reading moves no offset", "load/overlay/_src/syscall/hb_files.go", "\tf.touch(true)\n\tb := make([]byte, len(p)) // what", "\tf.touch(false)\n\tb := make([]byte, len(p)) // what", "rawFiles"},
	{"seeking moves no offset", "load/overlay/_src/syscall/hb_files.go", "(off int64, err error) {\n\tf.touch(true)", "(off int64, err error) {\n\tf.touch(false)", "seeks"},
	{"opening takes no number", "load/overlay/_src/syscall/hb_files.go", "\thbTable(true)\n\tfor", "\thbTable(false)\n\tfor", "opens"},
	{"Close leaves the file", "load/overlay/_src/syscall/hb_files.go", "\tf.touch(true)\n\tf.refs--", "\tf.refs--", "rawClose"},
	{"names are not declared", "load/overlay/_src/syscall/hb_tree.go", "effect.Access(unsafe.Pointer(&hbNames[hbHash(hbResolve(dir))%uint64(len(hbNames))]), write)", "_ = dir", "fileMade"},
	{"making a file reads names", "load/overlay/_src/syscall/hb_files.go", "hbTouchName(f.path, f.flags&O_CREAT != 0)", "hbTouchName(f.path, false)", "fileMade"},
	{"making a directory reads names", "load/overlay/_src/syscall/hb_tree.go", "unsafe.Sizeof(hbNames), true)", "unsafe.Sizeof(hbNames), false)", "dirMade"},
	{"making a directory is on one name", "load/overlay/_src/syscall/hb_change.go", "	hbTouchNames()\n	if path, err = hbFree(path)", "	hbTouchName(path, true)\n	if path, err = hbFree(path)", "dirEntered"},
	{"contents are not declared", "load/overlay/_src/syscall/hb_tree.go", "func (n *hbNode) touch(write bool) { effect.Access(unsafe.Pointer(n), write) }", "func (n *hbNode) touch(write bool) {}", "contents"},
	{"removing a file reads names", "load/overlay/_src/syscall/hb_change.go", "		hbTouchName(path, true)\n	}\n	at, e := hbWalk(path, false)", "		hbTouchName(path, false)\n	}\n	at, e := hbWalk(path, false)", "fileRemoved"},
	{"Close marks nothing", "load/overlay/_src/internal/poll/fd_mutex.go", "\teffect.Ordered(unsafe.Pointer(mu), true)\n", "", "closeRead"},
	{"Close reads the table", "load/overlay/_src/syscall/hb_files.go", "func Close(fd int) (err error) {\n\thbTable(true)\n", "func Close(fd int) (err error) {\n\thbTable(false)\n", "rawClose$"},
	{"Ignored declares nothing", "load/overlay/_src/os/signal/hb_signal.go", "\teffect.Ordered(unsafe.Pointer(&handling[sig]), false)\n", "", "ignored"},
	{"Notify declares nothing", "load/overlay/_src/os/signal/hb_signal.go", "\teffect.Ordered(unsafe.Pointer(&handling[sig]), true)\n", "", "notified"},
	{"Range ends with the last key", "load/overlay/_src/sync/map.go", "if ways == 0 && mode == all {", "if false {", "mapRange"},
	{"readers take no turns", "load/overlay/_src/internal/poll/fd_mutex.go", "fd.lock(&fd.fdmu.turns.read) }", "fd.incref() }", "oneBuffer"},
	{"models read New", "load/overlay/_src/sync/pool.go", "fresh = p.fresh()", "fresh = p.New", "poolNew"},
	{"real code is trusted", "load/program.go", `strings.HasPrefix(f.Name(), overlayDir+"/") &&`, `prog.PackageOf(fn) != nil && prog.PackageOf(fn).Std &&`, "sharedRand"},
	{"plain code is trusted", "load/program.go", `!strings.HasPrefix(path.Base(f.Name()), "plain")`, `path.Base(f.Name()) != "plain"`, "memStats"},
	{"small objects are not shared", "vm/native_effect.go", "{Name: \"internal/effect.Access\", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {\n\t\treturn m.syncOp(op, trace.SyncAccess, r.U(0), 1,", "{Name: \"internal/effect.Access\", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {\n\t\treturn m.syncOp(op, trace.SyncAccess, r.U(0), 8,", "gcPercent"},
	{"initialisers have one schedule", "vm/step_init.go", "if !m.auto || m.cfg.Run || m.heap.based {", "if m.heap != nil {", "TestInitialisers"},
	{"what only initialisers do is not known", "vm/state_base.go", "if err == nil && m.forked {", "if err == nil && m.forked && false {", "TestInitialisers/counted"},
	{"timers of initialisers fire later", "vm/native_time.go", "if m.word(r.U(1), tmChan) == 0 && m.forks() {", "if false {", "TestInitialisers/timer"},
	{"runtime.main has nothing left to do", "oracle/state.go", "Main: a.Func == 0 && !a.Initialising, ID:", "Main: a.Func == 0, ID:", "TestInitialisers"},
	// That mhb knows hbPool has no row: the code after it accesses the Pool as it says, and mhb walks that.
	{"collections leave Pools", "load/overlay/_src/runtime/mem.go", "effect.Range(unsafe.Pointer(&collections), unsafe.Sizeof(collections), true)", "effect.Access(unsafe.Pointer(&collections), true)", "poolCollected"},
	{"Pools do not depend on collections", "vm/native_sync.go", "if p := r.U(1); p != 0 {", "if p := r.U(1); false {", "poolCollected"},
	{"mhb does not know that Pools do", "mhb/ops.go", `if fn.String() == "sync.hbPool" {`, "if false {", "pool[CT]"},
	{"what Pools hold is collected", "load/overlay/_src/sync/pool.go", "append([]any(nil), p.items[p.old:]...)", "nil", "poolOnce"},
	{"the zone is no operation", "load/overlay/_src/syscall/env_unix.go", "	if hbSets() {", "	if false {", "localZone"},
	{"programs do not set variables", "load/environment.go", `case "Setenv", "Unsetenv", "Clearenv":`, `case "Clearenv":`, "localZone"},
	{"casts have their type", "static/natives.go", "g.acc.typed(holder(addr))", "true", "casts"},
	{"main writes the base state", "vm/step_init.go", "\th.begin()\n", "", "setenv"},
}

// TestMutants: each mutant is one of the present code and, with -mutants, makes its program fail.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range mutants {
		t.Run(x.name, func(t *testing.T) {
			mutant := mutation.Mutant{Name: x.name, File: x.file, Old: x.old, New: x.new}
			file, text, ok := mutant.Source(t, root)
			if !ok || *mutantsFlag == "" || *mutantsFlag != "all" && !strings.Contains(x.name, *mutantsFlag) {
				return
			}
			test := "TestModels/" + x.test
			if strings.HasPrefix(x.test, "Test") {
				test = x.test
			}
			why := mutation.Kills(t, root, file, text, "./internal/modeltest", "-every", "-run", test)
			if why == "" {
				t.Error("survives")
			}
			t.Log(why)
		})
	}
}
