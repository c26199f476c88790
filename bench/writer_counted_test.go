package bench

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
)

// TestCountedFormats: every format has the counts, the expected numbers, and those of other tools.
func TestCountedFormats(t *testing.T) {
	res := &explore.Result{Verdict: explore.OK, POR: "optimal", Hybrid: oracle.None}
	res.Stats.Executions, res.Stats.Blocked = 2689, 11
	row := &CountedRow{
		CountedProgram: &CountedProgram{Suite: "condpor-det", Program: "msqueue", Args: "2 2", Classes: 2688, RF: 17, Exact: []Count{{By: "optimal", What: "blocked", N: 0}},
			Published: []Count{{By: "JMC", What: "executions", N: 2688}, {By: "JMC", What: "blocked", N: 26_280}, {By: "us", What: "states", N: 1}}},
		Configuration: Configuration{POR: &por.Explorer{Name: "optimal", OnePerClass: true}}, Result: res, CPU: time.Second,
	}
	problems := row.Check()
	if len(problems) != 2 || !strings.Contains(problems[0], "2689 executions, want 2688") || !strings.Contains(problems[1], "11 blocked, want 0") {
		t.Errorf("problems %q", problems)
	}
	for format, want := range map[string][]string{
		"text": {"2688, 0 blocked", "JMC: 2688 executions, 26280 blocked; us: 1 states", "3k", "problem: condpor-det msqueue 2 2"},
		"md":   {"| condpor-det | explorer |", "| msqueue 2 2 | optimal | none | ok | 2689 | 2688, 0 blocked | 11 | - |"},
		"json": {`"executions_per_cpu_s":2689`, `"classes":2688,"rf_classes":17`, `{"by":"JMC","what":"blocked","n":26280}`, `"problems":["condpor-det`},
		"csv":  {`11,2689.000000,"2688, 0 blocked"`},
	} {
		var b bytes.Buffer
		w := NewWriter(format, &b)
		if err := errors.Join(w.Counted(row), w.CountedSummary(problems), w.Close()); err != nil {
			t.Fatal(err)
		}
		for _, x := range want {
			if !strings.Contains(b.String(), x) {
				t.Errorf("--format %s has no %q:\n%s", format, x, &b)
			}
		}
		switch format {
		case "json":
			for line := range strings.Lines(b.String()) {
				if !json.Valid([]byte(line)) {
					t.Errorf("not JSON: %s", line)
				}
			}
		case "csv":
			if rows, err := csv.NewReader(&b).ReadAll(); err != nil || len(rows) != 2 {
				t.Errorf("%d rows, %v", len(rows), err)
			}
		}
	}
}
