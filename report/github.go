package report

import (
	"bytes"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"

	"hbcheck.dev/hbcheck/explore"
)

// GitHub writes workflow commands, which GitHub shows beside the code, and a summary of the run. It
// shows ten errors and ten warnings of a step, so those are the first ones.
type GitHub struct {
	W       io.Writer
	Paths   Paths
	Text    Text   // how the report of an entry is written in the summary
	Summary string // the file of the summary; empty: none

	errors, warnings int
	table, details   bytes.Buffer
}

// mostAnnotations is how many of a kind GitHub shows of one step.
const mostAnnotations = 10

// annotate writes a workflow command.
func (x *GitHub) annotate(level string, n *int, pos token.Position, title, text string) error {
	if *n++; *n > mostAnnotations {
		return nil
	}
	at := ""
	if file := x.Paths.File(pos.Filename); pos.IsValid() && !filepath.IsAbs(file) && !strings.HasPrefix(pos.Filename, models) {
		at = fmt.Sprintf("file=%s,line=%d,", property(filepath.ToSlash(file)), pos.Line)
		if pos.Column > 0 {
			at += fmt.Sprintf("col=%d,", pos.Column)
		}
	}
	_, err := fmt.Fprintf(x.W, "::%s %stitle=%s::%s\n", level, at, property(title), command(text))
	return err
}

// command escapes the text of a workflow command.
func command(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(Printable(s))
}

// property escapes a property of one.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(command(s))
}

// Result implements Writer.
func (x *GitHub) Result(r *explore.Result, files []Files) error {
	what := ""
	for i, b := range r.Bugs {
		level, n := "error", &x.errors
		if b.Warning {
			level, n = "warning", &x.warnings
		}
		text := Message(b)
		if w := Why(b); w != "" {
			text += "\nwhy: " + w
		}
		if i < len(files) && files[i].Replay != "" {
			text += "\nreplay: hbcheck replay " + files[i].Replay
		}
		if err := x.annotate(level, n, b.Pos, b.Kind.Code()+" "+r.Entry, text); err != nil {
			return err
		}
		what += fmt.Sprintf("**%s** %s (%s)<br>", b.Kind.Code(), cellText(firstLine(Message(b))), cellText(x.Paths.Pos(b.Pos)))
	}
	status, why := statusOf(r)
	mark := map[entryStatus]string{passed: "✅ ok", failed: "❌ FAIL", skipped: "⚪ skipped"}[status]
	if r.Verdict == explore.Incomplete {
		mark = "🟡 incomplete"
		if err := x.annotate("warning", &x.warnings, token.Position{}, r.Package+"."+r.Entry, why); err != nil {
			return err
		}
	}
	if why != "" {
		what += cellText(why)
	}
	x.row(mark, r.Package, r.Entry, what, covered(r)+", "+took(r))
	if status == failed {
		fence := "```"
		text := x.Text.one(r, files)
		for strings.Contains(text, fence) {
			fence += "`"
		}
		fmt.Fprintf(&x.details, "\n<details><summary>%s</summary>\n\n%s\n%s%s\n\n</details>\n", cellText(r.Entry), fence, text, fence)
	}
	return nil
}

// cellText returns a text for a cell of a table in Markdown.
func cellText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "\\|", "\n", " ", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[").Replace(Printable(s))
}

func (x *GitHub) row(mark, pkg, entry, what, covered string) {
	fmt.Fprintf(&x.table, "| %s | %s<br>%s | %s | %s |\n", mark, cellText(entry), cellText(pkg), strings.TrimSuffix(what, "<br>"), cellText(covered))
}

// Failed implements Writer.
func (x *GitHub) Failed(pkg, entry, why string) error {
	x.row("❌ not explored", pkg, entry, cellText(firstLine(why)), "")
	return x.annotate("error", &x.errors, token.Position{}, strings.TrimSuffix(pkg+"."+entry, "."), "not explored: "+why)
}

// Close implements Writer.
func (x *GitHub) Close() error {
	for _, n := range []struct {
		n    int
		what string
	}{{x.errors, "error"}, {x.warnings, "warning"}} {
		if more := n.n - mostAnnotations; more > 0 {
			if _, err := fmt.Fprintf(x.W, "::notice title=hbcheck::%s\n", command(count(more, "more "+n.what)+", in the summary and the log")); err != nil {
				return err
			}
		}
	}
	if x.Summary == "" || x.table.Len() == 0 {
		return nil
	}
	f, err := os.OpenFile(x.Summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, "## hbcheck\n\n| verdict | entry | what | covered |\n|---|---|---|---|\n%s%s\n", x.table.String(), x.details.String())
	return err
}
