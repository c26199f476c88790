package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestWithEnvironment: flags of the environment come before those of the command line; an unknown
// flag is an error, and a flag of another command is left out.
func TestWithEnvironment(t *testing.T) {
	for _, x := range []struct{ value, args, want, err string }{
		{"", "explore ./...", "explore ./...", ""},
		{"-timeout=2m --preempt=1", "explore -timeout=1m .", "explore --timeout=2m --preempt=1 -timeout=1m .", ""},
		{"-timeout=2m -v", "run x.go", "run --timeout=2m --verbose x.go", ""},
		{"'--run=A B' \"-v\"", "explore", "explore|--run=A B|--verbose", ""},
		{"-v", "explore x.go", "explore --verbose x.go", ""},
		{"-j=4", "explore .", "explore --jobs=4 .", ""},
		{"--timout=1m", "explore", "", "HBCHECK_FLAGS: --timout=1m: no such flag; did you mean --timeout?"},
		{"--timeout 1m", "explore", "", "HBCHECK_FLAGS: --timeout needs a value after ="},
		{"1m", "explore", "", "HBCHECK_FLAGS: 1m is not a flag"},
		{"'-v", "explore", "", "HBCHECK_FLAGS: unclosed quote"},
		{"--nonsense", "version", "version", ""},
	} {
		got, err := withEnvironment(rootCommand(), strings.Fields(x.args), x.value)
		want := strings.FieldsFunc(x.want, func(r rune) bool { return r == ' ' && !strings.Contains(x.want, "|") || r == '|' })
		if message := ""; err != nil {
			if message = err.Error(); message != x.err {
				t.Errorf("%q: %v", x.value, err)
			}
		} else if x.err != "" || !slices.Equal(got, want) {
			t.Errorf("%q, %s: %q", x.value, x.args, got)
		}
	}
}

// TestPrecedence: the environment has precedence over a directive, and the command line over the
// environment; a cached verdict depends on all three.
func TestPrecedence(t *testing.T) {
	t.Setenv("HBCHECKCACHE", t.TempDir())
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"go.mod": "module example.com/few\n\ngo 1.26\n",
		"a_test.go": `package few

import (
	"sync"
	"testing"
)

//hbcheck:preempt 1 more of them take long
func TestFew(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { mu.Lock(); mu.Unlock(); mu.Lock(); mu.Unlock() })
	}
	wg.Wait()
}
`} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time with the cache of the first
		for _, x := range []struct{ env, flag, want string }{
			{"", "", "at most 1 preemption "},
			{"--preempt=2", "", "at most 2 preemptions "},
			{"--preempt=2", "--preempt=0", "at most 0 preemptions "},
			{"--preempt=2", "--preempt=-1", "exhaustive: "},
			{"--preempt=-1", "", "exhaustive: "},
			{"--time=virtual", "", "at most 1 preemption "},
		} {
			t.Setenv(flagsVariable, x.env)
			var out strings.Builder
			args := append(strings.Fields(x.flag), ".")
			run(args, strings.NewReader(""), &out, &out)
			if !strings.Contains(out.String(), x.want) {
				t.Errorf("%s %s: want %q:\n%s", x.env, x.flag, x.want, &out)
			}
		}
	}
}
