package analyze

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static/pointer"
)

// A Graph is a part of the call graph: the calls made by the selected functions, and the calls of these
// functions.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// A Node is a function.
type Node struct {
	Func *ssa.Function
	Root bool // no code of the program calls it: an entry, or a function that the machine calls
}

// An Edge is a call. Caller and Callee are indices of Nodes.
type Edge struct {
	Caller, Callee int
	Site           ssa.CallInstruction
	Kind           string // call, go, defer; invoke or dynamic if the callee is decided at run time
}

// CallGraph returns the call graph, without contexts, sorted by position.
func (p *Program) CallGraph() *Graph {
	r := p.Pointer()
	roots := make(map[*ssa.Function]bool)
	var calls []pointer.Call
	type edge struct {
		site ssa.CallInstruction
		fn   *ssa.Function
	}
	seen := make(map[edge]bool)
	var fns []*ssa.Function
	known := make(map[*ssa.Function]bool)
	add := func(fn *ssa.Function) {
		if !known[fn] {
			known[fn] = true
			fns = append(fns, fn)
		}
	}
	shown := func(fn *ssa.Function) bool { return p.shown(p.Prog.PackageOf(fn)) }
	for c := range r.Calls() {
		k := edge{c.Site, c.Callee.Fn}
		switch {
		case c.Site == nil:
			roots[c.Callee.Fn] = true
			if shown(c.Callee.Fn) {
				add(c.Callee.Fn)
			}
		case !seen[k] && (shown(c.Caller.Fn) || shown(c.Callee.Fn)):
			seen[k] = true
			calls = append(calls, c)
			add(c.Caller.Fn)
			add(c.Callee.Fn)
		}
	}
	p.sort(fns)
	g := new(Graph)
	index := make(map[*ssa.Function]int)
	for i, fn := range fns {
		index[fn] = i
		g.Nodes = append(g.Nodes, Node{fn, roots[fn]})
	}
	for _, c := range calls {
		g.Edges = append(g.Edges, Edge{index[c.Caller.Fn], index[c.Callee.Fn], c.Site, callKind(c.Site)})
	}
	slices.SortStableFunc(g.Edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.Caller, b.Caller), cmp.Compare(a.Site.Pos(), b.Site.Pos()), cmp.Compare(a.Callee, b.Callee))
	})
	return g
}

func callKind(site ssa.CallInstruction) string {
	switch site.(type) {
	case *ssa.Go:
		return "go"
	case *ssa.Defer:
		return "defer"
	}
	switch {
	case site.Common().IsInvoke():
		return "invoke"
	case site.Common().StaticCallee() == nil:
		return "dynamic"
	}
	return "call"
}

// WriteDOT writes the graph in the language of Graphviz.
func (g *Graph) WriteDOT(w io.Writer, p *Program) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "digraph callgraph {")
	fmt.Fprintln(b, "\tnode [shape=box, fontname=\"monospace\"];")
	for i, n := range g.Nodes {
		style := ""
		if n.Root {
			style = ", style=bold"
		}
		if !p.shown(p.Prog.PackageOf(n.Func)) {
			style += ", color=gray"
		}
		fmt.Fprintf(b, "\tn%d [label=%s%s];\n", i, quote(p.Name(n.Func)), style)
	}
	drawn := make(map[string]bool)
	for _, e := range g.Edges {
		style := ""
		switch e.Kind {
		case "go":
			style = " [label=go, style=bold]"
		case "defer":
			style = " [label=defer]"
		case "invoke", "dynamic":
			style = " [style=dashed]"
		}
		if line := fmt.Sprintf("\tn%d -> n%d%s;\n", e.Caller, e.Callee, style); !drawn[line] {
			drawn[line] = true // a function may call another one twice
			b.WriteString(line)
		}
	}
	fmt.Fprintln(b, "}")
	return b.Flush()
}

// quote writes a string of DOT.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// WriteJSON writes the graph as one object: see the package comment.
func (g *Graph) WriteJSON(w io.Writer, p *Program, at Positions) error {
	type node struct {
		ID      int    `json:"id"`
		Func    string `json:"func"`
		Pos     string `json:"pos"`
		Package string `json:"package"`
		Root    bool   `json:"root"`
	}
	type edge struct {
		Caller int    `json:"caller"`
		Callee int    `json:"callee"`
		Pos    string `json:"pos"`
		Kind   string `json:"kind"`
	}
	b := bufio.NewWriter(w)
	line := func(prefix string, x any, more bool) error {
		data, err := json.Marshal(x)
		if err != nil {
			return err
		}
		b.WriteString(prefix)
		b.Write(data)
		if more {
			b.WriteByte(',')
		}
		return b.WriteByte('\n')
	}
	fmt.Fprintf(b, "{\"schema\":%s,\"nodes\":[\n", strconv.Quote("hbcheck.callgraph/1"))
	for i, n := range g.Nodes {
		x := node{ID: i, Func: n.Func.String(), Pos: at.Pos(p.position(n.Func.Pos())), Root: n.Root}
		if pkg := p.Prog.PackageOf(n.Func); pkg != nil {
			x.Package = pkg.Path
		}
		if err := line("", x, i < len(g.Nodes)-1); err != nil {
			return err
		}
	}
	fmt.Fprintln(b, `],"edges":[`)
	for i, e := range g.Edges {
		if err := line("", edge{e.Caller, e.Callee, at.Pos(p.callPosition(e.Site)), e.Kind}, i < len(g.Edges)-1); err != nil {
			return err
		}
	}
	fmt.Fprintln(b, "]}")
	return b.Flush()
}
