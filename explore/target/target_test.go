package target

import (
	"fmt"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/oracle"
)

// TestParse: String returns what Parse has read; Parse refuses goals without the places that they need.
func TestParse(t *testing.T) {
	place := func(s string) (p oracle.Place, err error) {
		_, err = fmt.Sscanf(s, "cache.go:%d", &p.Line)
		p.File = "cache.go"
		return p, err
	}
	for _, tt := range []struct {
		text string
		ok   bool
	}{
		{"race cache.go:31", true},
		{"race cache.go:31 cache.go:57", true},
		{"race cache.go:31, cache.go:57, cache.go:58", false},
		{"deadlock cache.go:1 cache.go:2 cache.go:3", true},
		{"before cache.go:1", false},
		{"before cache.go:1 cache.go:2", true},
		{"between cache.go:1 cache.go:2 cache.go:3", true},
		{"between cache.go:1 elsewhere cache.go:3", false},
		{"after cache.go:1", false},
		{"", false},
	} {
		x, err := Parse(tt.text, place)
		if (err == nil) != tt.ok {
			t.Errorf("%q: %v", tt.text, err)
		} else if s := x.String(); tt.ok && s != strings.ReplaceAll(tt.text, ",", "") {
			t.Errorf("%q: %q", tt.text, s)
		}
	}
}
