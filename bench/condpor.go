package bench

import (
	"fmt"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/internal/litmus"
	"hbcheck.dev/hbcheck/testdata/benchmarks"
)

// withoutAtomics are the programs of the suite condpor-det that have only one rendering.
var withoutAtomics = map[string]bool{"lbqueue": true, "coarselist": true}

// condporPrograms returns the suite condpor-det: first each program as the tool of the
// paper sees it, then with native atomic variables.
func condporPrograms() ([]CountedProgram, error) {
	rows, err := table("condpor-det/targets.tsv")
	if err != nil {
		return nil, err
	}
	var list []CountedProgram
	add := func(program string, n, m int, classes, rf uint64, published []Count) {
		list = append(list, CountedProgram{Suite: "condpor-det", Program: program, Args: fmt.Sprint(n, m), Large: classes > 6000, Classes: classes, RF: rf,
			Exact: []Count{{"optimal", "blocked", 0}}, Published: published})
	}
	for _, r := range rows {
		program, n, m := strings.ToLower(r.text["program"]), r.number("n"), r.number("m")
		var published []Count
		if complete := r.number("complete"); complete > 0 {
			published = []Count{{"JMC", "executions", complete}, {"JMC", "blocked", r.number("blocked")}}
		}
		if !withoutAtomics[program] {
			add(program+"-locked", int(n), int(m), r.number("locked"), 0, published)
		}
		add(program, int(n), int(m), r.number("native"), r.number("rf"), published)
		if r.err != nil {
			return nil, r.err
		}
	}
	// The row (1,1) of MSQueue is of the classic queue. The other numbers are those of an
	// independent enumerator.
	add("msclassic-locked", 1, 1, 12, 0, []Count{{"JMC", "executions", 12}, {"JMC", "blocked", 22}})
	add("msclassic-locked", 2, 0, 50, 0, nil)
	add("msclassic-locked", 2, 1, 1696, 0, nil)
	add("msclassic-locked", 3, 0, 8118, 0, nil)
	add("msclassic-locked", 2, 2, 485_996, 0, nil)
	for n := 2; n <= 9; n++ {
		add("coarselist", (n+1)/2, n/2, factorial(n), factorial(n), nil)
	}
	return list, nil
}

// record is a line of a table.
type record struct {
	text map[string]string
	err  error // the first malformed number
}

// number returns the number in a field, or 0 if it is empty.
func (r *record) number(field string) uint64 {
	if r.text[field] == "" {
		return 0
	}
	n, err := strconv.ParseUint(r.text[field], 10, 64)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("field %s: %w", field, err)
	}
	return n
}

// table reads a table of the suites (litmus.Rows).
func table(name string) (rows []*record, err error) {
	data, err := benchmarks.FS().Open(name)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	err = litmus.Rows(data, func(row map[string]string) error {
		rows = append(rows, &record{text: row})
		return nil
	})
	return rows, err
}
