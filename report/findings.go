package report

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"path/filepath"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/static/findings"
)

// Findings are the findings of hbcheck analyze, for people and programs.
type Findings struct {
	Paths Paths
	Fset  *token.FileSet
	List  []findings.Finding
	// Answers has the result of executions for each; nil: nothing was executed.
	Answers []Answer
}

// An Answer is the result of executions for a finding.
type Answer struct {
	Status  string   // confirmed, refuted or open
	Package string   // of the entry that confirms it,
	Entry   string   // its name,
	Bug     *bug.Bug // and its bug,
	Files            // with its schedule
	By      []string // the entries whose exhaustive exploration refutes the finding
	Why     string   // why the finding is open
	// Driver confirms it where no test does, with DriverBug.
	Driver    *findings.Driver
	DriverBug *bug.Bug
}

// text returns the lines about an answer.
func (a *Answer) text() (lines []string) {
	switch a.Status {
	case "confirmed":
		lines = append(lines, fmt.Sprintf("confirmed: %s: %s: %s", a.Entry, a.Bug.Kind.Code(), indented(Message(a.Bug), "")))
		if a.Replay != "" {
			lines = append(lines, "\thbcheck replay "+a.Replay)
		}
		if a.Page != "" {
			lines = append(lines, "\tpage: "+a.Page)
		}
	case "refuted":
		lines = append(lines, "refuted by exhaustive search of "+strings.Join(a.By, ", "))
	default:
		lines = append(lines, "open: "+a.Why)
	}
	if d := a.Driver; d != nil {
		like := ""
		if d.Begins != "" {
			like = " that begins as " + d.Begins + " does"
		}
		lines = append(lines, fmt.Sprintf("confirmed by a driver%s, if %s and %s may be called at the same time: %s: %s", like, d.Methods[0], d.Methods[1],
			a.DriverBug.Kind.Code(), indented(Message(a.DriverBug), "")))
		for l := range strings.SplitSeq(strings.TrimSuffix(d.Body, "\n"), "\n") {
			lines = append(lines, "\t"+strings.TrimPrefix(l, "\t"))
		}
	}
	return lines
}

func (x *Findings) at(pos token.Pos) token.Position {
	p := x.Fset.Position(pos)
	p.Offset = 0
	return p
}

// Text writes a line for each finding, "file:line:col: HBA103: message", and below it the places that
// belong to it.
func (x *Findings) Text(w io.Writer) error {
	b := bufio.NewWriter(w)
	for i := range x.List {
		f := &x.List[i]
		note := ""
		if f.Confidence != findings.High {
			note = " (" + f.Confidence.String() + ")"
		}
		fmt.Fprintf(b, "%s: %s: %s%s\n", x.Paths.Pos(x.at(f.Pos)), f.Code, Printable(f.Text), note)
		for _, r := range f.Related {
			fmt.Fprintf(b, "\t%s: %s\n", x.Paths.Pos(x.at(r.Pos)), Printable(r.Text))
		}
		if x.Answers != nil {
			for _, l := range x.Answers[i].text() {
				fmt.Fprintf(b, "\t%s\n", l)
			}
		}
	}
	return b.Flush()
}

type jsonFindingPlace struct {
	Pos     string `json:"pos"`
	Message string `json:"message"`
}

// JSON writes a line for each finding:
//
//	{"action":"finding","code","confidence","pos","message","related":[{"pos","message"}],"status":"open"}
//
// With Answers, status is confirmed, with the entry, its bug, replay file and page; refuted, by entries; or
// open, and why.
func (x *Findings) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i := range x.List {
		f := &x.List[i]
		out := struct {
			Action     string             `json:"action"`
			Code       string             `json:"code"`
			Confidence string             `json:"confidence"`
			Pos        string             `json:"pos"`
			Message    string             `json:"message"`
			Related    []jsonFindingPlace `json:"related"`
			Status     string             `json:"status"`
			Entry      string             `json:"entry,omitempty"`
			Bug        string             `json:"bug,omitempty"`
			Replay     string             `json:"replay,omitempty"`
			Page       string             `json:"page,omitempty"`
			By         []string           `json:"by,omitempty"`
			Why        string             `json:"why,omitempty"`
			Driver     string             `json:"driver,omitempty"`
			DriverBug  string             `json:"driver_bug,omitempty"`
		}{Action: "finding", Code: f.Code, Confidence: f.Confidence.String(), Pos: x.Paths.Pos(x.at(f.Pos)), Message: f.Text,
			Related: []jsonFindingPlace{}, Status: "open"}
		if x.Answers != nil {
			a := &x.Answers[i]
			out.Status, out.Replay, out.Page, out.By, out.Why = a.Status, a.Replay, a.Page, a.By, a.Why
			if a.Bug != nil {
				out.Entry, out.Bug = a.Package+"."+a.Entry, a.Bug.Kind.Code()+": "+Message(a.Bug)
			}
		}
		if x.Answers != nil && x.Answers[i].Driver != nil {
			a := &x.Answers[i]
			out.Driver, out.DriverBug = a.Driver.Test(), a.DriverBug.Kind.Code()+": "+Message(a.DriverBug)
		}
		for _, r := range f.Related {
			out.Related = append(out.Related, jsonFindingPlace{x.Paths.Pos(x.at(r.Pos)), r.Text})
		}
		if err := e.Encode(out); err != nil {
			return err
		}
	}
	return nil
}

