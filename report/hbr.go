package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/schedule"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// ReplayVersion is the version of the replay files written. Files of a later
// version are refused.
const ReplayVersion = 1

// A Replay is the contents of a .hbr file: a schedule of one entry, its bug, and the data to load the
// program again. It is JSON, one event per line, so that it can be kept in a repository.
type Replay struct {
	Version int    `json:"version"`
	Tool    string `json:"tool"` // program that wrote the file
	Go      string `json:"go"`   // version of Go whose library was loaded

	Package  string            `json:"package"`
	Entry    string            `json:"entry"`
	Dir      string            `json:"dir"`      // base of the patterns, relative to the directory of the file
	Patterns []string          `json:"patterns"` // what to load
	Tests    bool              `json:"tests"`
	Tags     []string          `json:"tags,omitempty"`
	Args     []string          `json:"args,omitempty"`    // os.Args[1:]
	Options  map[string]string `json:"options,omitempty"` // flags that change what a schedule means
	Small    []ReplayEdit      `json:"small,omitempty"`   // the changes of a small version

	Code    string `json:"code"`
	Message string `json:"message"`
	Pos     string `json:"pos"`

	Schedule []Run         `json:"schedule"`
	Loop     int           `json:"loop"` // number of the step at which the loop of a livelock begins; 0: no loop
	Events   []ReplayEvent `json:"events"`

	Inputs []ReplayInput `json:"inputs,omitempty"`
}

// A ReplayInput is the value of a variable of hbtest.Nondet.
type ReplayInput struct {
	G     string `json:"g"`
	N     uint32 `json:"n"`
	Bits  uint64 `json:"bits"`
	Name  string `json:"name,omitempty"`
	Type  string `json:"type"`
	Value string `json:"value"`
	Pos   string `json:"pos"`

	Length bool `json:"length,omitempty"`
	Param  int  `json:"param,omitempty"`
}

// A ReplayEdit is a number of the source that the small version replaces.
type ReplayEdit struct {
	Pos  string `json:"pos"`
	From string `json:"from"`
	To   string `json:"to"`
}

// Edits returns the edits that make the program the small version. Relative positions are taken to be below
// base.
func (r *Replay) Edits(base string) (list []load.Edit, err error) {
	for _, e := range r.Small {
		at, err := parsePos(e.Pos, base)
		if err != nil {
			return nil, err
		}
		// The edits of a file from elsewhere change only numbers.
		_, from := load.Number(e.From)
		if _, to := load.Number(e.To); !from || !to {
			return nil, fmt.Errorf("%s: %q and %q are not numbers", e.Pos, e.From, e.To)
		}
		list = append(list, load.Edit{Pos: at, From: e.From, To: e.To})
	}
	return list, nil
}

// A ReplayEvent is one step as it was recorded.
type ReplayEvent struct {
	G        string `json:"g"`
	Kind     string `json:"kind,omitempty"`
	What     string `json:"what,omitempty"`
	Effect   string `json:"effect,omitempty"`
	Func     string `json:"func,omitempty"`
	Pos      string `json:"pos,omitempty"`
	Choice   int    `json:"choice,omitempty"`
	Preempts string `json:"preempts,omitempty"`
	// Steps is the number of steps that the event represents. If it is not 0, only G was recorded, and Kind
	// is empty; 0 means one step, recorded completely.
	Steps int `json:"steps,omitempty"`
}

