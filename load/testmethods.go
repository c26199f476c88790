package load

import (
	"bytes"
	"go/types"
)

// Whether a program calls certain methods of testing.T decides which operations on a test another
// goroutine can notice.

// TestMethods is a set of methods of testing.T and its like. The numbers are those of the overlay's
// package testing.
type TestMethods uint32

// The methods.
const (
	TestFailed TestMethods = 1 << iota
	TestSkipped
	TestCleanup // or a function that registers a cleanup itself
	TestContext
	TestName

	allTestMethods TestMethods = 1<<iota - 1
)

var testMethods = map[string]TestMethods{
	//mutant: Skip of the owner is no operation [points]: "\"Skipped\": TestSkipped, " -> ""
	//mutant: contexts are never canceled late [points]: "\"Context\": TestContext, " -> ""
	"Failed": TestFailed, "Skipped": TestSkipped, "Context": TestContext, "Name": TestName,
	//mutant: taking cleanups is no operation [points]: "\"Cleanup\": TestCleanup, " -> ""
	"Cleanup": TestCleanup, "Setenv": TestCleanup, "Chdir": TestCleanup,
}

// testMethod returns the methods that may be called by code that mentions fn: a method of package testing,
// or of an interface, which a test may implement. By reflection it may be any.
func testMethod(fn *types.Func) TestMethods {
	recv := fn.Signature().Recv()
	switch {
	case recv == nil:
		return 0
	case fn.Pkg() != nil && fn.Pkg().Path() == "reflect" && (fn.Name() == "Method" || fn.Name() == "MethodByName"):
		return allTestMethods
	case types.IsInterface(recv.Type()), fn.Pkg() != nil && fn.Pkg().Path() == "testing":
		return testMethods[fn.Name()]
	}
	return 0
}

// testMethodsOf returns the methods that p may call: of a std package, those that its text mentions.
func testMethodsOf(p *Package) (set TestMethods) {
	if !p.library() {
		for _, obj := range p.Info.Uses {
			if fn, ok := obj.(*types.Func); ok && fn.Pkg() != nil {
				set |= testMethod(fn)
			}
		}
		return set
	}
	if p.Path == "testing" {
		return 0
	}
	for _, file := range p.files {
		if !bytes.Contains(file.src, []byte(`"testing"`)) {
			continue
		}
		for name, m := range testMethods {
			if bytes.Contains(file.src, []byte("."+name+"(")) {
				set |= m
			}
		}
	}
	return set
}

// TestMethods returns the methods of tests that a program which begins at e may call. These are the
// methods that a std package mentions, and those that the user's code mentions in code that the
// program reaches (as in UsesClock).
func (prog *Program) TestMethods(e *Entry) (set TestMethods) {
	any := TestMethods(0)
	for _, p := range closure(e.roots) {
		if p.Std {
			set |= p.testing
		} else {
			any |= p.testing
		}
	}
	if any != 0 {
		set |= TestMethods(prog.reached(e) >> mentionsMethods)
	}
	return set
}
