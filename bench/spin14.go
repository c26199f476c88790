package bench

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

// A Spin14Program is a program of the suite spin14: those of tables 1 and 2 of Parízek
// and Jančík, "Approximating Happens-Before Order: Interplay between Static
// Analysis and State Space Traversal" (SPIN 2014), and its figure 1.
type Spin14Program struct {
	Program string // directory
	Title   string // in the paper
	// Small are the arguments for a search of seconds, Paper those of the paper, as far as it has
	// them. They are separated by spaces.
	Small, Paper string
	// Table2 has the paper's numbers, by column; nil for its figure 1.
	Table2 map[oracle.Kind]Table2Entry
}

// Table2Entry is one entry of the paper's table 2.
type Table2Entry struct {
	Choices       uint64
	Static, Total time.Duration
}

// Spin14Kinds are the columns of the table, from left to right: each uses more
// static facts than the one before.
func Spin14Kinds() []oracle.Kind {
	return []oracle.Kind{oracle.None, oracle.FieldAccess, oracle.MHB, oracle.Full}
}

// Spin14Programs returns the programs of the suite spin14.
func Spin14Programs() []Spin14Program {
	table2 := func(none, total uint64, fa, faStatic, faTotal uint64, mhb, mhbStatic, mhbTotal uint64) map[oracle.Kind]Table2Entry {
		s := func(n uint64) time.Duration { return time.Duration(n) * time.Second }
		return map[oracle.Kind]Table2Entry{
			oracle.None:        {none, 0, s(total)},
			oracle.FieldAccess: {fa, s(faStatic), s(faTotal)},
			oracle.MHB:         {mhb, s(mhbStatic), s(mhbTotal)},
		}
	}
	return []Spin14Program{
		{"fig1", "Figure 1", "", "", nil},
		{"credemo", "CRE Demo", "4", "8", table2(47_114, 70, 3_736, 4, 13, 3_736, 9, 20)},
		{"daisy", "Daisy", "small", "full", table2(28_120_251, 18_305, 5_438_591, 3, 5_192, 4_907_351, 25, 4_965)},
		{"elevator", "Elevator", "1 4 2 1 1 3 3 4 2", "4 4 2 1 1 3 3 4 2", table2(10_116_121, 6_929, 2_707_528, 3, 2_190, 2_707_528, 52, 2_601)},
		{"cache4j", "Cache4j", "2 2 1", "2 4 1", table2(9_443_577, 5_003, 9_417_206, 3, 6_041, 1_099_347, 36, 1_067)},
		{"alarmclock", "Alarm Clock", "2 3 2", "2 5 2", table2(413_996, 298, 145_594, 2, 108, 114_472, 10, 101)},
		{"linkedlist", "Linked List", "2 4", "2 6", table2(2_893, 2, 213, 2, 3, 213, 5, 6)},
		{"prodcons", "Producer-Consumer", "2 2", "5 4", table2(6_095, 3, 1_499, 2, 3, 368, 6, 7)},
		{"rax", "RAX Extended", "safe 1 2 0", "safe 3 2 0", table2(19_847, 12, 5_974, 2, 6, 3_810, 5, 10)},
		{"repworkers", "Replicated Workers", "2 2 200", "2 2 50", table2(8_311_425, 5_100, 1_202_710, 3, 777, 503_039, 17, 522)},
	}
}

// Args returns the arguments for a size, "small" or "paper".
func (s *Spin14Program) Args(size string) string {
	if size == "paper" {
		return s.Paper
	}
	return s.Small
}

// Spin14Row is the exploration of a program with one kind of static facts.
type Spin14Row struct {
	*Spin14Program
	Size   string
	Result *explore.Result
	CPU    time.Duration // of the search and the static analysis
	// Left is the row of the column to the left; nil for the first one.
	Left *Spin14Row
}

// Published returns the paper's number for the column, if it has one.
func (r *Spin14Row) Published() (Table2Entry, bool) {
	m, ok := r.Table2[r.Result.Hybrid]
	return m, ok
}

// Reduction returns how many times fewer choices there are than in the column to
// the left, here and in the paper; 0 if that is not known.
func (r *Spin14Row) Reduction() (ours, paper float64) {
	if r.Left == nil {
		return 0, 0
	}
	ours = quotient(r.Left.Result.Stats.Choices, r.Result.Stats.Choices)
	if p, ok := r.Published(); ok {
		left, _ := r.Left.Published()
		paper = quotient(left.Choices, p.Choices)
	}
	return ours, paper
}

// Overall returns how many times fewer choices there are than in the first column: here, and in the
// paper for the paper's last column.
func (r *Spin14Row) Overall() (ours, paper float64) {
	first, published := r, Table2Entry{}
	for ; first.Left != nil; first = first.Left {
		if p, ok := first.Published(); ok && published.Choices == 0 {
			published = p
		}
	}
	ours = quotient(first.Result.Stats.Choices, r.Result.Stats.Choices)
	if p, ok := first.Published(); ok {
		paper = quotient(p.Choices, published.Choices)
	}
	return ours, paper
}

