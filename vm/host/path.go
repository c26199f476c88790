package host

import (
	"path/filepath"
	"runtime"
	"strings"
)

// The program is seen as on Linux, whatever the host: its paths begin with a slash. On Windows the paths that
// the program sees, of its directory and of symbolic links, have the drive as their first directory: C:\a\b
// is /C:/a/b. The paths that the program uses are translated back.

const OnWindows = runtime.GOOS == "windows"

// SeenPath returns a path of the host as the program sees it.
func SeenPath(path string, windows bool) string {
	if !windows {
		return path
	}
	path = strings.ReplaceAll(path, `\`, "/")
	if hasDrive(path) {
		return "/" + path
	}
	return path
}

// hostPath returns the host's path for a path of the program.
func hostPath(path string, windows bool) string {
	if !windows {
		return path
	}
	if drive := strings.TrimPrefix(path, "/"); hasDrive(drive) {
		path = drive
		if len(path) == len("C:") {
			path += "/" // the drive's root, not its current directory
		}
	}
	return filepath.FromSlash(path)
}

// hasDrive reports whether a path begins with a drive, such as C:.
func hasDrive(path string) bool {
	return len(path) >= 2 && path[1] == ':' && 'a' <= path[0]|0x20 && path[0]|0x20 <= 'z' && (len(path) == 2 || path[2] == '/')
}
