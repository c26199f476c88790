package report

import (
	"fmt"
	"strings"

	"hbcheck.dev/hbcheck/vm"
)

// A refusal is what there is to know about a code of what the machine refuses to execute.
type refusal struct {
	title, means, mend string
}

var refusedTexts = map[vm.RefusalCode]refusal{
	vm.RefusedAssembly: {
		title: "a function without a body in Go",
		means: "The program has come to a function that is written in assembly, or that the runtime provides, and of which hbcheck has no model.",
		mend:  "Many modules have the same in Go under a build tag: --tags purego (or noasm, appengine) chooses it. Otherwise let the test call what is around it: what the function computes can be given to the code under test.",
	},
	vm.RefusedC: {
		title: "a function that uses C",
		means: "The program has come to a function that calls C (import \"C\"). The machine does not run C.",
		mend:  "Most such packages have a part in Go for builds without C (CGO_ENABLED=0, which is how hbcheck builds): see which file is left out. Otherwise put an interface between the code under test and the library, and give it another implementation in the test.",
	},
	vm.RefusedUnloaded: {
		title: "a function that nothing seemed to call",
		means: "Bodies of functions of which nothing mentions the name are not loaded. The program has found this one by another way, such as reflection by a name that is computed.",
		mend:  "Mention the function or the method somewhere in the program (var _ = T.Method), and say so in an issue: hbcheck should have noticed.",
	},
	vm.RefusedProcess: {
		title: "another process",
		means: "The program starts a process, or makes a pipe to one. Another process has no schedule that hbcheck could choose.",
		mend:  "Let the code under test take a function or an interface for what the process does, and give it one in the test that answers at once.",
	},
	vm.RefusedFile: {
		title: "something about files that the model leaves out",
		means: "Files are in memory; the line says what was asked that this model does not have (docs/model.md lists what it has).",
		mend:  "Use t.TempDir and ordinary reads and writes, or fs.FS with testing/fstest.MapFS.",
	},
	vm.RefusedSocket: {
		title: "something about connections that the model leaves out",
		means: "Connections of the program with itself are in memory; those with others there are none. The line says what was asked.",
		mend:  "Let the test be both sides: httptest.NewServer, net.Listen on 127.0.0.1:0, net.Pipe.",
	},
	vm.RefusedSignal: {
		title: "something about signals that the model leaves out",
		means: "The line says what was asked: of signals, os/signal is modelled for what programs are notified of.",
		mend:  "Use signal.Notify or signal.NotifyContext; --signals=sent has only those arrive that the program sends itself.",
	},
	vm.RefusedCall: {
		title: "a system call by number",
		means: "The program makes a system call itself (syscall.Syscall, golang.org/x/sys) that has no model.",
		mend:  "Let the test use what package os has for it, or put an interface around it.",
	},
	vm.RefusedSize: {
		title: "an object that is too large",
		means: "An object of the machine has less than 2 GB.",
		mend:  "A test under every schedule should be small anyway: take less.",
	},
	vm.RefusedType: {
		title: "a type that the program makes when it runs",
		means: "reflect.StructOf, FuncOf and the like make types that the compiler did not know of.",
		mend:  "Declare the type, if the code under test permits it.",
	},
	vm.RefusedInput: {
		title: "a value that depends on inputs, where it cannot be followed",
		means: "A value of hbtest.Nondet, or an argument of a fuzz target, has come to an operation that is not computed on all values at once.",
		mend:  "Ask for one of few values with hbtest.Choose or hbtest.Pick, or bound it with hbtest.Assume; docs/inputs.md says what can be followed.",
	},
	vm.RefusedConstruct: {
		title: "a construct of the language",
		means: "The line says which. There are few, and they are rare.",
		mend:  "Write it otherwise, and say so in an issue.",
	},
	vm.RefusedMeasure: {
		title: "something that only the compiled program has",
		means: "The program measures itself: allocations, sizes of stacks, the collector. The machine has others, or none.",
		mend:  "Leave such tests to go test: --skip names them.",
	},
}

// refusedPrefix begins the names of these codes for hbcheck explain.
const refusedPrefix = "refused-"

// explainRefusal returns what a code such as refused-cgo means; "" if there is no such code.
func explainRefusal(name string) string {
	name, ok := strings.CutPrefix(strings.ToLower(name), refusedPrefix)
	r, known := refusedTexts[vm.RefusalCode(name)]
	if !ok || !known {
		return ""
	}
	return fmt.Sprintf("%s%s: %s\n\n%s\n\nWhat helps:\n\n%s\n",
		refusedPrefix, name, r.title, fold(r.means+" What comes after it is not covered, which is why the verdict is incomplete."), fold(r.mend))
}

// refusalCodes lists these codes with their titles.
func refusalCodes() string {
	var b strings.Builder
	for _, c := range vm.RefusalCodes() {
		fmt.Fprintf(&b, "  %-17s  %s\n", refusedPrefix+string(c), refusedTexts[c].title)
	}
	return b.String()
}