// SetBug fills in the record of b. Positions are kept relative to paths.Base.
func (r *Replay) SetBug(b *bug.Bug, paths Paths) {
	r.Version = ReplayVersion
	if len(r.Options) == 0 {
		r.Options = nil
	}
	r.Code, r.Message, r.Pos = b.Kind.Code(), Message(b), paths.recorded(b.Pos)
	r.Schedule = runs(b.Events)
	if b.Loop >= 0 {
		r.Loop = b.Loop + 1
	}
	r.Events, r.Inputs, r.Small = nil, nil, nil
	if b.Small != nil {
		for _, e := range b.Small.Edits {
			r.Small = append(r.Small, ReplayEdit{paths.recorded(e.Pos), e.From, e.To})
		}
	}
	for _, in := range b.Inputs {
		at := in.Pos
		at.Column = 1 // positions in these files have one
		r.Inputs = append(r.Inputs, ReplayInput{in.Key.G, in.Key.N, in.Bits, in.Name, in.Type, in.Value, paths.recorded(at), in.Length, in.Param})
	}
	for _, e := range steps(b.Events) {
		if e.Brief {
			if n := len(r.Events); e.Choice == 0 && n > 0 && r.Events[n-1].Steps > 0 && r.Events[n-1].Choice == 0 && r.Events[n-1].G == e.Name {
				r.Events[n-1].Steps++
				continue
			}
			r.Events = append(r.Events, ReplayEvent{G: e.Name, Choice: e.Choice, Preempts: e.Preempts, Steps: 1})
			continue
		}
		r.Events = append(r.Events, ReplayEvent{G: e.Name, Kind: e.Kind.String(), What: e.What, Effect: shortened(e.Effect, mostWhat), Func: e.Func,
			Pos: paths.recorded(e.Pos), Choice: e.Choice, Preempts: e.Preempts})
	}
}

// Recording returns the data to repeat the schedule. Relative positions are taken to be below base.
func (r *Replay) Recording(base string) (schedule.Recording, error) {
	rec := schedule.Recording{Loop: r.Loop}
	if rec.Kind = bug.KindOf(r.Code); rec.Kind == 0 {
		return rec, fmt.Errorf("unknown code %q", r.Code)
	}
	rec.Same = func(b *bug.Bug) bool { return sameMessage(Message(b), r.Message) || b.Kind == bug.Livelock }
	var err error
	if rec.Pos, err = parsePos(r.Pos, base); err != nil {
		return rec, err
	}
	for _, in := range r.Inputs {
		at, err := parsePos(in.Pos, base)
		if err != nil {
			return rec, err
		}
		at.Column = 0
		rec.Inputs = append(rec.Inputs, describe.Input{Key: vm.InputKey{G: in.G, N: in.N}, Bits: in.Bits, Pos: at, Name: in.Name, Type: in.Type, Value: in.Value,
			Length: in.Length, Param: in.Param})
	}
	for i, e := range r.Events {
		ev := describe.Event{Name: e.G, What: e.What, Effect: e.Effect, Func: e.Func, Choice: e.Choice, Preempts: e.Preempts}
		if ev.Brief = e.Steps > 0; ev.Brief {
			if ev.Choice < 0 || e.Steps > maxReplaySteps-len(rec.Events) {
				return rec, fmt.Errorf("event %d: %d steps of %q with alternative %d", i+1, e.Steps, e.G, e.Choice)
			}
			for range e.Steps {
				rec.Events = append(rec.Events, ev)
				ev.Preempts = ""
			}
			continue
		}
		if ev.Kind, err = parseKind(e.Kind); err != nil {
			return rec, fmt.Errorf("event %d: %v", i+1, err)
		}
		if ev.Choice < 0 {
			return rec, fmt.Errorf("event %d: there is no alternative %d", i+1, ev.Choice)
		}
		if ev.Pos, err = parsePos(e.Pos, base); err != nil {
			return rec, fmt.Errorf("event %d: %v", i+1, err)
		}
		rec.Events = append(rec.Events, ev)
	}
	if !slices.Equal(runs(rec.Events), r.Schedule) {
		return rec, fmt.Errorf("the schedule and the events do not agree")
	}
	return rec, nil
}

// sameMessage compares messages, also those in the wording of old files.
func sameMessage(a, b string) bool {
	today := func(s string) string {
		s = string([]rune(s)) // a file has no invalid UTF-8
		return shortened(strings.ReplaceAll(s, " for ever", " forever"), maxMessage)
	}
	return today(a) == today(b)
}

func parseKind(s string) (trace.Kind, error) {
	for k := trace.None; ; k++ {
		name := k.String()
		if name == s {
			return k, nil
		}
		if strings.HasPrefix(name, "kind(") {
			return 0, fmt.Errorf("unknown operation %q", s)
		}
	}
}

