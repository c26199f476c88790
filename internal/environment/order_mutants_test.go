package environment

import "hbcheck.dev/hbcheck/internal/mutation"

// Conditions under which a loop over a map has no order that can be noticed (vm/compile/order*.go).
var orderMutants = []mutant{
	{mutation.Mutant{Name: "the map of a loop is another one in each iteration", File: "vm/compile/order_same.go", Old: "		return x.Op == token.MUL && addressOrMap(x.Type()) && l.invariant(x.X)\n", New: "		return x.Op == token.MUL && false\n"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "what is loaded from where another pointer leads is the same", File: "vm/compile/order_same.go", Old: "		return l.invariant(x.X)\n	}\n	return false\n}\n\n// constant: v comes", New: "		return true\n	}\n	return false\n}\n\n// constant: v comes"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "fields of one kind of object are the same", File: "vm/compile/order_same.go", Old: "types.Identical(x.X.Type(), y.X.Type()) && l.same(x.X, y.X)", New: "types.Identical(x.X.Type(), y.X.Type())"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "functions that are called write nothing", File: "vm/compile/order_pure.go", Old: "		return f == nil || l.owned(x.Addr, f)\n", New: "		return true\n"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "functions that are called end", File: "vm/compile/order_calls.go", Old: "	l.endless = l.endless || mayBeEndless(blocks, nil)\n", New: ""}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "functions that are called read nothing", File: "vm/compile/order_pure.go", Old: "			l.looksAt(x, x.X, f)\n			l.read(x, x.X, f)\n", New: "			l.looksAt(x, x.X, f)\n			if f == nil {\n				l.read(x, x.X, f)\n			}\n"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "functions that are called find nothing in maps", File: "vm/compile/order_pure.go", Old: "			l.panics = true\n		}\n		l.read(x, x.X, f)\n		return true\n	case *ssa.TypeAssert", New: "			l.panics = true\n		}\n		if f == nil {\n			l.read(x, x.X, f)\n		}\n		return true\n	case *ssa.TypeAssert"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "inner loops read nothing", File: "vm/compile/order_pure.go", Old: "		if x != l.next && !x.IsString { // of an inner loop, whose order is a choice of its own\n			l.read(x, x.Iter.(*ssa.Range).X, f)\n		}\n", New: ""}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "what a loop reads that ends early does not count", File: "vm/compile/order_exits.go", Old: " || l.varies {", New: " {"}, "TestOrderMatters"},
	{mutation.Mutant{Name: "what is read before an exit is read in each iteration", File: "vm/compile/order_reads.go", Old: "		sure = sure && at.Block().Dominates(e.from)\n", New: "		_ = e\n"}, "TestOrderMatters"},
	{mutation.Mutant{Name: "each iteration reads the same", File: "vm/compile/order_reads.go", Old: "!sure || !l.invariantIn(p, f)", New: "!sure"}, "TestOrderMatters"},
	{mutation.Mutant{Name: "functions that are called read all", File: "vm/compile/order_reads.go", Old: "f.sure && i.Block().Index == 0", New: "f.sure"}, "TestOrderMatters"},
	{mutation.Mutant{Name: "pointers are not nil", File: "vm/compile/order_nil.go", Old: "		if (len(l.effects) > 0 || len(l.early) > 0) && !l.first(d) {\n			return false\n		}\n", New: ""}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "pointers are nil in all iterations", File: "vm/compile/order_nil.go", Old: "d.p == nil || !d.sure || !l.invariant(d.p)", New: "d.p == nil || !d.sure"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "functions look at all their pointers", File: "vm/compile/order_nil.go", Old: "f.sure && i.Block().Index == 0, i.Pos()", New: "true, i.Pos()"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "effects come after pointers", File: "vm/compile/order_nil.go", Old: "		if !earlier(d.at, e) {\n			return false\n		}\n", New: "		_ = e\n"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "exits come after pointers", File: "vm/compile/order_nil.go", Old: "		if !d.at.Block().Dominates(e.from) {\n			return false\n		}\n", New: "		_ = e\n"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "places of panics are one", File: "vm/compile/order_nil.go", Old: "		left = append(left, d)\n", New: "		_ = left\n"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "returns return the same", File: "vm/compile/order_exits.go", Old: "		return ok && ok2 && slices.EqualFunc(x.Results, y.Results, sameValue)\n", New: "		return ok && ok2 && len(x.Results) == len(y.Results)\n"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "what is read under any key is the iteration's own", File: "vm/compile/order_writes.go", Old: "					!(l.entry(x.Index, 1) && l.entry(w.key, 1)) {\n", New: "					!l.entry(w.key, 1) {\n"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "what is written under any key is the iteration's own", File: "vm/compile/order_writes.go", Old: "case w.m != nil && l.entry(v.key, 1) && l.entry(w.key, 1):", New: "case w.m != nil && l.entry(v.key, 1):"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "any key has a hash", File: "vm/compile/order_writes.go", Old: "				if !plainKey(x.Key.Type()) && !l.entry(x.Key, 1) {\n					return nil\n				}\n", New: ""}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "equal keys are the same", File: "vm/compile/order_writes.go", Old: "		return u.Info()&(types.IsFloat|types.IsComplex) == 0\n", New: "		return true\n"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "any value is one value", File: "vm/compile/order_same.go", Old: "	return !l.in(i)\n}\n\n// addressOrMap", New: "	return !l.in(i) || i != nil\n}\n\n// addressOrMap"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "elements are of no variable", File: "vm/compile/order_writes.go", Old: "		return (cell(b) || g != nil) && scalar(elemOf(b))\n", New: "		return cell(b) || g != nil\n"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "any index is in range", File: "vm/compile/order_pure.go", Old: "		} else if !ranged(x) {\n", New: "		} else if false {\n"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "variables are made in the loop", File: "vm/compile/order_owned.go", Old: "	return a != nil && (f != nil || l.in(a))\n", New: "	return a != nil\n"}, "TestOrderMatters|TestLoops"},
	{mutation.Mutant{Name: "callbacks go on", File: "vm/compile/order_callback.go", Old: "		if !ok || c.Value == nil || !constant.BoolVal(c.Value) {\n			return true\n		}\n", New: "		_ = c != nil && c.Value != nil && constant.BoolVal(c.Value)\n"}, "TestPrograms/syncmapinitstop"},
	{mutation.Mutant{Name: "callbacks store under their keys", File: "vm/compile/order_callback.go", Old: " && l.entry(x.Call.Args[1], 1)\n", New: "\n"}, "TestPrograms/syncmapinitvalue"},
	{mutation.Mutant{Name: "callbacks store the same", File: "vm/compile/order_same.go", Old: "		return !parameter || l.params == nil\n", New: "		return true || !parameter\n"}, "TestPrograms/syncmapinitlast"},
	{mutation.Mutant{Name: "callbacks are alone", File: "vm/link_order.go", Old: "m.auto && m.alive == 1 && f", New: "m.alive == 1 && f"}, "TestPrograms/syncmapinitmain"},
	{mutation.Mutant{Name: "goroutines of init see nothing", File: "vm/link_order.go", Old: "m.auto && m.alive == 1 && f", New: "m.auto && f"}, "TestPrograms/syncmapinitgo"},
}
