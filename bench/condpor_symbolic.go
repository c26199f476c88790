package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// symbolicPrograms returns the suite condpor: programs with symbolic values. Each has three variants: with
// locks, which the tool of the paper sees; with native atomic variables; and with a few values instead of
// all.
func symbolicPrograms() ([]CountedProgram, error) {
	rows, err := table("condpor/targets.tsv")
	if err != nil {
		return nil, err
	}
	var list []CountedProgram
	add := func(program, args string, classes uint64, published []Count) {
		list = append(list, CountedProgram{Suite: "condpor", Program: program, Args: args, Large: classes > 6000, Classes: classes, Published: published})
	}
	for _, r := range rows {
		program, variant, _ := strings.Cut(strings.ToLower(r.text["program"]), "(") // "tsstack(atomic)"
		args := strings.TrimSpace(fmt.Sprint(r.number("n"), r.number("m")) + " " + strings.TrimSuffix(variant, ")"))
		stuck := r.number("stuck")
		published := reported(r, "ConDpor", "total", "complete", "s")
		if r.text["MB"] != "" {
			published = append(published, Count{"ConDpor", "MB", r.number("MB")})
		}
		enumeration := reported(r, "enumeration", "e-total", "e-complete", "e-s")
		published = append(published, enumeration...)
		enumerated := program
		if !oneRendering[program] {
			add(program+"-locked", args, r.number("locked")+stuck, published)
			enumerated += "-locked"
		}
		add(program, args, r.number("native")+stuck, published)
		if n := r.number("e-complete"); n > 0 {
			if stuck > 0 {
				n = 0 // the paper does not report the number of executions in which a goroutine waits forever
			}
			add(enumerated+"-enumerated", args, n, enumeration)
			list[len(list)-1].Large = r.number("e-complete") > 6000
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	return append(list, competitionPrograms()...), nil
}

// competitionPrograms are the programs of table 9, except two that equal others: Queue_ok has the numbers
// of svqueue1, and Stack-1 those of svstack1 with 5 elements. For a program with a bug, the numbers are
// executions until it is found, in the tool's own order.
func competitionPrograms() (list []CountedProgram) {
	for _, p := range []struct {
		name           string
		condpor, porse uint64
		bug            bool
	}{
		{"bigshots", 1, 4, true},
		{"bigshots2", 1, 4, false},
		{"bigshotp", 3, 8, false},
		{"lazy01", 1, 13, true},
		{"fibbench1", 5922, 9855, false},
		{"fibbench2", 1368, 10_222, true},
		{"sigma", 2, 16_685, true},
		{"singleton", 4, 62, true},
		{"singletonwup", 24, 62, false},
	} {
		c := CountedProgram{Suite: "condpor", Program: "svcomp", Args: p.name, HasBug: p.bug,
			Published: []Count{{"ConDpor", "executions", p.condpor}, {"PorSe", "executions", p.porse}}}
		if !p.bug {
			c.Classes = p.condpor
		}
		list = append(list, c)
	}
	return list
}

// oneRendering has the programs of the suite without a locked variant: they have no atomic variables, or
// the programs of the paper use plain ones.
var oneRendering = map[string]bool{
	"svqueue1": true, "svqueue2": true, "svqueue3": true, "svstack1": true, "svstack2": true, "counter1": true, "counter2": true,
	"lbqueue": true, "coarselist": true, "finelist": true, "optlist": true, "lazylist": true, "lpqueue": true,
}

// reported returns the numbers of one tool in a row: executions that it has begun and completed, and
// seconds.
func reported(r *record, by, total, complete, seconds string) (list []Count) {
	switch begun, completed := r.number(total), r.number(complete); {
	case completed > 0:
		list = append(list, Count{by, "executions", completed}, Count{by, "blocked", begun - completed})
	case begun > 0:
		list = append(list, Count{by, "begun", begun})
	}
	if s, err := strconv.ParseFloat(r.text[seconds], 64); err == nil {
		list = append(list, Count{by, "ms", uint64(math.Round(s * 1000))})
	}
	return list
}
