package load

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// nonblocking is a channel operation that does not wait: a case of a select
// with a default clause.
type nonblocking struct {
	elem types.Type // nil if it depends on a type parameter
	send bool
}

// nonblockingOf returns the channel operations of a type-checked package that do not wait.
func nonblockingOf(p *Package) (ops []nonblocking) {
	for i, tree := range p.Files {
		// Most files have no select: searching the text is ten times cheaper
		// than walking the tree.
		if bytes.Contains(p.files[i].src, []byte("select")) {
			ops = selects(ops, tree, p.Info)
		}
	}
	if p.library() {
		return ops
	}
	for _, obj := range p.Info.Uses {
		if fn, ok := obj.(*types.Func); ok {
			switch fn.FullName() {
			case "reflect.Select", "(reflect.Value).TrySend", "(reflect.Value).TryRecv":
				return append(ops, nonblocking{nil, true}, nonblocking{nil, false})
			}
		}
	}
	return ops
}

// selects adds the cases of the selects of tree with a default clause to list.
func selects(list []nonblocking, tree *ast.File, info *types.Info) []nonblocking {
	ast.Inspect(tree, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectStmt)
		if !ok {
			return true
		}
		var ops []nonblocking
		hasDefault := false
		for _, clause := range sel.Body.List {
			switch comm := clause.(*ast.CommClause).Comm.(type) {
			case nil:
				hasDefault = true
			case *ast.SendStmt:
				ops = append(ops, nonblocking{chanElem(info.TypeOf(comm.Chan)), true})
			case *ast.ExprStmt:
				ops = append(ops, nonblocking{received(comm.X, info), false})
			case *ast.AssignStmt:
				ops = append(ops, nonblocking{received(comm.Rhs[0], info), false})
			}
		}
		if hasDefault {
			list = append(list, ops...)
		}
		return true
	})
	return list
}

// received returns the element type of the channel that e receives from.
func received(e ast.Expr, info *types.Info) types.Type {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return chanElem(info.TypeOf(u.X))
	}
	return nil
}

// chanElem returns the element type of the channel type t, nil if that depends
// on a type parameter.
func chanElem(t types.Type) types.Type {
	ch, ok := t.Underlying().(*types.Chan)
	if !ok || mentionsTypeParam(ch.Elem()) {
		return nil
	}
	return ch.Elem()
}

// mentionsTypeParam reports whether a type parameter occurs in t outside of the definition of a named type.
func mentionsTypeParam(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Pointer:
		return mentionsTypeParam(t.Elem())
	case *types.Slice:
		return mentionsTypeParam(t.Elem())
	case *types.Array:
		return mentionsTypeParam(t.Elem())
	case *types.Chan:
		return mentionsTypeParam(t.Elem())
	case *types.Map:
		return mentionsTypeParam(t.Key()) || mentionsTypeParam(t.Elem())
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if mentionsTypeParam(arg) {
				return true
			}
		}
		// A type declared in a generic function depends on its parameters
		// without naming them.
		obj := t.Obj()
		return obj.Pkg() != nil && obj.Parent() != obj.Pkg().Scope()
	case *types.Basic:
		return false
	case *types.Struct:
		for f := range t.Fields() {
			if mentionsTypeParam(f.Type()) {
				return true
			}
		}
		return false
	case *types.Interface:
		return !t.Empty() // too rare for a decision
	}
	return true // signatures are too rare, too
}

// A Nonblocking has the channels on which a goroutine may try an operation without waiting. A goroutine
// that arrives at an operation of a channel and one that is parked there differ only for a goroutine that
// tries the opposite operation.
type Nonblocking struct {
	send, recv elemSet
}

// elemSet is a set of channel element types.
type elemSet struct {
	all bool
	set typeutil.Map
}

func (s *elemSet) add(elem types.Type) {
	if elem == nil {
		s.all = true
		return
	}
	s.set.Set(elem, true)
}

func (s *elemSet) has(elem types.Type) bool { return s.all || s.set.At(elem) != nil }

// Send reports whether a channel with that element type may be sent to without
// waiting: that shows whether a receiver is parked on it.
func (n *Nonblocking) Send(elem types.Type) bool { return n.send.has(elem) }

// Recv reports whether a channel with that element type may be received from
// without waiting: that shows whether a sender is parked on it.
func (n *Nonblocking) Recv(elem types.Type) bool { return n.recv.has(elem) }

// Nonblocking collects the non-blocking channel operations in the packages
// linked for e: selects with a default clause, and reflection's. The answer depends only on e, not on other
// loaded packages.
func (prog *Program) Nonblocking(e *Entry) *Nonblocking {
	n := new(Nonblocking)
	for _, p := range closure(append(prog.implicit[:len(prog.implicit):len(prog.implicit)], e.roots...)) {
		for _, op := range p.nonblocking {
			if op.send {
				n.send.add(op.elem)
			} else {
				n.recv.add(op.elem)
			}
		}
	}
	return n
}
