package page

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/trace"
)

// data is the data that the scripts read. Columns of lines have an element for each line, those of states
// one for the state before each step and one for the last state. Texts, sites, files, lanes, objects and
// locks are indices into tables; -1 means no entry.
type data struct {
	Replay string `json:"replay"`
	Loop   int    `json:"loop"` // the step at which the loop of a livelock begins; 0: no loop

	Lanes   []string    `json:"lanes"`
	Kinds   [][2]string `json:"kinds"` // name and shape
	Sites   [][]int     `json:"sites"` // kind, what, function, file, line
	Texts   []string    `json:"texts"`
	Objects []string    `json:"objects"`
	Locks   []string    `json:"locks"`
	Files   []file      `json:"files"`
	Calls   [][]int     `json:"calls"` // the call that made it or -1, function, file, line

	Lines lines `json:"lines"`

	// The states are stored as changes. Enabled: from a state on a lane can move (1) or cannot (0).
	// Pending: from a state on the operation at a site is pending in a lane; the site is -1 if the
	// goroutine has ended.
	Ended   bool     `json:"ended"` // the program has ended in the last state
	Enabled [][3]int `json:"enabled"`
	Pending [][3]int `json:"pending"`
	// Edges are pairs of steps that synchronisation orders. Conflicts are lists of a step, the state
	// from which on its conflicts are known, and the steps before that it conflicts with.
	Edges     [][2]int `json:"edges"`
	Conflicts [][]int  `json:"conflicts"`
	Pairs     [][2]int `json:"pairs"` // the steps of the bug
}

// lines are the columns of lines.
type lines struct {
	Lane     []int `json:"lane"`
	Step     []int `json:"step"` // 0: the line is not a step
	Site     []int `json:"site"`
	State    []int `json:"state"` // before the step
	Object   []int `json:"object"`
	Kind     []int `json:"kind"` // as it is drawn
	What     []int `json:"what"`
	Before   []int `json:"before"`
	Effect   []int `json:"effect"`
	Note     []int `json:"note"`
	Left     []int `json:"left"` // why the step is not among those that matter
	Partner  []int `json:"partner"`
	Wrong    []int `json:"wrong"` // this one, Blocked and Shared are 0 or 1
	Blocked  []int `json:"blocked"`
	Fact     []int `json:"fact"` // text: why no operation can come before it, according to static facts
	Acquired []int `json:"acquired"`
	Released []int `json:"released"`
	Shared   []int `json:"shared"`
	Call     []int `json:"call"` // the call in which the step is made
}

// builder makes a data.
type builder struct {
	data
	s     *Schedule
	texts map[string]int
	kinds map[[2]string]int
	sites map[site]int
	lanes map[string]int

	objects, locks map[uint64]int
	names          map[string]int // how many objects have it
	files          sources
}

type site struct {
	kind     string
	what, fn string
	pos      token.Position
}

func newData(s *Schedule) *data {
	bug := s.Bug
	b := &builder{s: s, texts: make(map[string]int), kinds: make(map[[2]string]int), sites: make(map[site]int), lanes: make(map[string]int),
		objects: make(map[uint64]int), locks: make(map[uint64]int), names: make(map[string]int)}
	b.data = data{Replay: report.Printable(s.Replay), Loop: bug.Loop + 1,
		Lanes: []string{}, Kinds: [][2]string{}, Sites: [][]int{}, Texts: []string{}, Objects: []string{}, Locks: []string{},
		Enabled: [][3]int{}, Pending: [][3]int{}, Edges: [][2]int{}, Conflicts: [][]int{}, Pairs: [][2]int{}, Calls: [][]int{}}
	list, lanes := report.Lines(bug)
	if o := bug.Observation; o != nil {
		lanes = append(lanes, unmoved(o, lanes)...)
	}
	report.SortLanes(lanes)
	for _, name := range lanes {
		b.lane(name)
	}
	b.lines(list)
	b.calls()
	if o := bug.Observation; o != nil {
		b.states(o)
	}
	b.pairs(list)
	b.data.Files = b.files.embed(s.Paths)
	return &b.data
}

