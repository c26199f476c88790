package report

import (
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
)

// SARIF writes a log of the format of that name, version 2.1.0, for code scanning and editors.
//
// Positions are of files below Paths.Base only. GitHub shows a result's message and its first
// location; the schedule is a code flow, with a thread flow for each goroutine. A finding of
// several entries is one result. Entries that could not be explored, and incomplete ones, are
// notifications.
type SARIF struct {
	W       io.Writer
	Paths   Paths
	Version string // of hbcheck

	results []sarifResult
	of      []*finding // the finding of each result
	found   Summary
	notes   []sarifNote
	failed  bool
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	ID       int           `json:"id,omitempty"`
	Physical sarifPhysical `json:"physicalLocation"`
	Message  *sarifText    `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId"`
}

type sarifRegion struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn,omitempty"`
}

type sarifResult struct {
	Rule         string            `json:"ruleId"`
	Index        int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Related      []sarifLocation   `json:"relatedLocations,omitempty"`
	CodeFlows    []sarifFlow       `json:"codeFlows,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Count        int               `json:"occurrenceCount,omitempty"` // entries that have it, if several
}

type sarifFlow struct {
	Threads []sarifThread `json:"threadFlows"`
}

type sarifThread struct {
	ID        string      `json:"id"`
	Locations []sarifStep `json:"locations"`
}

type sarifStep struct {
	Location   sarifLocation `json:"location"`
	Order      int           `json:"executionOrder,omitempty"`
	Importance string        `json:"importance,omitempty"`
}

type sarifNote struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

// mostFlow bounds the steps of a schedule in a log. GitHub accepts 10,000 for all results together.
const mostFlow = 200

// location returns pos in the form of a log; false if it is not in the user's module.
func (x *SARIF) location(pos token.Position, id int, text string) (sarifLocation, bool) {
	file := filepath.ToSlash(x.Paths.File(pos.Filename))
	if !pos.IsValid() || file == "" || filepath.IsAbs(file) || strings.HasPrefix(pos.Filename, models) {
		return sarifLocation{}, false
	}
	l := sarifLocation{ID: id, Physical: sarifPhysical{sarifArtifact{(&url.URL{Path: file}).EscapedPath(), "%SRCROOT%"}, &sarifRegion{pos.Line, pos.Column}}}
	if text != "" {
		l.Message = &sarifText{Printable(text)}
	}
	return l, true
}

// Result implements Writer.
func (x *SARIF) Result(r *explore.Result, files []Files) error {
	for i, b := range r.Bugs {
		f := x.found.find(&x.Paths, r.Entry, b)
		//mutant: a log has a finding once for each entry [test ./report TestRepetitions]: "len(f.entries) > 1" -> "false"
		if len(f.entries) > 1 {
			continue
		}
		level := "error"
		if b.Warning {
			level = "warning"
		}
		text := sarifMessage(firstLine(Message(b)) + " (" + BugEntry(r.Entry, b) + ")")
		out := sarifResult{Rule: b.Kind.Code(), Index: int(b.Kind) - 1, Level: level, Locations: []sarifLocation{}}
		if l, ok := x.location(b.Pos, 0, ""); ok {
			out.Locations = append(out.Locations, l)
		}
		for _, rel := range b.Related {
			if l, ok := x.location(rel.Pos, len(out.Related)+1, relatedMessage(&rel)); ok {
				out.Related = append(out.Related, l)
			}
		}
		if len(out.Related) > 0 {
			text += fmt.Sprintf("; [%s](%d)", sarifMessage(out.Related[0].Message.Text), out.Related[0].ID)
		}
		if w := Why(b); w != "" {
			text += "; " + sarifMessage(strings.TrimSuffix(w, "."))
		}
		if s := foundIn(b); s != "" {
			text += "; " + sarifMessage(s)
		}
		if i < len(files) && files[i].Replay != "" {
			text += "; hbcheck replay " + sarifMessage(files[i].Replay)
		}
		out.Message = sarifText{text}
		out.CodeFlows = x.flows(b)
		out.Fingerprints = map[string]string{"hbcheck/v1": x.fingerprint(r, b)}
		x.results, x.of = append(x.results, out), append(x.of, f)
	}
	if r.Verdict == explore.Incomplete {
		_, why := statusOf(r)
		x.notes = append(x.notes, sarifNote{"warning", sarifText{Printable(r.Package + "." + r.Entry + ": " + why)}})
	}
	return nil
}

// sarifMessage escapes markup in a message: links have brackets.
func sarifMessage(s string) string {
	return strings.NewReplacer("\\", "\\\\", "[", "\\[", "]", "\\]").Replace(Printable(s))
}

// flows returns the schedule of b, as far as it is in the user's module.
func (x *SARIF) flows(b *bug.Bug) []sarifFlow {
	lines, lanes := Lines(b)
	threads := make(map[string]*sarifThread)
	n := 0
	for i := range lines {
		l := &lines[i]
		if l.Left != "" || n >= mostFlow && !l.Wrong {
			continue
		}
		pos := l.Pos
		if l.Kind == FailureKind {
			pos = b.Pos
		}
		text := l.Lane + ": " + strings.TrimSpace(l.Kind+" "+l.What)
		if l.Step > 0 {
			text = fmt.Sprintf("step %d, %s", l.Step, text)
		}
		if l.Note != "" {
			text += " (" + l.Note + ")"
		}
		at, ok := x.location(pos, 0, text)
		if !ok {
			continue
		}
		t := threads[l.Lane]
		if t == nil {
			t = &sarifThread{ID: l.Lane}
			threads[l.Lane] = t
		}
		step := sarifStep{Location: at, Order: i + 1, Importance: "important"}
		if l.Wrong {
			step.Importance = "essential"
		}
		t.Locations = append(t.Locations, step)
		n++
	}
	var flow sarifFlow
	for _, name := range lanes {
		if t := threads[name]; t != nil {
			flow.Threads = append(flow.Threads, *t)
		}
	}
	if flow.Threads == nil {
		return nil
	}
	return []sarifFlow{flow}
}

func (x *SARIF) fingerprint(r *explore.Result, b *bug.Bug) string {
	return Fingerprint(x.Paths, r.Package, r.Entry, b)
}

// Failed implements Writer.
func (x *SARIF) Failed(pkg, entry, why string) error {
	x.failed = true
	name := strings.TrimSuffix(pkg+"."+entry, ".")
	x.notes = append(x.notes, sarifNote{"error", sarifText{Printable(name + ": not explored: " + why)}})
	return nil
}

type sarifRule struct {
	ID     string            `json:"id"`
	Name   string            `json:"name"`
	Short  sarifText         `json:"shortDescription"`
	Full   sarifText         `json:"fullDescription"`
	Help   sarifText         `json:"help"`
	Config map[string]string `json:"defaultConfiguration"`
}

// Close implements Writer.
func (x *SARIF) Close() error {
	var rules []sarifRule
	for _, k := range bug.Kinds() {
		c := codes[k]
		level := "error"
		if k == bug.LeftRunning {
			level = "warning"
		}
		rules = append(rules, sarifRule{k.Code(), k.String(), sarifText{c.title}, sarifText{c.means}, sarifText{c.mend}, map[string]string{"level": level}})
	}
	for i, f := range x.of {
		if also := f.alsoIn(); also != "" {
			x.results[i].Message.Text += "; " + sarifMessage(also)
			x.results[i].Count = len(f.entries)
		}
	}
	log := sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{{
		Tool:        sarifTool{sarifDriver{"hbcheck", x.Version, rules}},
		Invocations: []sarifInvocation{{!x.failed, append([]sarifNote{}, x.notes...)}},
		Results:     append([]sarifResult{}, x.results...),
	}}}
	e := json.NewEncoder(x.W)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(log)
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifInvocation struct {
	Successful bool        `json:"executionSuccessful"`
	Notes      []sarifNote `json:"toolExecutionNotifications"`
}
