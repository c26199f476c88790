package analyze

import (
	"bufio"
	"fmt"
	"go/token"
	"io"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// Positions shows positions to people: package report has one.
type Positions interface {
	File(name string) string
	Pos(pos token.Position) string
}

// itemsInText bounds the items in a line of text, unless all are wanted.
const itemsInText = 8

// WriteText writes facts as lines "file:line:col: analysis: message". Notes follow,
// indented. Details are left out unless all is set.
func WriteText(w io.Writer, at Positions, facts []Fact, all bool) error {
	b := bufio.NewWriter(w)
	n := itemsInText
	if all {
		n = 0
	}
	for i := range facts {
		f := &facts[i]
		if f.Detail && !all {
			continue
		}
		fmt.Fprintf(b, "%s: %s: %s\n", at.Pos(f.Pos), f.Analysis, f.Message(n))
		if f.Analysis == "calls" && !all {
			continue
		}
		for _, x := range f.Notes {
			fmt.Fprintf(b, "\t%s: %s\n", at.Pos(x.Pos), x.Text)
		}
	}
	return b.Flush()
}

// WriteStats writes the time and memory of the analyses.
func WriteStats(w io.Writer, s Stats) error {
	var b strings.Builder
	fmt.Fprintf(&b, "load      %7.2fs  %d packages, %d named\n", s.Load, s.Packages, s.Named)
	fmt.Fprintf(&b, "points-to %7.2fs  %d functions in %d contexts, %d calls, %d objects, %d variables, %d constraints, %d facts\n",
		s.Pointer, s.Functions, s.Activations, s.Calls, s.Objects, s.Variables, s.Constraints, s.PointsTo)
	fmt.Fprintf(&b, "facts     %7.2fs  %d facts about %d functions\n", s.Facts, s.FactCount, s.Shown)
	fmt.Fprintf(&b, "memory    %d MiB\n", s.Memory>>20)
	_, err := io.WriteString(w, b.String())
	return err
}

// List writes the names and subjects of the analyses.
func List(w io.Writer) error {
	list := []Analysis{&calls{}}
	for _, a := range static.Analyses(static.NewBase(noProgram{})) {
		list = append(list, &future{name: a.Name(), doc: a.Doc()})
	}
	for _, a := range list {
		if _, err := fmt.Fprintf(w, "%-12s %s\n", a.Name(), a.Doc()); err != nil {
			return err
		}
	}
	return nil
}

// noProgram is for analyses that will not be asked for facts.
type noProgram struct{ static.Program }

func (noProgram) Accesses() *static.Accesses     { return static.NewAccesses() }
func (noProgram) Binding(*ssa.FreeVar) ssa.Value { return nil }
