package explore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFileName: the name of an entry's files is valid on every system.
func TestFileName(t *testing.T) {
	for entry, want := range map[string]string{
		"TestA": "TestA", "pkg.TestÄ": "pkg.TestÄ", "TestA+TestB": "TestA+TestB", "Console": "Console",
		"a/b\\c:d*e?f\"g<h>i|j": "a_b_c_d_e_f_g_h_i_j", "tab\tnl\n": "tab_nl_", "bad\xff": "bad_",
		"CON": "_CON", "nul": "_nul", "Com1.x": "_Com1.x", "lpt9": "_lpt9", "ends.": "ends_", "ends . ": "ends___", "": "",
	} {
		if got := FileName(entry); got != want {
			t.Errorf("%q: %q, want %q", entry, got, want)
		}
	}
	for _, long := range []string{strings.Repeat("x", 300), strings.Repeat("日本", 100), strings.Repeat("é", 250) + "y"} {
		a, b := FileName(long), FileName(long+"z")
		if len(a) > longestName || len(a) < longestName-12 || !utf8.ValidString(a) || a == b {
			t.Errorf("%q, %q", a, b)
		}
	}
}

// TestKeepFiles: saved searches are found, and removed, in a directory of any name; other files stay.
func TestKeepFiles(t *testing.T) {
	k := &Keep{Dir: filepath.Join(t.TempDir(), "a[b]")}
	if err := os.Mkdir(k.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{k.name("0"), k.name("long"), filepath.Join(k.Dir, "other")} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if list := k.files(); !slices.Equal(list, []string{k.name("0"), k.name("long")}) {
		t.Error(list)
	}
	k.Remove()
	if list, err := os.ReadDir(k.Dir); err != nil || len(list) != 1 || list[0].Name() != "other" {
		t.Error(list, err)
	}
}