// parsePos reads file:line:column as Paths.recorded writes it. There is no column after a directive
// //line file:line.
func parsePos(s, base string) (pos token.Position, err error) {
	if s == "" || s == "-" {
		return pos, nil
	}
	rest, last, ok := cutNumber(s)
	if !ok {
		return pos, fmt.Errorf("bad position %q", s)
	}
	if name, line, ok := cutNumber(rest); ok {
		rest, pos.Line, pos.Column = name, line, last
	} else {
		pos.Line = last
	}
	pos.Filename = rest
	// Names beginning with $ are not paths, but positions in the models ($hbcheck/...).
	if base != "" && !filepath.IsAbs(rest) && !strings.HasPrefix(rest, "$") {
		pos.Filename = filepath.Join(base, rest)
	}
	return pos, nil
}

// cutNumber cuts a number and the colon before it from the end of s.
func cutNumber(s string) (rest string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return s[:i], n, err == nil
}

// WriteReplay writes r to a file, making its directory if need be. The file is written as a whole or not at
// all, and a link with its name is replaced, not followed: the directory may belong to a repository that is
// not trusted.
func WriteReplay(name string, r *Replay) error {
	data, err := r.marshal()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	temp := fmt.Sprintf("%s.%d.tmp", name, os.Getpid())
	os.Remove(temp)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = cmp.Or(err, f.Close()); err == nil { // the first error; the file is closed in any case
		err = os.Rename(temp, name)
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}

// marshal renders r with one line per field and per event.
func (r *Replay) marshal() ([]byte, error) {
	short := *r
	short.Events, short.Schedule = nil, nil
	head, err := json.MarshalIndent(&short, "", " ")
	if err != nil {
		return nil, err
	}
	list := func(b *strings.Builder, name string, n int, item func(i int) any) error {
		fmt.Fprintf(b, " %q: [", name)
		for i := range n {
			line, err := json.Marshal(item(i))
			if err != nil {
				return err
			}
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(b, "\n  %s", line)
		}
		b.WriteString("\n ]")
		return nil
	}
	var b strings.Builder
	text := string(head)
	before, after, ok := strings.Cut(text, " \"schedule\": null")
	middle, end, ok2 := strings.Cut(after, " \"events\": null")
	if !ok || !ok2 {
		panic("BUG: report: replay file without its lists")
	}
	b.WriteString(before)
	if err := list(&b, "schedule", len(r.Schedule), func(i int) any { return r.Schedule[i] }); err != nil {
		return nil, err
	}
	b.WriteString(middle)
	if err := list(&b, "events", len(r.Events), func(i int) any { return r.Events[i] }); err != nil {
		return nil, err
	}
	b.WriteString(end + "\n")
	return []byte(b.String()), nil
}

// maxReplaySteps is the largest number of steps of a schedule that is read.
const maxReplaySteps = 20_000_000

// maxReplay is the size of the largest file that is read: some two million steps.
const maxReplay = 256 << 20

// ReadReplay reads a replay file.
func ReadReplay(name string) (*Replay, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a replay file: not a regular file", name)
	case info.Size() > maxReplay:
		return nil, fmt.Errorf("%s: not a replay file: more than %s", name, Memory(maxReplay))
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var r Replay
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: not a replay file: %v", name, err)
	}
	switch {
	case r.Version == 0:
		return nil, fmt.Errorf("%s: not a replay file: no version", name)
	case r.Version < 0:
		return nil, fmt.Errorf("%s: not a replay file: version %d", name, r.Version)
	case r.Version > ReplayVersion:
		return nil, fmt.Errorf("%s: replay file version %d, written by %s; this hbcheck reads up to version %d", name, r.Version, r.Tool, ReplayVersion)
	case r.Loop < 0 || r.Loop > r.steps():
		return nil, fmt.Errorf("%s: not a replay file: its loop begins at step %d of %d", name, r.Loop, r.steps())
	}
	if err := r.checkPatterns(); err != nil {
		return nil, fmt.Errorf("%s: %v", name, err)
	}
	return &r, nil
}

// steps returns how many steps the schedule has.
func (r *Replay) steps() (n int) {
	for _, e := range r.Events {
		n += max(1, e.Steps)
	}
	return n
}

// checkPatterns refuses patterns that stand for many packages: the file may come from elsewhere.
func (r *Replay) checkPatterns() error {
	for _, p := range r.Patterns {
		if strings.Contains(p, "...") || slices.Contains([]string{"all", "cmd", "std", "tool", "work"}, p) {
			return fmt.Errorf("pattern %q may match several packages, and a schedule belongs to one", p)
		}
	}
	return nil
}
