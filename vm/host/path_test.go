package host

import (
	"path/filepath"
	"testing"
)

func TestHostPaths(t *testing.T) {
	for _, x := range []struct{ host, seen string }{
		{`C:\a\b`, "/C:/a/b"},
		{`c:\`, "/c:/"},
		{`\\server\share\a`, "//server/share/a"},
		{`..\a`, "../a"},
	} {
		if got := SeenPath(x.host, true); got != x.seen {
			t.Errorf("the program sees %s as %s, want %s", x.host, got, x.seen)
		}
		if got := filepath.ToSlash(hostPath(x.seen, true)); got != SeenPath(x.host, true)[seenDrive(x.seen):] {
			t.Errorf("%s is %s", x.seen, got)
		}
		if SeenPath(x.host, false) != x.host || hostPath(x.seen, false) != x.seen {
			t.Errorf("%s is another path on other systems", x.host)
		}
	}
	for path, want := range map[string]string{"/C:": "C:/", "/etc/hosts": "/etc/hosts", "/dev/C:/x": "/dev/C:/x", "a/C:": "a/C:"} {
		if got := filepath.ToSlash(hostPath(path, true)); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// seenDrive returns the number of bytes before a drive.
func seenDrive(path string) int {
	if len(path) > 2 && path[0] == '/' && path[2] == ':' {
		return 1
	}
	return 0
}
