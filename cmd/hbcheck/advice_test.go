package main

import "testing"

// TestAdvice: the command that continues a search has the flags of the first one, except its limits.
func TestAdvice(t *testing.T) {
	cmd := exploreCommand()
	args := []string{"--por=optimal", "--timeout", "1s", "--env", "A=x y", "--env", "B=2", "--run", "TestA|TestB", "--resume"}
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	want := nextTime{"hbcheck --por=optimal --env='A=x y' --env=B=2 --run='TestA|TestB' --budget 1h --resume ./...",
		"--por=optimal --env='A=x y' --env=B=2"}
	if got := advice(cmd, []string{"./..."}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
