package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/verdicts"
)

// TestSmallNotRemembered: the verdict about a small version is never that of the entry, in the same run or
// in a later one.
func TestSmallNotRemembered(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(verdicts.Variable, t.TempDir())
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m_test.go": `package m

import (
	"sync/atomic"
	"testing"
)

func TestBig(t *testing.T) {
	var n atomic.Int32
	for range 20 {
		go func() { n.Add(n.Load()) }()
	}
}
`} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, scale := range []string{"auto", "auto", "off"} {
		var out bytes.Buffer
		code := run([]string{"--max-states", "100", "--scale", scale, "."}, strings.NewReader(""), &out, &out)
		text := out.String()
		if code != exitOK || strings.Contains(text, "cached") || strings.Contains(text, "ok ") {
			t.Errorf("--scale %s: exit %d: %s", scale, code, text)
		}
		if got := strings.Contains(text, "its small version (m_test.go:10: 20 → 3) is exhaustive"); got != (scale == "auto") {
			t.Errorf("--scale %s: %s", scale, text)
		}
	}
}

// TestSmallShare: a small version gets all of the time if the entry would get little more than before.
func TestSmallShare(t *testing.T) {
	for _, tt := range []struct {
		total, want time.Duration
		again       bool
	}{{0, 0, true}, {0, 0, false}, {firstTime, firstTime, true}, {firstTime, firstTime / 2, false}, {10 * firstTime, 5 * firstTime, true}} {
		if got := smallShare(tt.total, tt.again); got != tt.want {
			t.Errorf("%v, again %v: %v, want %v", tt.total, tt.again, got, tt.want)
		}
	}
}
