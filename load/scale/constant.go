package scale

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"hbcheck.dev/hbcheck/load"
)

// A Role is the role of a number.
type Role uint8

// The roles. A number with several has the first of them.
const (
	Goroutines Role = iota // the number bounds a loop that starts goroutines, or counts goroutines
	Rounds                 // the number bounds another loop
	Size                   // the number is the size of something that is made
	Other                  // unknown: perhaps a capacity, or a number that a test expects
)

// A Constant is a number that can be chosen: a literal, together with the equal literals that have
// the same role in the same declaration. (The same 100 may be the number of goroutines and of their
// rounds.)
type Constant struct {
	Name string // the declared name; "": it has none
	Role Role
	From int64
	Pos  token.Position // of the first place

	places []place
	decl   ast.Node
	shared bool // it is divided by a number that is not constant, such as that of processors

	divisor int64 // the largest constant by which it is divided: with a smaller number the quotient would be 0
}

// sharers is the divisor that is assumed for a shared number: the machine has four processors. With a smaller
// number the loops of loops := 10000 / runtime.GOMAXPROCS(0) would disappear.
const sharers = 4

// Places returns the positions of the literals.
func (c *Constant) Places() (list []token.Position) {
	for _, p := range c.places {
		list = append(list, p.pos)
	}
	return list
}

// place is one literal.
type place struct {
	pos   token.Position
	text  string
	float bool // its type is that of a floating-point number
}

// least is the least number that is worth making smaller.
const least = 4

// groupKey is the key of literals that belong together: those of a function, or of a variable or constant
// outside of functions, with one value and one role.
type groupKey struct {
	decl ast.Node // *ast.FuncDecl or *ast.ValueSpec
	n    int64
	role Role
}

// use has the data about a literal.
type use struct {
	role   Role
	name   string
	shared bool
}

// valueOf returns the value of a literal if it is a whole number.
func valueOf(lit *ast.BasicLit) (int64, bool) {
	if lit.Kind != token.INT && lit.Kind != token.FLOAT {
		return 0, false
	}
	return load.Number(lit.Value)
}

// mayCount reports whether a literal of type t may be a count. A time is not.
func mayCount(t types.Type) bool {
	if t == nil {
		return false
	}
	//mutant: times are made shorter [test ./load/scale TestFind]: "n.Obj().Pkg().Path() == \"time\"" -> "false"
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time" {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

// number returns the value of a literal that may be made smaller.
func (f *finder) number(lit *ast.BasicLit) (int64, bool) {
	n, ok := valueOf(lit)
	return n, ok && n >= least && mayCount(f.pkg.Info.TypeOf(lit))
}

// declOf returns the outermost declaration of a place, one of those in f.decls.
func (f *finder) declOf(pos token.Pos) ast.Node {
	i, found := slices.BinarySearchFunc(f.decls, pos, func(d ast.Node, pos token.Pos) int {
		switch {
		case d.End() <= pos:
			return -1
		case pos < d.Pos():
			return 1
		}
		return 0
	})
	if !found {
		return nil
	}
	return f.decls[i]
}

// constants returns the constants of the declarations that are reached, in the order of the source.
func (f *finder) constants() (list []*Constant) {
	all := make(map[groupKey]*Constant)
	for _, d := range f.decls {
		if !f.reached[d] {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok {
				return true
			}
			v, ok := f.number(lit)
			if !ok {
				return true
			}
			x := use{role: Other}
			if known := f.uses[lit]; known != nil {
				x = *known
			}
			key := groupKey{d, v, x.role}
			c, pos := all[key], f.prog.Fset.PositionFor(lit.Pos(), false)
			if c == nil {
				c = &Constant{Role: x.role, From: v, Pos: pos, decl: d}
				all[key] = c
				list = append(list, c)
			}
			c.Name, c.shared = cmp.Or(c.Name, x.name), c.shared || x.shared
			c.divisor = max(c.divisor, f.divided[lit])
			b, _ := f.pkg.Info.TypeOf(lit).Underlying().(*types.Basic)
			c.places = append(c.places, place{pos, lit.Value, b != nil && b.Info()&types.IsFloat != 0})
			return true
		})
	}
	slices.SortStableFunc(list, func(a, b *Constant) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Offset, b.Pos.Offset))
	})
	return list
}

// edit returns the edit that replaces the literal by n.
func (p place) edit(n int64) load.Edit {
	to := strconv.FormatInt(n, 10)
	if p.float {
		to += ".0"
	}
	return load.Edit{Pos: p.pos, From: p.text, To: to}
}
