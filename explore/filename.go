package explore

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// longestName is the longest name in bytes. With a suffix it is still within the limits of file systems (255,
// or 143 if names are encrypted).
const longestName = 100

// device matches the names of devices on Windows, whatever their extension.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)`)

// FileName returns the name of a file for an entry or a package, which every system accepts: without the
// characters and device names that Windows refuses, and not too long. Names of different
// entries may be the same.
func FileName(entry string) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, entry)
	if end := strings.TrimRight(name, ". "); end != name {
		name = end + strings.Repeat("_", len(name)-len(end))
	}
	//mutant: an entry may be called like a device [test ./explore TestFileName]: "device.MatchString(name)" -> "name == ``"
	if device.MatchString(name) {
		name = "_" + name
	}
	if len(name) <= longestName {
		return name
	}
	sum := sha256.Sum256([]byte(entry))
	cut := longestName - 9
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	return fmt.Sprintf("%s-%x", name[:cut], sum[:4])
}
