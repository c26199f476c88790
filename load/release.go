package load

import (
	"encoding/json"
	"fmt"
	"go/version"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Releases are the releases of Go whose standard library the overlay fits, oldest first.
var Releases = []string{"go1.26", "go1.27"}

// Models returns the Releases that a program built with Go version ours can load: go/types supports the
// language of its own release and of older ones.
func Models(ours string) []string {
	built := version.Lang(release(ours))
	if built == "" {
		return Releases // a development version
	}
	return slices.DeleteFunc(slices.Clone(Releases), func(r string) bool { return version.Compare(r, built) > 0 })
}

// checkVersion refuses a go command of a release that we do not model. Development versions are let
// through.
func checkVersion(ours, theirs string) error {
	want := version.Lang(release(theirs))
	models := Models(ours)
	switch {
	case want == "" || slices.Contains(models, want):
		return nil
	case slices.Contains(Releases, want):
		return Errors{{Msg: fmt.Sprintf("the go command here is %s, and hbcheck was built with the older %s: "+
			"type GOTOOLCHAIN=%s go install hbcheck.dev/hbcheck/cmd/hbcheck where you built it",
			release(theirs), release(ours), release(theirs))}}
	}
	return Errors{{Msg: fmt.Sprintf("the go command here is %s, but hbcheck was built with %s and models %s: set GOTOOLCHAIN=%s",
		release(theirs), release(ours), strings.Join(models, " and "), release(ours))}}
}

// release removes the text after a version, as in "go1.26.8 X:experiment".
func release(v string) string {
	v, _, _ = strings.Cut(v, " ")
	return v
}

// minor returns the minor version of v: 26 for Go 1.26. For a development version it returns the
// minor version of the newest of Releases.
func minor(v string) int {
	lang := version.Lang(release(v))
	if lang == "" {
		lang = Releases[len(Releases)-1]
	}
	n, err := strconv.Atoi(strings.TrimPrefix(lang, "go1."))
	if err != nil {
		panic("BUG: Go version " + v)
	}
	return n
}

// askTags asks a go command of another release than ours for the build tags that it sets by itself:
// those of releases and of experiments. Package go/build knows the tags of our own release.
func (l *loader) askTags() error {
	if minor(l.goEnv.GOVERSION) == minor(runtime.Version()) {
		return nil
	}
	out, _, err := l.goCommand("list", "-f", `{"Releases": [{{range $i, $t := context.ReleaseTags}}{{if $i}}, {{end}}{{printf "%q" $t}}{{end}}],`+
		` "Tools": [{{range $i, $t := context.ToolTags}}{{if $i}}, {{end}}{{printf "%q" $t}}{{end}}]}`, "unsafe")
	if err != nil {
		return err
	}
	return json.Unmarshal(out, &l.goEnv.tags)
}