// lane returns the number of a lane.
func (b *builder) lane(name string) int {
	n, ok := b.lanes[name]
	if !ok {
		n = len(b.data.Lanes)
		b.lanes[name] = n
		b.data.Lanes = append(b.data.Lanes, report.Printable(name))
	}
	return n
}

// unmoved returns the goroutines that exist in the schedule and do not move.
func unmoved(o *describe.Observation, lanes []string) (list []string) {
	for i := range o.States {
		for _, e := range o.States[i].Arrived {
			if goroutine(e.Name) && !slices.Contains(lanes, e.Name) && !slices.Contains(list, e.Name) {
				list = append(list, e.Name)
			}
		}
	}
	return list
}

// goroutine reports whether name is that of a goroutine of the program, not of a timer.
func goroutine(name string) bool {
	return name == "main" || len(name) > 1 && name[0] == 'g' && name[1] >= '0' && name[1] <= '9'
}

// text returns the number of a text; -1 for the empty text.
func (b *builder) text(s string) int {
	if s == "" {
		return -1
	}
	n, ok := b.texts[s]
	if !ok {
		n = len(b.data.Texts)
		b.texts[s] = n
		b.data.Texts = append(b.data.Texts, report.Printable(s))
	}
	return n
}

// kind returns the number of a kind of line.
func (b *builder) kind(name string, k trace.Kind) int {
	key := [2]string{name, shape(name, k)}
	n, ok := b.kinds[key]
	if !ok {
		n = len(b.data.Kinds)
		b.kinds[key] = n
		b.data.Kinds = append(b.data.Kinds, key)
	}
	return n
}

// site returns the number of an operation's place.
func (b *builder) site(e *describe.Event) int {
	key := site{e.KindName(), e.What, e.Func, e.Pos}
	n, ok := b.sites[key]
	if !ok {
		n = len(b.data.Sites)
		b.sites[key] = n
		b.data.Sites = append(b.data.Sites, []int{b.kind(key.kind, e.Kind), b.text(e.What), b.text(describe.ShortFunc(e.Func)),
			b.files.use(e.Pos), e.Pos.Line})
	}
	return n
}

// location returns the object of an event. For an arrival it is an object that the arrival may
// touch, if there is one.
func location(e *describe.Event) uint64 {
	if n := len(e.Touches); e.Loc == 0 && n > 0 {
		return e.Touches[n-1]
	}
	return e.Loc
}

// object returns the number of the object of a line, and notes its name in the program at that
// line; -1 if there is no object, or it has no name.
func (b *builder) object(loc uint64, name string) int {
	n, ok := b.objects[loc]
	if ok || loc == 0 || name == "" {
		if !ok {
			return -1
		}
		return n
	}
	if b.names[name]++; b.names[name] > 1 {
		name = fmt.Sprintf("%s (%d)", name, b.names[name])
	}
	n = len(b.data.Objects)
	b.objects[loc] = n
	b.data.Objects = append(b.data.Objects, report.Printable(name))
	return n
}

// lock returns the number of a lock.
func (b *builder) lock(loc uint64, name string) int {
	if loc == 0 {
		return -1
	}
	n, ok := b.locks[loc]
	if !ok {
		if name == "" {
			name = "a lock"
		}
		if k := b.object(loc, name); k >= 0 { // the object may have another name already
			name = b.data.Objects[k]
		}
		n = len(b.data.Locks)
		b.locks[loc] = n
		b.data.Locks = append(b.data.Locks, name)
	}
	return n
}

func bit(x bool) int {
	if x {
		return 1
	}
	return 0
}

