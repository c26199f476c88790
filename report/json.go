package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
)

// JSON writes one object per line. Its field names are a contract: fields are
// added and never renamed.
type JSON struct {
	W     io.Writer
	Paths Paths
	// Outcomes is set if outcomes were asked for. Then the field is present even if there are none.
	Outcomes bool

	summary Summary
}

// jsonSummary is the last line of a run.
type jsonSummary struct {
	Action      string           `json:"action"`
	OK          int              `json:"ok"`
	Fail        int              `json:"fail"`
	Open        int              `json:"open"` // incomplete
	Skipped     int              `json:"skipped"`
	Errors      int              `json:"errors"`
	Findings    []jsonFinding    `json:"findings"`
	Assumptions []jsonAssumption `json:"assumptions"`
}

// jsonFinding is a bug or a warning that one entry or several have.
type jsonFinding struct {
	Code     string   `json:"code"`
	Severity string   `json:"severity"`
	Pos      string   `json:"pos"`
	Message  string   `json:"message"`
	Entries  []string `json:"entries"`
}

// jsonAssumption is something that was assumed, and where.
type jsonAssumption struct {
	What    string   `json:"what"` // the word of --assume
	Message string   `json:"message"`
	Entries int      `json:"entries"` // number of entries that assume it
	Pos     []string `json:"pos"`
}

type jsonResult struct {
	Action      string          `json:"action"`
	Package     string          `json:"package"`
	Entry       string          `json:"entry"`
	Verdict     string          `json:"verdict"`
	POR         string          `json:"por"`
	Hybrid      string          `json:"hybrid"`
	LeftTo      string          `json:"left_to,omitempty"`
	Equivalence string          `json:"equivalence,omitempty"` // with --equivalence=rf
	Auto        bool            `json:"auto,omitempty"`        // the explorer of --por=auto that has the answer
	Sampled     uint64          `json:"sampled,omitempty"`     // with --por=auto, executions drawn at random before
	Within      *int            `json:"within,omitempty"`      // preemptions, of the search with --por=auto that found the bug
	Bugs        []jsonBug       `json:"bugs"`
	Stats       JSONStats       `json:"stats"`
	Outcomes    *[]jsonOutcome  `json:"outcomes,omitempty"`
	Incomplete  []string        `json:"incomplete"`
	Refused     []jsonRefused   `json:"refused,omitempty"`
	Graded      *jsonGraded     `json:"graded,omitempty"`
	Choices     *jsonChoices    `json:"choices,omitempty"`
	Advice      []string        `json:"advice,omitempty"`
	Assumed     []jsonAssumed   `json:"assumed"`
	Modes       []string        `json:"modes"`
	NotRun      string          `json:"not_run,omitempty"`
	Subtests    []jsonSubtest   `json:"subtests,omitempty"`
	Known       int             `json:"known,omitempty"`     // findings of --baseline
	Cached      bool            `json:"cached,omitempty"`    // of an earlier run
	Resumed     *jsonResumed    `json:"resumed,omitempty"`   // with --resume
	Explained   []jsonExplained `json:"explained,omitempty"` // with --explain
	Targets     []jsonTarget    `json:"targets,omitempty"`   // with --target
	Small       *jsonSmall      `json:"small,omitempty"`     // of an entry that is too big
	Coverage    *jsonCoverage   `json:"coverage,omitempty"`  // with --cover
}

// jsonSubtest is a subtest with its verdict.
type jsonSubtest struct {
	Name    string `json:"name"`
	Verdict string `json:"verdict"`
	Skipped bool   `json:"skipped,omitempty"`
	Alone   bool   `json:"alone,omitempty"`
}

// jsonResumed is the work that a resumed search had done before.
type jsonResumed struct {
	After      float64 `json:"after_s"`
	Executions uint64  `json:"executions"`
	States     uint64  `json:"states"`
}

// jsonCoverage has the executed part of the functions that an entry has called.
type jsonCoverage struct {
	Statements int         `json:"statements"`
	Reached    int         `json:"reached"`
	Functions  int         `json:"functions"`
	Unreached  []jsonGap   `json:"unreached"`
	OneWay     []jsonOnly  `json:"one_way"`
	OneOrder   []jsonOrder `json:"one_order"`
}

