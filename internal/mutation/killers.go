package mutation

import (
	"fmt"
	"strings"
)

// killers are the tests that must notice a mutant, as arguments of go test, by the first word in
// the brackets of its mark. The text after that word replaces *: a test, or a subtest of a table's
// test.
var killers = map[string][]string{
	// Explorers: toys, programs whose classes are counted by hand, generated programs.
	"rests":        {"./por/explorers", "-run", "^TestSleeping$"},
	"toySystems":   {"./por/explorers", "-run", "^(TestToys|TestToyClasses|TestAddsAndWait)$"},
	"counted":      {"./internal/progen", "-run", "^TestExact$"},
	"semantics":    {"./internal/progen", "-run", "^TestSemantics$"},
	"misused":      {"./internal/progen", "-run", "^TestMisuse$", "-args", "-programs", "300"},
	"readers":      generated("1", "201", "600"),    // with locks
	"sending":      generated("8", "200001", "400"), // with channels
	"all":          generated("0", "300301", "100"), // with everything
	"once":         generated("2", "1", "600"),      // with WaitGroups and Once
	"selecting":    {"./internal/progen", "-run", "^TestSelects$"},
	"selectFrom":   {"./internal/progen", "-run", "^TestSelects$", "-args", "-programs", "100", "-seed", "*"},
	"mixing":       {"./internal/progen", "-run", "^TestSelects$", "-args", "-programs", "3000"},
	"timing":       {"./internal/progen", "-run", "^TestTimers$"},
	"sleeping":     {"./internal/progen", "-run", "^TestSelectsSource$"},
	"closings":     {"./internal/progen", "-run", "^TestClosings$"},
	"receives":     {"./internal/progen", "-run", "^TestReceives$"},
	"onlyReceived": {"./internal/progen", "-run", "^(TestReceives|TestSignalPrograms|TestMeetings)$", "-args", "-programs", "200"},
	"meeting":      {"./internal/progen", "-run", "^TestMeetings$"},
	"agreeing":     {"./explore", "-run", "^TestExplorersAgree$/^Test(Sum|NoReaders)$"},
	"twin":         {"./por/explorers", "-run", "^TestContext"},
	"partToys":     {"./por/explorers", "-run", "^(TestPersistentParts|TestOptimalParts.*|TestNoParts)$"},
	"partTexts":    {"./internal/progen", "-run", "^TestPartTexts$"},
	"partPrograms": {"./internal/progen", "-run", "^TestParts$"},
	"quotients":    {"./por/stateful", "-run", "^TestSymmetry$"},
	"templates":    {"./vm/link", "-run", "^TestTemplate"},
	"equalOnes":    {"./vm", "-run", "^(TestOrbits|TestSymmetricEnds)$"},
	"parkings":     {"./internal/progen", "-run", "^TestParking(Loops|Time)?$", "-args", "-programs", "500"},
	"stacks":       {"./internal/progen", "-run", "^TestInspecting$"},
	"counting":     {"./internal/progen", "-run", "^TestCounting$", "-args", "-programs", "600"},
	"resumed":      {"./por/explorers", "-run", "^TestResume$"},
	"wholeCalls":   {"./internal/progen", "-run", "^TestWholeCalls$", "-args", "-programs", "300"},
	"inRounds":     {"./por/stateful", "-run", "^TestRounds"},
	"pieces":       {"./por/sample", "-run", "^TestPieces$"},
	"readsFrom":    {"./por/explorers", "-run", "^TestReadsFrom"},
	"tails":        {"./por/optimal", "-run", "^TestTails$"},
	"conditional":  {"./por/explorers", "-run", "^TestConditional$"},
	"inspecting":   {"./por/explorers", "-run", "^(TestInspecting|TestLooks)$"},
	"branches":     {"./por/explorers", "-run", "^TestBranches$/^optimal$"},

	// Static facts: the programs of the tables.
	"micro":     {"./mhb", "-run", "^TestMicro$/^*$"},
	"channels":  {"./mhb", "-run", "^TestChannels$/^*$"},
	"reflected": {"./mhb", "-run", "^TestReflected$/^*$"},
	"patterns":  {"./mhb/patterns", "-run", "^TestPatterns$/^*$"},
	"testing":   {"./mhb", "-run", "^TestFailed$"},
	"classes":   {"./internal/progen", "-run", "^TestKnownClassesHybrid$"},
	"static":    {"./oracle/check", "-run", "TestStaticPrograms/*$"},

	// The machine.
	"base":      {"./vm", "-run", "TestBase"},
	"regions":   {"./vm", "-run", "TestRegions/heaps"},
	"silent":    {"./vm", "-run", "TestSilen"},
	"numbering": {"./vm", "-run", "TestComparable$|TestNames$"},
	"order":     {"./static/observable", "-run", "^TestOrderMatters$"},
	"points":    {"./explore", "-run", "^TestPoints$"},

	// Models and the environment.
	"models":    {"./internal/modeltest", "-every", "-run", "*"},
	"env":       {"./internal/environment", "-run", "*"},
	"histories": {"./internal/histories", "-run", "^TestHistories$"},
	"symbolic":  {"./symbolic", "-run", "^Test*$"},
	"inputs":    {"./internal/inputs", "-run", "^Test*$"},

	// A package and a test.
	"test": nil,
}

func generated(features, seed, n string) []string {
	return []string{"./internal/progen", "-run", "^(TestOptimal|TestSource)$", "-args", "-features", features, "-seed", seed, "-programs", n}
}

// killer returns the arguments of go test for the mutant's tests.
func (x *Mutant) killer() ([]string, error) {
	key, arg, _ := strings.Cut(x.Killer, " ")
	args, ok := killers[key]
	if !ok {
		return nil, fmt.Errorf("%s: killers has no %q", x, key)
	}
	if key == "test" {
		pkg, test, ok := strings.Cut(arg, " ")
		if !ok {
			return nil, fmt.Errorf("%s: want a package and a test: %q", x, arg)
		}
		return []string{pkg, "-run", test}, nil
	}
	takes := strings.Contains(strings.Join(args, " "), "*$") || strings.HasSuffix(args[len(args)-1], "*")
	if takes != (arg != "") {
		return nil, fmt.Errorf("%s: %s with an argument: %t, want %t", x, key, arg != "", takes)
	}
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = a
		if takes {
			list[i] = strings.Replace(a, "*", arg, 1)
		}
	}
	return list, nil
}