// level returns the name of a confidence in other tools' formats.
func level(c findings.Confidence) string {
	return map[findings.Confidence]string{findings.High: "error", findings.Medium: "warning", findings.Low: "note"}[c]
}

// SARIF writes a log of that format.
func (x *Findings) SARIF(w io.Writer, version string) error {
	s := &SARIF{Paths: x.Paths}
	var rules []sarifRule
	index := map[string]int{}
	for i, c := range findings.Checks {
		index[c.Code] = i
		rules = append(rules, sarifRule{c.Code, c.Code, sarifText{c.Title}, sarifText{c.Means}, sarifText{c.Mend}, map[string]string{"level": "error"}})
	}
	for i := range x.List {
		f := &x.List[i]
		out := sarifResult{Rule: f.Code, Index: index[f.Code], Level: level(f.Confidence), Message: sarifText{sarifMessage(f.Text)}, Locations: []sarifLocation{}}
		if l, ok := s.location(x.at(f.Pos), 0, ""); ok {
			out.Locations = append(out.Locations, l)
		}
		for _, r := range f.Related {
			if l, ok := s.location(x.at(r.Pos), len(out.Related)+1, r.Text); ok {
				out.Related = append(out.Related, l)
			}
		}
		out.Fingerprints = map[string]string{"hbcheck/v1": x.Fingerprint(f)}
		s.results = append(s.results, out)
	}
	log := sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{{
		Tool:        sarifTool{sarifDriver{"hbcheck", version, rules}},
		Invocations: []sarifInvocation{{true, []sarifNote{}}},
		Results:     append([]sarifResult{}, s.results...),
	}}}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(log)
}

// GitHub writes workflow commands, which GitHub shows beside the code.
func (x *Findings) GitHub(w io.Writer) error {
	g := &GitHub{W: w, Paths: x.Paths}
	for i := range x.List {
		f := &x.List[i]
		text := f.Text
		for _, r := range f.Related {
			text += "\n" + x.Paths.Pos(x.at(r.Pos)) + ": " + r.Text
		}
		kind, n := "error", &g.errors
		if f.Confidence != findings.High {
			kind, n = "warning", &g.warnings
		}
		if err := g.annotate(kind, n, x.at(f.Pos), f.Code, text); err != nil {
			return err
		}
	}
	return nil
}

// Fingerprint identifies f by its code, its file, its function, and its message without numbers. So the
// fingerprint stays the same when lines move.
func (x *Findings) Fingerprint(f *findings.Finding) string {
	fn := ""
	if f.Instr != nil {
		fn = f.Instr.Parent().String()
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Code, fn, filepath.ToSlash(x.Paths.File(x.at(f.Pos).Filename)),
		numbers.ReplaceAllString(f.Text, "N")}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// AddFinding adds f to b.
func (b *Baseline) AddFinding(x *Findings, f *findings.Finding) {
	id := x.Fingerprint(f)
	b.lines[id] = fmt.Sprintf("%s %s %s: %s", id, f.Code, filepath.ToSlash(x.Paths.File(x.at(f.Pos).Filename)), Printable(f.Text))
}

// explainFinding returns the meaning of a finding's code; "" if there is no such code.
func explainFinding(name string) string {
	c := findings.ByCode(strings.ToUpper(name))
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s (hbcheck analyze)\n\n%s\n\n%s\n\n%s\n\nWhat helps:\n\n%s\n",
		c.Code, c.Title, fold(c.Means), fold("No finding for: "+c.Silent+"."), fold("The check cannot see: "+c.Blind+"."), fold(c.Mend))
}

// findingCodes lists these codes with their titles.
func findingCodes() string {
	var b strings.Builder
	for _, c := range findings.Checks {
		fmt.Fprintf(&b, "  %s  %s\n", c.Code, c.Title)
	}
	return b.String()
}
