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

// GitHub writes workflow commands, which GitHub shows beside the code, and a summary of the run. It shows
// ten errors and ten warnings of a step, so the most important ones come first. A finding of several
// entries is one command, written when all entries are known.
type GitHub struct {
	W       io.Writer
	Paths   Paths
	Text    Text   // how the report of an entry is written in the summary
	Summary string // the file of the summary; empty: none

	errors, warnings int
	table, details   bytes.Buffer
	found            Summary
	list             []githubFinding
	open             []string // entries that are not explored completely
	why              string   // why the first of open was not explored completely
}

// githubFinding is a finding, and its first entry.
type githubFinding struct {
	*finding
	pos         token.Position
	code, entry string
	text        string
}

// mostAnnotations is the number of annotations of a kind that GitHub shows for one step.
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
		what += fmt.Sprintf("**%s** %s (%s)<br>", b.Kind.Code(), cellText(firstLine(Message(b))), cellText(x.Paths.Pos(b.Pos)))
		if s := foundIn(b); s != "" {
			what += cellText(s) + "<br>"
		}
		f := x.found.find(&x.Paths, r.Entry, b)
		//mutant: GitHub shows a finding once for each entry [test ./report TestRepetitions]: "len(f.entries) > 1" -> "false"
		if len(f.entries) > 1 {
			continue
		}
		text := Message(b)
		if w := Why(b); w != "" {
			text += "\nwhy: " + w
		}
		if s := foundIn(b); s != "" {
			text += "\n" + s
		}
		if i < len(files) && files[i].Replay != "" {
			text += "\nreplay: hbcheck replay " + files[i].Replay
		}
		x.list = append(x.list, githubFinding{f, b.Pos, b.Kind.Code(), BugEntry(r.Entry, b), text})
	}
	status, why := statusOf(r)
	mark := map[entryStatus]string{passed: "✅ ok", failed: "❌ FAIL", skipped: "⚪ skipped"}[status]
	if r.Verdict == explore.Incomplete {
		mark = "🟡 incomplete"
		if x.open = append(x.open, r.Package+"."+r.Entry); len(x.open) == 1 {
			x.why = why
		}
	}
	if why != "" {
		what += cellText(why)
	}
	x.row(mark, r.Package, r.Entry, what, covered(r)+", "+took(r))
	if status == failed {
		fence := "```"
		text := x.text(r, files)
		for strings.Contains(text, fence) {
			fence += "`"
		}
		fmt.Fprintf(&x.details, "\n<details><summary>%s</summary>\n\n%s\n%s%s\n\n</details>\n", cellText(r.Entry), fence, text, fence)
	}
	return nil
}

// text returns the report of an entry. A finding that an earlier entry had refers to that entry.
func (x *GitHub) text(r *explore.Result, files []Files) string {
	var b bytes.Buffer
	x.Text.W, x.Text.pkg = &b, r.Package
	if err := x.Text.Result(r, files); err != nil {
		panic("BUG: report: " + err.Error()) // a Buffer takes everything
	}
	return b.String()
}

// findings writes the commands of the findings, and one for an incomplete exploration.
func (x *GitHub) findings() error {
	for _, f := range x.list {
		level, n := "error", &x.errors
		if f.warning {
			level, n = "warning", &x.warnings
		}
		text := f.text
		if also := f.alsoIn(); also != "" {
			text += "\n" + also
		}
		if err := x.annotate(level, n, f.pos, f.code+" "+f.entry, text); err != nil {
			return err
		}
	}
	switch n := len(x.open); n {
	case 0:
		return nil
	case 1:
		return x.annotate("warning", &x.warnings, token.Position{}, x.open[0], x.why)
	default:
		return x.annotate("warning", &x.warnings, token.Position{}, entries(n)+" not explored completely", someOf(x.open))
	}
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
	if err := x.findings(); err != nil {
		return err
	}
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
