package graph

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"hbcheck.dev/hbcheck/trace"
)

// WriteDOT writes the graph for Graphviz, as in the paper's Figure 1. Each operation is a node with its
// number, its type, and the enabled and the scheduled goroutines; the current path is bold. at, if it is
// not nil, returns the position of an operation. The graph has the nodes of all paths only if Config.Emit
// is set.
func (g *DPORGraph) WriteDOT(w io.Writer, at func(trace.Op) string) error {
	b := bufio.NewWriter(w)
	b.WriteString("digraph dpor {\n\tnode [shape=box];\n")
	// The current path is Last and its parents; other nodes of the graph belong to undone paths.
	path := make(map[*Node]bool)
	for n := g.Last; n != nil; n = n.Parent {
		path[n] = true
	}
	// Depth first, with children pushed last to first, so that numbers in the file are in the
	// order of the search.
	work := []*Node{g.Root}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		label := []string{fmt.Sprintf("%d %s", n.ID, n.Type)}
		if n.Op.Kind != trace.None {
			op := fmt.Sprintf("g%d: %s", n.Op.G, n.Op.Kind)
			if at != nil {
				op += " " + at(n.Op.Op)
			}
			label = append(label, op)
		}
		label = append(label, "runnables "+goroutines(n.Runnables()), "choices "+goroutines(n.Choices()))
		style := ""
		if path[n] {
			style = ", style=bold"
		}
		fmt.Fprintf(b, "\tn%d [label=%q%s];\n", n.ID, strings.Join(label, "\n"), style)
		for _, c := range n.Children {
			fmt.Fprintf(b, "\tn%d -> n%d;\n", n.ID, c.ID)
		}
		for i := len(n.Children) - 1; i >= 0; i-- {
			work = append(work, n.Children[i])
		}
	}
	b.WriteString("}\n")
	return b.Flush()
}

// goroutines lists goroutines, without NoGID, which is the root's choice.
func goroutines(gs []trace.GID) string {
	var names []string
	for _, g := range gs {
		if g != trace.NoGID {
			names = append(names, fmt.Sprint(g))
		}
	}
	return "{" + strings.Join(names, ", ") + "}"
}
