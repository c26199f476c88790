package load

import (
	"fmt"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// TestBodies: a program whose bodies are checked when they are needed has the same functions, the same order
// of initialisation and the same operations that do not wait as one whose bodies are checked at once.
func TestBodies(t *testing.T) {
	dir := extract(t, "-- go.mod --\nmodule m\ngo 1.26\n-- m_test.go --\npackage m\nimport (\n\"context\"\n\"strconv\"\n\"sync\"\n\"testing\"\n)\n"+
		"func TestM(t *testing.T) {\nvar mu sync.Mutex\nmu.Lock()\ncontext.Background()\nstrconv.Itoa(1)\n}\n")
	var texts [2]map[string]string
	late := 0
	for i, early := range []bool{false, true} {
		prog := mustLoad(t, Config{Dir: dir, Tests: true, Implicit: []string{"runtime"}, early: early})
		texts[i] = make(map[string]string)
		for _, p := range prog.All {
			late += len(p.late)
			qualifier := types.RelativeTo(p.Types)
			for k, op := range p.nonblocking {
				texts[i][fmt.Sprintf("%s, operation %d", p.Path, k)] = fmt.Sprint(op.send, types.TypeString(op.elem, qualifier))
			}
			prog.BuildPackage(p.SSA)
			for k, fn := range *field[[]*ssa.Function](p.SSA, "created") {
				var b strings.Builder
				fn.WriteTo(&b)
				texts[i][fmt.Sprintf("%s, function %d: %s", p.Path, k, fn.Name())] = b.String()
			}
		}
		for k, p := range prog.InitOrder(prog.Entries[0]) {
			texts[i][fmt.Sprintf("initialiser %d", k)] = p.Pkg.Path()
		}
	}
	if late < 500 || len(texts[0]) != len(texts[1]) {
		t.Errorf("%d bodies are checked late; %d and %d texts", late, len(texts[0]), len(texts[1]))
	}
	differ := 0
	for name, text := range texts[0] {
		if text != texts[1][name] && differ < 3 {
			differ++
			t.Errorf("%s differs:\n%s\nchecked at once:\n%s", name, text, texts[1][name])
		}
	}
}
