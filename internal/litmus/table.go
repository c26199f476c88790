package litmus

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A Test is a program whose executions have been counted.
type Test struct {
	Name, Source, Shipped string
	Program               *Program
	// Classes of executions: complete ones, and those in which a thread waits
	// forever.
	Complete, Blocked     int // Mazurkiewicz
	RFComplete, RFBlocked int // reads-from
}

// Read reads a table: lines of fields separated by tabs, of which the first one names
// them. Lines that begin with # are comments. Fields name, program, complete and rf must
// be there.
func Read(r io.Reader) ([]Test, error) {
	var tests []Test
	var names []string
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if names == nil {
			names = fields
			continue
		}
		if len(fields) != len(names) {
			return nil, fmt.Errorf("litmus: line %d has %d fields, want %d", n, len(fields), len(names))
		}
		row := make(map[string]string)
		for i, f := range fields {
			row[names[i]] = f
		}
		t, err := test(row)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		tests = append(tests, t)
	}
	return tests, lines.Err()
}

func test(row map[string]string) (t Test, err error) {
	t = Test{Name: row["name"], Source: row["source"], Shipped: row["shipped"]}
	for field, p := range map[string]*int{"complete": &t.Complete, "blocked": &t.Blocked, "rf": &t.RFComplete, "rf_blocked": &t.RFBlocked} {
		if *p, err = strconv.Atoi(cmp.Or(row[field], "0")); err != nil {
			return t, err
		}
	}
	t.Program, err = Parse(row["program"])
	return t, err
}
