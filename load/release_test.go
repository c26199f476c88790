package load

import (
	"strings"
	"testing"
)

func TestCheckVersion(t *testing.T) {
	const (
		fine    = ""
		newer   = "type GOTOOLCHAIN=go1.27.1 go install"
		unknown = "set GOTOOLCHAIN="
	)
	for _, x := range []struct{ ours, theirs, want string }{
		{"go1.26.3", "go1.26.8", fine},
		{"go1.26.3", "go1.26", fine},
		{"go1.26.3", "go1.26rc1", fine},
		{"go1.26.3", "go1.26.8 X:nocoverage", fine},
		{"go1.26.3", "go1.25.1", unknown},
		{"go1.26.3", "go1.27.1", newer},
		{"go1.26.3", "go1.27.1 X:nocoverage", newer},
		{"go1.26.3", "go1.28.0", unknown},
		{"go1.26.3", "devel go1.27-abcdef", fine},
		{"go1.26.3", "", fine},
		{"go1.27.1", "go1.26.8", fine},
		{"go1.27.1", "go1.27.0", fine},
		{"go1.27.1", "go1.25.9", unknown},
		{"go1.27.1", "go1.28.0", unknown},
		{"go1.28.0", "go1.27.1", fine},
		{"go1.28.0", "go1.28.0", unknown},
		{"devel go1.27-abcdef", "go1.26.8", fine},
	} {
		err := checkVersion(x.ours, x.theirs)
		if err == nil != (x.want == fine) || err != nil && (!strings.Contains(err.Error(), x.want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("built with %s, with %s: %v", x.ours, x.theirs, err)
		}
	}
}
