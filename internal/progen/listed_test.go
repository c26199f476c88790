package progen_test

import (
	"fmt"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// listed returns a program in which a select waits while goroutines send on all of its channels, each after
// the given number of operations.
func listed(goroutines, rounds int) string {
	var b, cases strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport \"sync/atomic\"\n\nvar n [20]atomic.Int64\n\nfunc main() {\n\tgate, waits, end := make(chan int), make(chan int), make(chan int)\n")
	for i := range goroutines {
		fmt.Fprintf(&b, "\tc%d := make(chan int, 1)\n", i)
		fmt.Fprintf(&b, "\tgo func() {\n\t\t<-gate\n\t\tfor range %d {\n\t\t\tn[%d].Add(1)\n\t\t}\n\t\tc%d <- 1\n\t}()\n", rounds, i, i)
		fmt.Fprintf(&cases, "\t\tcase <-c%d:\n", i)
	}
	fmt.Fprintf(&b, "\tgo func() {\n\t\twaits <- 1\n\t\tselect {\n%s\t\t}\n\t\tend <- 1\n\t}()\n", cases.String())
	b.WriteString("\t<-waits\n\tclose(gate)\n\t<-end\n}\n")
	return b.String()
}

// TestListed: optimal leaves a program with long executions to another explorer before the sets that one
// event on a channel schedules need gigabytes, but not a program with as many sets of few events.
func TestListed(t *testing.T) {
	for rounds, explorer := range map[int]string{1: "", 60: "clockvector"} {
		prog := loadFiles(t, map[string]string{"go.mod": "module generated\n\ngo 1.26\n", "main.go": listed(10, rounds)})
		m, err := vm.New(prog, prog.Entries[0], vm.Config{VisibleOutput: true})
		if err != nil {
			t.Fatal(err)
		}
		_, r := search(t, m, explorers.Lookup("optimal").Explore, por.Config{MaxExecutions: 1})
		if r.FallbackTo != explorer {
			t.Errorf("%d rounds: left to %q, want %q", rounds, r.FallbackTo, explorer)
		}
	}
}
