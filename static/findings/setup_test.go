package findings_test

import (
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/static/findings"
)

// TestSetupDriver: a driver begins as a test does, up to the calls, with the test's arguments. Its
// constructor refuses the values that drivers make up. Without calls in a test, it begins with what makes
// the object.
func TestSetupDriver(t *testing.T) {
	prog, list := find(t, "testdata/begun", true, "./...")
	bodies := make(map[string][]string) // by the function with the place
	for i := range list {
		for k := range findings.Variant(3) {
			d, why := findings.NewDrivers(prog).New(&list[i], "D", findings.Begun+k)
			if d == nil {
				if why != "" {
					t.Errorf("no driver: %s", why)
				}
				continue
			}
			if err := findings.Compile(prog, []*findings.Driver{d})[0]; err != nil {
				t.Errorf("%v in\n%s", err, d.Test())
			}
			bodies[d.Methods[0]] = append(bodies[d.Methods[0]], d.Test())
		}
	}
	if n := len(bodies["Store.Len"]); n != 2 || len(bodies["Cache.Size"]) != 1 || len(bodies) != 2 {
		t.Fatalf("drivers %v, want two for Store.Len and one for Cache.Size", bodies)
	}
	wantAll(t, bodies["Store.Len"][0], "// TestD begins as TestStore does, and calls Store.Len and Store.Add in two goroutines.\nfunc TestD(t *testing.T) {\n",
		"\ts, err := store.Open(\"a.db\", upper{})\n\t_ = s\n\t_ = err\n", "\t\tt.Fatal(err)\n", "\t{\n\t\tkey := \"k\"\n", "\t\t\ts.Len()\n", "\t\ts.Add(key, \"v\")\n\t\t<-done\n\t}\n}\n")
	if strings.Contains(bodies["Store.Len"][0], "t.Run") {
		t.Errorf("the driver calls what the test calls:\n%s", bodies["Store.Len"][0])
	}
	wantAll(t, bodies["Store.Len"][1], "\ts.Add(\"x\", \"x\")\n")
	wantAll(t, bodies["Cache.Size"][0], "\tc := store.NewCache(map[string]int{\"a\": 1})\n\t_ = c\n\tdone :=", "c.Size()", "c.Put(")
}
