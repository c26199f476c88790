package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/internal/verdicts"
)

// testBuild, if not empty, replaces the identity of this build, in tests.
var testBuild string

// buildID identifies this build of hbcheck, because only workers of the same build explore alike.
func buildID() (string, error) {
	if testBuild != "" {
		return testBuild, nil
	}
	if id := sourceID(debug.ReadBuildInfo()); id != "" {
		return id, nil
	}
	h, err := ownHash()
	if err != nil {
		return "", fmt.Errorf("cluster: which build of hbcheck is this? %w", err)
	}
	return h[:12], nil
}

// sourceID identifies a build by its sources, if these are known: a version, or a commit without changes.
// Then builds for other systems or with other tags have the same identity.
func sourceID(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return ""
	}
	source := ""
	if info.Main.Sum != "" {
		source = info.Main.Version + " " + info.Main.Sum
	}
	set := make(map[string]string)
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	if set["vcs.revision"] != "" && set["vcs.modified"] == "false" {
		source = set["vcs.revision"]
	}
	if source == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(source + " " + info.GoVersion))
	return hex.EncodeToString(sum[:])[:12]
}

// clusterDir is the directory for the data of clusters.
func clusterDir() string {
	dir, ok := verdicts.Dir()
	if !ok {
		dir = filepath.Join(os.TempDir(), "hbcheck")
	}
	return filepath.Join(dir, "cluster")
}

// identity identifies the subject of a run. It does not depend on time limits, nor on flags about output.
func (f *exploreFlags) identity(cmd *cobra.Command, dir string, patterns []string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %x\n", dir, patterns, f.args, sha256.Sum256(f.input))
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(notSaved, f.Name) && f.Name != "cluster" && f.Name != "ack-wait" {
			fmt.Fprintf(h, "--%s=%s\n", f.Name, f.Value)
		}
	})
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// programHash identifies the program: its sources and the settings of its build.
func programHash(w *wholeRun) (string, error) {
	h := sha256.New()
	for _, path := range w.listing.Packages() {
		sum, err := w.listing.Fingerprint(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(h, path, sum)
	}
	return hex.EncodeToString(h.Sum(nil))[:12], nil
}