type jsonGap struct {
	File string `json:"file"`
	Func string `json:"func"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

type jsonOnly struct {
	Pos  string `json:"pos"`
	What string `json:"what"`
}

// jsonOrder is the only order in which two operations occurred.
type jsonOrder struct {
	First  jsonPlace `json:"first"`
	Second jsonPlace `json:"second"`
	Times  uint64    `json:"times"`
}

type jsonPlace struct {
	Pos  string `json:"pos"`
	Kind string `json:"kind"`
	What string `json:"what"`
}

// newJSONCoverage returns c as it is written.
func newJSONCoverage(c *explore.Coverage, paths Paths) *jsonCoverage {
	s := CoverageOf(c)
	out := &jsonCoverage{s.Statements, s.Reached, s.Functions, []jsonGap{}, []jsonOnly{}, []jsonOrder{}}
	for _, g := range s.Gaps {
		out.Unreached = append(out.Unreached, jsonGap{paths.File(g.File), g.Func, g.From, g.To})
	}
	for _, o := range s.OneWay {
		out.OneWay = append(out.OneWay, jsonOnly{fmt.Sprintf("%s:%d", paths.File(o.File), o.Line), o.What})
	}
	place := func(p describe.Place) jsonPlace {
		return jsonPlace{fmt.Sprintf("%s:%d", paths.File(p.Pos.Filename), p.Pos.Line), p.Kind.String(), p.What}
	}
	for _, o := range s.Orders {
		out.OneOrder = append(out.OneOrder, jsonOrder{place(o.First), place(o.Second), o.Times})
	}
	return out
}

// jsonRefused is something that the machine refused to execute.
type jsonRefused struct {
	Code string `json:"code"`
	What string `json:"what"`
	Func string `json:"func,omitempty"` // of the standard library, called at Pos
	Pos  string `json:"pos"`
}

// jsonGraded is the progress of an exploration in preemptions.
type jsonGraded struct {
	Preemptions *int    `json:"preemptions"` // every schedule with at most this number is covered; null: some schedules without preemptions are not
	Executions  uint64  `json:"executions"`
	States      uint64  `json:"states"`
	Next        float64 `json:"next"` // the estimated covered part of the schedules with one more
}

// jsonChoices has the operations with most of a search's choices.
type jsonChoices struct {
	Pos     string   `json:"pos"`
	What    string   `json:"what"`
	Part    float64  `json:"part"`
	Between []string `json:"between"`
}

type jsonBug struct {
	Code        string        `json:"code"`
	Kind        string        `json:"kind"`
	Severity    string        `json:"severity"` // error or warning
	Message     string        `json:"message"`
	Pos         string        `json:"pos"`
	Goroutine   string        `json:"goroutine"`
	Subtests    []string      `json:"subtests,omitempty"` // subtests in which it happened
	Related     []jsonRelated `json:"related"`
	Inputs      []jsonInput   `json:"inputs,omitempty"` // values of hbtest.Nondet
	Schedule    []Run         `json:"schedule"`
	Preemptions int           `json:"preemptions"`
	Small       bool          `json:"small,omitempty"` // it was found in the small version
	FullSize    string        `json:"full_size,omitempty"`
	Untold      bool          `json:"untold,omitempty"` // no time was left to describe the schedule
	Replay      string        `json:"replay,omitempty"`
	Page        string        `json:"page,omitempty"`
}

// jsonAssumed is something of the environment that was not tried in all ways.
type jsonAssumed struct {
	What    string `json:"what"` // the word of --assume
	Pos     string `json:"pos"`
	Message string `json:"message"`
}

type jsonRelated struct {
	Pos     string `json:"pos"`
	Message string `json:"message"`
}

type jsonInput struct {
	Pos   string `json:"pos"`
	Name  string `json:"name,omitempty"`
	Type  string `json:"type"`
	Value string `json:"value"`
}

// JSONStats are the numbers of a search.
type JSONStats struct {
	Executions   uint64            `json:"executions"`
	Blocked      uint64            `json:"blocked"`
	Truncated    uint64            `json:"truncated"`
	Choices      uint64            `json:"choices"`
	States       uint64            `json:"states"`
	Matched      uint64            `json:"matched"`
	Exchanged    uint64            `json:"exchanged,omitempty"`
	Equal        uint64            `json:"equal,omitempty"`
	Transitions  uint64            `json:"transitions"`
	Instructions uint64            `json:"instructions"`
	MaxDepth     int               `json:"maxdepth"`
	Goroutines   int               `json:"goroutines"`
	Eliminated   map[string]uint64 `json:"eliminated"`
	Parts        uint64            `json:"parts,omitempty"` // with --hybrid=parts
	OfParts      uint64            `json:"part_executions,omitempty"`
	Predicted    uint64            `json:"predicted,omitempty"`
	Confirmed    uint64            `json:"confirmed,omitempty"`
	Guessed      uint64            `json:"guessed,omitempty"`
	Load         float64           `json:"load_s"`
	Static       float64           `json:"static_s"`
	Explore      float64           `json:"explore_s"`
	PeakBytes    int64             `json:"peak_bytes"`
	Graphs       uint64            `json:"graphs,omitempty"`  // with --por=graph
	Replays      uint64            `json:"replays,omitempty"` // with --por=graph
	Checked      *jsonChecked      `json:"checked,omitempty"` // with --check-static
}

type jsonChecked struct {
	Steps    uint64 `json:"steps"`
	Skips    uint64 `json:"skips"`
	Bounded  uint64 `json:"skips_bounded"`
	Pointers int    `json:"pointers"`
	Calls    int    `json:"calls"`
}

// jsonTarget is a target of --target.
type jsonTarget struct {
	Target     string `json:"target"`
	Executions uint64 `json:"executions"` // executions aimed at the situation
	Met        uint64 `json:"met"`        // executions in which the goroutines met
}

// jsonExplained is an operation at the place of --explain.
type jsonExplained struct {
	Pos     string            `json:"pos"`
	Op      string            `json:"op"`
	Skipped map[string]uint64 `json:"skipped"`
	Choices uint64            `json:"choices"`
	Because []jsonBecause     `json:"because"`
}

type jsonBecause struct {
	Pos   string `json:"pos,omitempty"`
	What  string `json:"what"`
	Count uint64 `json:"count"`
}

type jsonOutcome struct {
	Output   string `json:"output"`
	Ending   string `json:"ending"`
	Count    uint64 `json:"count"`
	Schedule []Run  `json:"schedule"`
}

func severity(b *bug.Bug) string {
	if b.Warning {
		return "warning"
	}
	return "error"
}

// Result implements Writer.
func (j *JSON) Result(r *explore.Result, files []Files) error {
	j.summary.add(r)
	for _, b := range r.Bugs {
		j.summary.find(&j.Paths, r.Entry, b)
	}
	out := jsonResult{
		Action: "result", Package: r.Package, Entry: r.Entry, Verdict: string(r.Verdict),
		POR: r.POR, Hybrid: cmp.Or(string(r.Hybrid), "none"), LeftTo: r.FallbackTo, Equivalence: r.Equivalence,
		Auto: r.Auto, Sampled: r.Sampled, Within: r.Within,
		Bugs: []jsonBug{}, Stats: NewJSONStats(&r.Stats), Incomplete: append([]string{}, Incomplete(r)...),
		Assumed: []jsonAssumed{}, Modes: modeFlags(r),
	}
	for _, a := range r.Aimed {
		out.Targets = append(out.Targets, jsonTarget{a.Target.String(), a.Executions, a.Met})
	}
	out.Cached, out.Known, out.Small = r.Cached, r.Known, newJSONSmall(r.Small, j.Paths)
	for _, why := range r.Incomplete {
		if x := why.Refused; x.Code != "" {
			out.Refused = append(out.Refused, jsonRefused{string(x.Code), x.What, x.Func, j.Paths.Pos(x.Pos)})
		}
	}
	for _, s := range r.SubtestVerdicts() {
		out.Subtests = append(out.Subtests, jsonSubtest{s.Name, string(s.Verdict), s.Skipped, s.Alone})
	}
	if r.NotRun != nil {
		out.NotRun = NotRun(r.NotRun)
	}
	if r.Verdict == explore.Incomplete {
		if g := r.Graded; g != nil {
			out.Graded = &jsonGraded{Executions: g.Stats.Executions, States: g.Stats.States, Next: g.Next}
			if g.Preempt >= 0 {
				out.Graded.Preemptions = &g.Preempt
			}
		}
		if c := named(r); c != nil {
			out.Choices = &jsonChoices{j.Paths.Pos(c.Pos), c.What, c.Part, []string{}}
			if c.Between[0] != "" {
				out.Choices.Between = c.Between[:]
			}
		}
		out.Advice = advice(r)
	}
	for _, a := range r.Assumed {
		out.Assumed = append(out.Assumed, jsonAssumed{assumptions[a.What].word, j.Paths.Pos(a.Pos), Assumption(a)})
	}
	for i, b := range r.Bugs {
		jb := jsonBug{Code: b.Kind.Code(), Kind: b.Kind.String(), Severity: severity(b), Message: Message(b), Pos: j.Paths.Pos(b.Pos), Goroutine: b.G, Subtests: b.Tests,
			Related: []jsonRelated{}, Schedule: runs(b.Events), Preemptions: b.Preemptions, Untold: b.Untold, Small: b.Small != nil,
			FullSize: [...]string{bug.NotCarried: "not shown", bug.Carried: "shown"}[b.Carried]}
		for _, x := range b.Related {
			jb.Related = append(jb.Related, jsonRelated{j.Paths.Pos(x.Pos), relatedMessage(&x)})
		}
		for _, in := range shownInputs(b.Inputs) {
			jb.Inputs = append(jb.Inputs, jsonInput{j.Paths.Pos(in.Pos), in.Name, in.Type, in.Value})
		}
		if i < len(files) { // left out if they are empty
			jb.Replay, jb.Page = files[i].Replay, files[i].Page
		}
		out.Bugs = append(out.Bugs, jb)
	}
	if j.Outcomes {
		list := []jsonOutcome{}
		for _, o := range r.Outcomes {
			list = append(list, jsonOutcome{o.Output, o.Ending, o.Count, runs(o.Events)})
		}
		out.Outcomes = &list
	}
	for _, e := range r.Explained {
		x := jsonExplained{Pos: j.Paths.Pos(e.Pos), Op: e.Kind.String(), Skipped: e.Skipped, Choices: e.Choices, Because: []jsonBecause{}}
		for _, b := range e.Causes {
			y := jsonBecause{What: causeText(&b, r.Hybrid), Count: b.Count}
			if b.Pos.IsValid() {
				y.Pos = j.Paths.Pos(b.Pos)
			}
			x.Because = append(x.Because, y)
		}
		out.Explained = append(out.Explained, x)
	}
	if x := r.Resumed; x != nil {
		out.Resumed = &jsonResumed{x.Spent.Seconds(), x.Stats.Executions, x.Stats.States}
	}
	if r.Coverage != nil {
		out.Coverage = newJSONCoverage(r.Coverage, j.Paths)
	}
	return WriteJSON(j.W, out)
}

// jsonError is an entry, or a package, that could not be explored.
type jsonError struct {
	Action  string `json:"action"`
	Package string `json:"package"`
	Entry   string `json:"entry,omitempty"`
	Error   string `json:"error"`
}

// Failed implements Writer.
func (j *JSON) Failed(pkg, entry, why string) error {
	j.summary.refused++
	return WriteJSON(j.W, jsonError{"error", pkg, entry, why})
}

// Close implements Writer.
func (j *JSON) Close() error {
	s := &j.summary
	out := jsonSummary{Action: "summary", OK: s.ok, Fail: s.failed, Open: s.open, Skipped: s.skipped, Errors: s.refused,
		Findings: []jsonFinding{}, Assumptions: []jsonAssumption{}}
	for _, f := range s.findings {
		code, message, _ := strings.Cut(f.message, ": ")
		x := jsonFinding{code, "error", f.where, message, f.entries}
		if f.warning {
			x.Severity = "warning"
		}
		out.Findings = append(out.Findings, x)
	}
	s.sort()
	for _, x := range s.assumed {
		a := assumptions[x.what]
		y := jsonAssumption{a.word, a.what + " (" + a.how + ")", x.entries, []string{}}
		for _, pos := range x.places {
			y.Pos = append(y.Pos, j.Paths.Pos(pos))
		}
		out.Assumptions = append(out.Assumptions, y)
	}
	return WriteJSON(j.W, out)
}

// WriteJSON writes x in one line.
func WriteJSON(w io.Writer, x any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(x)
}

// eliminated is never null.
func eliminated(m map[string]uint64) map[string]uint64 {
	if m == nil {
		return map[string]uint64{}
	}
	return m
}

// NewJSONStats returns s as it is written.
func NewJSONStats(s *explore.Stats) JSONStats {
	var checked *jsonChecked
	if c := s.Checked; c != nil {
		checked = &jsonChecked{c.Steps, c.Skips, c.Bounded, c.Pointers.Pointers + c.Pointers.Interfaces, c.Pointers.Calls}
	}
	return JSONStats{
		Checked:    checked,
		Executions: s.Executions, Blocked: s.Blocked, Truncated: s.Truncated, Choices: s.Choices, States: s.States, Matched: s.Matched, Exchanged: s.Exchanged, Equal: s.Equal,
		Transitions: s.Transitions, Instructions: s.Instructions, MaxDepth: s.MaxDepth, Goroutines: s.Goroutines,
		Graphs: s.Graphs, Replays: s.Replays, Eliminated: eliminated(s.Eliminated), Parts: s.Parts, OfParts: s.PartExecutions, Predicted: s.Predicted, Confirmed: s.Confirmed, Guessed: s.Guessed, PeakBytes: s.PeakBytes,
		Load: s.Load.Seconds(), Static: s.Static.Seconds(), Explore: s.Explore.Seconds(),
	}
}
