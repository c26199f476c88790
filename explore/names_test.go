package explore

import "testing"

// TestRuntimeName compares with names the runtime prints for the same functions.
func TestRuntimeName(t *testing.T) {
	for ssa, want := range map[string]string{
		"main.main":                                   "main.main",
		"example.com/r.TestR$1":                       "example.com/r.TestR.func1",
		"example.com/r.TestR$1$2":                     "example.com/r.TestR.func1.2",
		"(*example.com/r.bank).Deposit":               "example.com/r.(*bank).Deposit",
		"(*example.com/r.bank).Deposit$1":             "example.com/r.(*bank).Deposit.func1",
		"(example.com/r.bank).Get":                    "example.com/r.bank.Get",
		"example.com/r.init#2":                        "example.com/r.init.1",
		"example.com/r.Map[int, example.com/x.T]":     "example.com/r.Map[...]",
		"(*example.com/r.list[example.com/x.T]).push": "example.com/r.(*list[...]).push",
		"(*sync.Mutex).Lock":                          "sync.(*Mutex).Lock",
		"(*sync.Mutex).Lock$bound":                    "sync.(*Mutex).Lock-bound",
	} {
		if got := runtimeName(ssa); got != want {
			t.Errorf("%s: %s, want %s", ssa, got, want)
		}
	}
}