func quotient(a, b uint64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// Reason counts the choices eliminated for one reason.
type Reason struct {
	Name  string
	Count uint64
}

// Eliminated returns the choices eliminated, by reason, in the order of their names.
func (r *Spin14Row) Eliminated() []Reason {
	var list []Reason
	for name, n := range r.Result.Stats.Eliminated {
		list = append(list, Reason{name, n})
	}
	slices.SortFunc(list, func(a, b Reason) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Spin14Options say how ExploreSpin14 measures.
type Spin14Options struct {
	Size      string // small or paper
	Kinds     []oracle.Kind
	POR       *por.Explorer
	Timeout   time.Duration // of each column; 0: none
	MaxMemory int64
}

// ExploreSpin14 explores s with each kind of static facts, on one machine so that final
// states can be compared, and returns the rows in the order of o.Kinds.
//
// A machine keeps the memory it once had. So it explores from right to left: the search that needs most comes
// last.
func (w *Workspace) ExploreSpin14(ctx context.Context, s *Spin14Program, o Spin14Options) ([]*Spin14Row, error) {
	prog, entry, err := w.load("spin14/" + s.Program)
	if err != nil {
		return nil, err
	}
	stopped := func() bool { return ctx.Err() != nil }
	e, err := onOneMachine(prog, entry, s.Program, s.Args(o.Size), vm.Config{}, stopped)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Program, err)
	}
	opts := explore.Options{POR: o.POR, Match: true, All: true, NoMinimise: true, Finals: true, MaxMemory: o.MaxMemory}

	// Compile the code that most executions need, so that no column includes that time.
	warm := opts
	warm.MaxExecs = 1
	if _, err := explore.Run(ctx, e, warm); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Program, err)
	}
	rows := make([]*Spin14Row, len(o.Kinds))
	for i, h := range slices.Backward(o.Kinds) {
		useFacts(&opts, h)
		var cancel context.CancelFunc = func() {}
		limited := ctx
		if o.Timeout > 0 {
			limited, cancel = context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("stopped after %v (--timeout)", o.Timeout))
		}
		runtime.GC() // so that no garbage collection is under way when the measurement begins
		r, c, err := measure(limited, e, opts)
		cancel()
		if err != nil {
			return nil, fmt.Errorf("%s, --hybrid %s: %w", s.Program, h, err)
		}
		nameFacts(r, h)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		rows[i] = &Spin14Row{Spin14Program: s, Size: o.Size, Result: r, CPU: c}
	}
	for i := range rows[1:] {
		rows[i+1].Left = rows[i]
	}
	return rows, nil
}

// Check compares a row with the first of its program and with the one to its
// left. It returns differences that static facts must not cause: in the verdict, the bugs, the final
// states; and more choices than to the left. Searches that were stopped early are not compared.
func (r *Spin14Row) Check() []string {
	first := r
	for first.Left != nil {
		first = first.Left
	}
	var list []string
	complain := func(format string, args ...any) {
		list = append(list, fmt.Sprintf("%s, --hybrid %s: ", r.Program, r.Result.Hybrid)+fmt.Sprintf(format, args...))
	}
	if len(r.Result.Incomplete) > 0 {
		complain("%s", strings.Join(report.Incomplete(r.Result), "; "))
		return list
	}
	if first == r || len(first.Result.Incomplete) > 0 {
		return list
	}
	if a, b := first.Result.Verdict, r.Result.Verdict; a != b {
		complain("verdict %s, but %s with %s", b, a, first.Result.Hybrid)
	}
	if a, b := bugs(first.Result), bugs(r.Result); !slices.Equal(a, b) {
		complain("finds %q, but %q with %s", b, a, first.Result.Hybrid)
	}
	if a, b := first.Result.Finals, r.Result.Finals; !slices.Equal(a, b) {
		complain("%d final states, but %d with %s, or others", len(b), len(a), first.Result.Hybrid)
	}
	if a, b := r.Left.Result.Stats.Choices, r.Result.Stats.Choices; b > a && len(r.Left.Result.Incomplete) == 0 {
		complain("%d choices, but only %d with %s", b, a, r.Left.Result.Hybrid)
	}
	return list
}

// bugs lists the distinct bugs of a result in some fixed order. Either side of a
// race can come first.
func bugs(r *explore.Result) []string {
	list := []string{string(r.Verdict)}
	for _, b := range r.Bugs {
		text := fmt.Sprintf("%v %v %s", b.Kind, b.Pos, report.Message(b))
		if b.Kind == bug.Race && b.Accesses != nil {
			sides := []string{b.Accesses[0].Pos.String(), b.Accesses[1].Pos.String()}
			slices.Sort(sides)
			text = fmt.Sprintf("race %s %s", sides[0], sides[1])
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
