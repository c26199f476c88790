package histories

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/anishathalye/porcupine"
)

// buffer is a queue with room for two, like that of TestGenerated in hbtest/lin: operations 0 and 1 put 1
// and 2, operation 2 takes.
var buffer = porcupine.Model{
	Init: func() any { return [2]int{} },
	Step: func(state, input, output any) (bool, any) {
		s := state.([2]int)
		if c := input.(int); c < 2 {
			switch {
			case s[1] != 0:
				return output == false, s
			case s[0] == 0:
				return output == true, [2]int{c + 1, 0}
			default:
				return output == true, [2]int{s[0], c + 1}
			}
		}
		return output == float64(s[0]), [2]int{s[1], 0}
	},
}

// TestPorcupine: porcupine judges generated histories as hbtest/lin does. (hbtest must not depend on it, not
// even its tests: go mod tidy would add it to the go.sum of users.)
func TestPorcupine(t *testing.T) {
	cmd := exec.Command("go", "test", "-count=1", "-v", "-run=^TestGenerated$", "hbcheck.dev/hbcheck/hbtest/lin")
	cmd.Env = append(os.Environ(), "HBLIN_PRINT=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	judged := map[bool]int{}
	for line := range bytes.Lines(out) {
		if line[0] != '{' {
			continue
		}
		var h struct {
			Linearizable bool
			Ops          []struct {
				Goroutine, Op int
				Call, Return  int64
				Result        any
			}
		}
		if err := json.Unmarshal(line, &h); err != nil {
			t.Fatal(err)
		}
		var list []porcupine.Operation
		for _, op := range h.Ops {
			list = append(list, porcupine.Operation{ClientId: op.Goroutine, Input: op.Op, Call: op.Call, Return: op.Return, Output: op.Result})
		}
		if porcupine.CheckOperations(buffer, list) != h.Linearizable {
			t.Errorf("porcupine does not agree: %s", line)
		}
		judged[h.Linearizable]++
	}
	if judged[true] < 1000 || judged[false] < 500 {
		t.Errorf("judged: %v", judged)
	}
}