// lines fills in the columns of lines.
func (b *builder) lines(list []report.Line) {
	c := &b.data.Lines
	b.data.Lines = lines{}
	for _, col := range c.columns() {
		*col = make([]int, 0, len(list))
	}
	steps := 0
	for i := range list {
		l := &list[i]
		var s describe.State
		if l.Step > 0 {
			if o := b.s.Bug.Observation; o != nil && l.Step <= len(o.States) {
				s = o.States[l.Step-1]
			}
			steps = l.Step
		}
		at := l.Event
		if l.Kind == report.FailureKind || at.Kind == trace.Crash { // there is no stack any more
			at.Pos, at.Func = b.s.Bug.Pos, ""
		}
		site := b.site(&at)
		partner := -1
		if o := b.s.Bug.Observation; l.Paired && o != nil && goroutine(o.Names[l.Partner]) {
			partner = b.lane(o.Names[l.Partner])
		}
		state := steps
		if l.Step > 0 {
			state--
		}
		name, _, _ := strings.Cut(l.Event.What, "\n")
		for k, v := range []int{b.lane(l.Lane), l.Step, site, state, b.object(location(&l.Event), name), b.kind(l.Kind, l.Event.Kind),
			b.text(l.What), b.text(s.Before), b.text(l.Effect), b.text(l.Note), b.text(l.Left), partner, bit(l.Wrong), bit(l.Blocked), b.text(s.Fact),
			b.lock(s.Acquired, name), b.lock(s.Released, name), bit(s.Shared), l.Event.Call - 1} {
			col := c.columns()[k]
			*col = append(*col, v)
		}
	}
}

// calls fills in the calls that lines are made in.
func (b *builder) calls() {
	for i := range b.s.Bug.Calls {
		c := &b.s.Bug.Calls[i]
		file := -1 // a text: the page has the source of positions of steps only
		if c.Pos.IsValid() {
			file = b.text(b.s.Paths.File(c.Pos.Filename))
		}
		b.data.Calls = append(b.data.Calls, []int{c.Up, b.text(c.Func[strings.LastIndexByte(c.Func, '/')+1:]), file, c.Pos.Line})
	}
}

// columns returns the columns, in their order.
func (c *lines) columns() []*[]int {
	return []*[]int{&c.Lane, &c.Step, &c.Site, &c.State, &c.Object, &c.Kind, &c.What, &c.Before, &c.Effect, &c.Note, &c.Left, &c.Partner,
		&c.Wrong, &c.Blocked, &c.Fact, &c.Acquired, &c.Released, &c.Shared, &c.Call}
}

// states fills in the data of states.
func (b *builder) states(o *describe.Observation) {
	b.data.Ended = o.Ended
	can := make(map[int]bool)
	for i := range o.States {
		s := &o.States[i]
		next := make(map[int]bool)
		for _, g := range s.Enabled {
			if n, ok := b.lanes[o.Names[g]]; ok {
				next[n] = true
			}
		}
		for n := range b.data.Lanes {
			if next[n] != can[n] {
				b.data.Enabled = append(b.data.Enabled, [3]int{i, n, bit(next[n])})
			}
		}
		can = next
		for k := range s.Arrived {
			e := &s.Arrived[k]
			lane, ok := b.lanes[e.Name]
			if !ok {
				continue // a timer
			}
			at := -1
			if e.Kind != trace.None {
				at = b.site(e)
			}
			b.data.Pending = append(b.data.Pending, [3]int{i, lane, at})
		}
		for _, x := range s.After {
			b.data.Edges = append(b.data.Edges, [2]int{x + 1, i + 1})
		}
		if len(s.Conflicts) > 0 || s.ConflictsFrom > 0 {
			list := []int{i + 1, s.ConflictsFrom}
			for _, x := range s.Conflicts {
				list = append(list, x+1)
			}
			b.data.Conflicts = append(b.data.Conflicts, list)
		}
	}
}

// pairs fills in the steps of the bug: the accesses of a race, or a write that overwrites a value that
// another goroutine has written since the writer read the location.
func (b *builder) pairs(list []report.Line) {
	var wrong []int
	for _, l := range list {
		if l.Wrong && l.Step > 0 {
			wrong = append(wrong, l.Step)
		}
		if l.Overwrites > 0 {
			b.data.Pairs = append(b.data.Pairs, [2]int{l.Overwrites, l.Step})
		}
	}
	if b.s.Bug.Accesses != nil && len(wrong) == 2 {
		b.data.Pairs = append(b.data.Pairs, [2]int{wrong[0], wrong[1]})
	}
}
