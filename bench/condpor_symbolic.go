package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// symbolicPrograms returns the suite condpor: programs with symbolic values, each as the tool of the
// paper sees it (locked), with native atomic variables, and with a few values instead of all.
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
		program, args := strings.ToLower(r.text["program"]), fmt.Sprint(r.number("n"), r.number("m"))
		stuck, known := uint64(0), r.text["stuck"] != "?"
		if known {
			stuck = r.number("stuck")
		}
		classes := func(field string) uint64 {
			if !known {
				return 0
			}
			return r.number(field) + stuck
		}
		published := reported(r, "ConDpor", "total", "complete", "s")
		if r.text["MB"] != "" {
			published = append(published, Count{"ConDpor", "MB", r.number("MB")})
		}
		enumeration := reported(r, "enumeration", "e-total", "e-complete", "e-s")
		published = append(published, enumeration...)
		enumerated := program
		if !oneRendering[program] {
			add(program+"-locked", args, classes("locked"), published)
			enumerated += "-locked"
		}
		add(program, args, classes("native"), published)
		if n := r.number("e-complete"); n > 0 {
			if stuck > 0 || !known {
				n = 0 // how many more there are in which a goroutine waits forever is not reported
			}
			add(enumerated+"-enumerated", args, n, enumeration)
			list[len(list)-1].Large = r.number("e-complete") > 6000
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	return list, nil
}

// oneRendering are the programs of the suite without atomic variables that could have locks, or whose
// atomic variables are plain ones in the paper.
var oneRendering = map[string]bool{
	"svqueue1": true, "svqueue2": true, "svqueue3": true, "svstack1": true, "svstack2": true, "counter1": true, "counter2": true,
	"lbqueue": true, "coarselist": true, "finelist": true, "optlist": true, "lazylist": true, "lpqueue": true,
}

// reported are numbers of one tool in a row: executions that it has begun and completed, and seconds.
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
