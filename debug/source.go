package debug

import (
	"io/fs"
	"os"
	"strings"

	"hbcheck.dev/hbcheck/load/overlay"
)

// Source returns the text of a file in positions, even of a model, which is not a file.
func Source(name string) (string, error) {
	read := os.ReadFile
	if model, ok := strings.CutPrefix(name, "$hbcheck/"); ok {
		name, read = model, func(name string) ([]byte, error) { return fs.ReadFile(overlay.FS(), name) }
	}
	data, err := read(name)
	return string(data), err
}
