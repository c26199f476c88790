package report

import (
	"fmt"
	"strings"

	"hbcheck.dev/hbcheck/vm"
)

// A refusal describes an operation that the machine does not execute.
type refusal struct {
	title, means, mend string
}

var refusedTexts = map[vm.RefusalCode]refusal{
	vm.RefusedAssembly: {
		title: "a function without a Go body",
		means: "The program calls a function that is written in assembly or provided by the runtime, and hbcheck has no model of it.",
		mend:  "Many modules have a Go version of the function under a build tag: select it with --tags purego (or noasm, appengine). Otherwise pass the result of the function to the code under test, so that the test does not call it.",
	},
	vm.RefusedC: {
		title: "a function that uses C",
		means: "The program calls a function that uses C (import \"C\"). The machine does not run C.",
		mend:  "hbcheck builds with CGO_ENABLED=0, and most such packages have a Go version for that: check which of its files the build leaves out. Otherwise put an interface between the code under test and the library, and use another implementation in the test.",
	},
	vm.RefusedUnloaded: {
		title: "a function whose body was not loaded",
		means: "hbcheck does not load bodies of functions whose names do not occur in the program. The program reached this one in another way, for instance by reflection with a computed name.",
		mend:  "Mention the function or method somewhere in the program (var _ = T.Method), and please report the case: hbcheck should have loaded the body.",
	},
	vm.RefusedProcess: {
		title: "another process",
		means: "The program starts a process, or makes a pipe to one. hbcheck cannot schedule another process.",
		mend:  "Let the code under test call the process through a function or an interface, and let the test use one that answers at once.",
	},
	vm.RefusedFile: {
		title: "a file operation without a model",
		means: "Files are in memory. The report line names the operation that this model lacks (docs/model.md describes the model).",
		mend:  "Use t.TempDir and ordinary reads and writes, or fs.FS with testing/fstest.MapFS.",
	},
	vm.RefusedSocket: {
		title: "a network operation without a model",
		means: "Connections of the program to itself are in memory; there are no connections to other machines. The report line names the operation.",
		mend:  "Let the test run both ends: httptest.NewServer, net.Listen on 127.0.0.1:0, net.Pipe.",
	},
	vm.RefusedSignal: {
		title: "a signal operation without a model",
		means: "The model of signals covers the notifications of package os/signal. The report line names the operation.",
		mend:  "Use signal.Notify or signal.NotifyContext. With --signals=sent only signals arrive that the program sends itself.",
	},
	vm.RefusedCall: {
		title: "a system call by number",
		means: "The program makes a system call itself (syscall.Syscall, golang.org/x/sys) that has no model.",
		mend:  "Use the corresponding function of package os, or put an interface around the call.",
	},
	vm.RefusedSize: {
		title: "an object that is too large",
		means: "Objects in the machine are smaller than 2 GB.",
		mend:  "Use a smaller object: a test that runs under every schedule should be small anyway.",
	},
	vm.RefusedType: {
		title: "a type made at run time",
		means: "reflect.StructOf, FuncOf and similar functions make types that the compiler did not know.",
		mend:  "Declare the type, if the code under test permits it.",
	},
	vm.RefusedInput: {
		title: "an operation on a symbolic value",
		means: "A value of hbtest.Nondet, or an argument of a fuzz target, reached an operation that hbcheck cannot execute for all values at once.",
		mend:  "Choose among few values with hbtest.Choose or hbtest.Pick, or bound the value with hbtest.Assume; docs/inputs.md lists the operations that work on symbolic values.",
	},
	vm.RefusedConstruct: {
		title: "a language construct",
		means: "The report line names it. Few constructs are unsupported, and they are rare.",
		mend:  "Rewrite the code, and please report the case.",
	},
	vm.RefusedMeasure: {
		title: "a measurement of the compiled program",
		means: "The program measures its allocations, stack sizes or garbage collections, which differ in the machine.",
		mend:  "Leave such tests to go test, and exclude them with --skip.",
	},
}

// refusedPrefix begins the names of these codes for hbcheck explain.
const refusedPrefix = "refused-"

// explainRefusal returns the explanation of a code such as refused-cgo; "" if there is no such code.
func explainRefusal(name string) string {
	name, ok := strings.CutPrefix(strings.ToLower(name), refusedPrefix)
	r, known := refusedTexts[vm.RefusalCode(name)]
	if !ok || !known {
		return ""
	}
	return fmt.Sprintf("%s%s: %s\n\n%s\n\nWhat helps:\n\n%s\n",
		refusedPrefix, name, r.title, fold(r.means+" The rest of the execution is not covered, so the verdict is incomplete."), fold(r.mend))
}

// refusalCodes lists these codes with their titles.
func refusalCodes() string {
	var b strings.Builder
	for _, c := range vm.RefusalCodes() {
		fmt.Fprintf(&b, "  %-17s  %s\n", refusedPrefix+string(c), refusedTexts[c].title)
	}
	return b.String()
}
