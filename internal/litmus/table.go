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

// Read reads a table of tests (see Rows). Fields name, program, complete and rf must be there.
func Read(r io.Reader) ([]Test, error) {
	var tests []Test
	err := Rows(r, func(row map[string]string) error {
		t, err := test(row)
		tests = append(tests, t)
		return err
	})
	return tests, err
}

// Rows calls f for each row of a table: lines of fields separated by tabs; the first line
// names them. Lines that begin with # are comments. It returns the first error, with its line.
func Rows(r io.Reader, f func(row map[string]string) error) error {
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
			return fmt.Errorf("line %d has %d fields, want %d", n, len(fields), len(names))
		}
		row := make(map[string]string)
		for i, x := range fields {
			row[names[i]] = x
		}
		if err := f(row); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return lines.Err()
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
