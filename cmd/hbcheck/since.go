package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/load"
)

// changesSince returns the differences between the repository of dir and revision rev, including
// uncommitted and untracked files. all is set if a changed file concerns every package.
func changesSince(dir, rev string) (changes []load.Change, all bool, err error) {
	top, err := git(dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, false, err
	}
	root := strings.TrimSpace(top)
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		root = resolved
	}
	if _, err := git(dir, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}"); err != nil {
		return nil, false, fmt.Errorf("git knows no commit %q", rev)
	}
	diff, err := git(root, "-c", "core.quotePath=false", "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/", rev, "--")
	if err != nil {
		return nil, false, err
	}
	changes = parseDiff(root, diff)
	untracked, err := git(root, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, false, err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(untracked, "\x00"), "\x00") {
		if name != "" {
			changes = append(changes, load.Change{File: filepath.Join(root, filepath.FromSlash(name))})
		}
	}
	for _, c := range changes {
		switch filepath.Base(c.File) {
		case "go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt":
			all = true
		}
	}
	return changes, all, nil
}

// git returns the output of a git command.
func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		if text := strings.TrimSpace(errs.String()); text != "" {
			err = fmt.Errorf("git: %s", text)
		}
		return "", err
	}
	return string(out), nil
}

var hunk = regexp.MustCompile(`^@@ -[0-9]+(?:,[0-9]+)? \+([0-9]+)(?:,([0-9]+))? @@`)

// parseDiff returns the changes of a diff without context.
func parseDiff(root, diff string) (changes []load.Change) {
	var c *load.Change
	header := true
	for line := range strings.SplitSeq(diff, "\n") {
		switch m := hunk.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "diff --git "):
			header, c = true, nil
			// A binary file, or one with only a changed mode, has no other line with its name.
			if i := strings.LastIndex(line, " b/"); i >= 0 {
				changes = append(changes, load.Change{File: inTree(root, line[i+len(" b/"):])})
				c = &changes[len(changes)-1]
			}
		case header && c != nil && strings.HasPrefix(line, "+++ b/"):
			c.File = inTree(root, strings.TrimSuffix(strings.TrimPrefix(line, "+++ b/"), "\t"))
		case m != nil && c != nil:
			header = false
			first, _ := strconv.Atoi(m[1])
			n := 1
			if m[2] != "" {
				n, _ = strconv.Atoi(m[2])
			}
			if n == 0 {
				c.Lines = append(c.Lines, [2]int{first + 1, first}) // lines are gone after first
			} else {
				c.Lines = append(c.Lines, [2]int{first, first + n - 1})
			}
		}
	}
	for i := range changes {
		// A new or removed file is changed as a whole.
		if lines := changes[i].Lines; len(lines) == 1 && (lines[0] == [2]int{1, 0} || lines[0][0] == 1 && strings.Contains(diff, "--- /dev/null\n+++ b/"+relative(root, changes[i].File)+"\n")) {
			changes[i].Lines = nil
		}
	}
	return changes
}

func inTree(root, name string) string { return filepath.Join(root, filepath.FromSlash(name)) }

func relative(root, name string) string {
	rel, _ := filepath.Rel(root, name)
	return filepath.ToSlash(rel)
}
