package vm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/vm"
)

// TestModels explores every interleaving of small programs that use one primitive each. Each file
// explains its number of executions. Its flags: match (states), states (are counted), output (is
// visible), virtual (time), rand (fixed).
func TestModels(t *testing.T) {
	files, err := filepath.Glob("testdata/models/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for i, file := range files {
		if !*update && !deep.Every(20, i) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var src, flags string
			var want *[]byte
			for i := range ar.Files {
				switch f := &ar.Files[i]; f.Name {
				case "prog.go":
					src = string(f.Data)
				case "flags":
					flags = string(f.Data)
				case "want":
					want = &f.Data
				}
			}
			vcfg := vm.Config{OrderedTime: strings.Contains(flags, "virtual"), RandFixed: strings.Contains(flags, "rand"), VisibleOutput: strings.Contains(flags, "output")}
			cfg := por.Config{Match: strings.Contains(flags, "match"), MaxMemory: 1 << 28}
			x := vmtest.Explore(t, src, vcfg, cfg, stateful.Full)
			got := x.String()
			if strings.Contains(flags, "states") {
				got += fmt.Sprintln(x.States, "states")
			}
			if *update {
				*want = []byte(got)
				if err := os.WriteFile(file, txtar.Format(ar), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if got != string(*want) {
				t.Errorf("got\n%swant\n%s", got, *want)
			}
			if len(x.Incomplete) > 0 {
				t.Errorf("incomplete: %v", x.Incomplete)
			}
		})
	}
}
