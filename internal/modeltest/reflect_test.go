package modeltest

// Programs in which package reflect, or a function that is given slices, accesses what another goroutine
// does, and mutants of what static facts say of such calls (static/reflected.go, static/pointer/held.go).

func init() {
	programs = append(programs, reflectPrograms...)
	mutants = append(mutants, reflectMutants...)
}

var reflectPrograms = []program{
	{"reflectPrint", "race", `
		x := &struct{ N int }{1}
		together(func() { fmt.Sprint(x) }, func() { x.N = 2 })`},
	{"reflectHidden", "race", `
		type in struct{ n int }
		x := struct{ p *in }{&in{1}}
		together(func() { reflect.DeepEqual(x, struct{ p *in }{&in{1}}) }, func() { x.p.n = 2 })`},
	{"reflectSet", "race", `
		var x int
		v := reflect.ValueOf(&x).Elem()
		together(func() { v.SetInt(3) }, func() { x++ })`},
	{"reflectOther", "1 0|1 3", `
		var x, y int
		v := reflect.ValueOf(&x).Elem()
		var mu sync.Mutex
		seen := 0
		together(func() { v.SetInt(3); mu.Lock(); y = x; mu.Unlock() }, func() { mu.Lock(); seen = y; mu.Unlock() })
		print(1, " ", seen)`},
	{"reflectField", "race", `
		x := struct{ A, B int }{}
		together(func() { reflect.ValueOf(&x).Elem().Field(1).SetInt(3) }, func() { x.B++ })`},
	{"reflectMap", "race", `
		m := map[string]int{"a": 1}
		together(func() { reflect.ValueOf(m).MapIndex(reflect.ValueOf("a")).Int() }, func() { m["b"] = 2 })`},
	{"reflectMapSet", "race", `
		m := map[string]int{"a": 1}
		together(func() { reflect.ValueOf(m).SetMapIndex(reflect.ValueOf("a"), reflect.ValueOf(3)) }, func() { _ = m["b"] })`},
	{"reflectIter", "race", `
		it := reflect.ValueOf(map[int]int{1: 2, 3: 4}).MapRange()
		together(func() { it.Next() }, func() { it.Next() })`},
	{"reflectSlice", "race", `
		s := []int{1, 2, 3}
		together(func() { reflect.Copy(reflect.ValueOf(s), reflect.ValueOf([]int{4})) }, func() { s[0]++ })`},
	{"reflectAppend", "race", `
		s := make([]int, 1, 3)
		t := s[:2]
		together(func() { reflect.Append(reflect.ValueOf(s), reflect.ValueOf(4)) }, func() { t[1]++ })`},
	{"reflectStruct", "race", `
		type S struct { N int; P *int }
		x, y := new(S), S{N: 3}
		v := reflect.ValueOf(y)
		together(func() { reflect.ValueOf(x).Elem().Set(v) }, func() { x.P = nil })`},
	{"reflectLen", "race", `
		s := []int{1, 2, 3}
		together(func() { reflect.ValueOf(&s).Elem().SetLen(1) }, func() { _ = len(s) })`},
	{"reflectHanded", "race", `
		x := 1
		v := reflect.ValueOf(&x)
		var c = make(chan any, 1)
		c <- v
		together(func() { v := (<-c).(reflect.Value); fmt.Sprint(v.Elem()) }, func() { x = 2 })`},
	{"reflectLock", "race", `
		type S struct { mu sync.Mutex; n int }
		x := new(S)
		together(func() { reflect.ValueOf(x).Elem().SetZero() }, func() { x.mu.Lock(); x.n++; x.mu.Unlock() })`},
	{"bytesRead", "race", `
		b := []byte("abc")
		together(func() { bytes.IndexByte(b, 'c') }, func() { b[1] = 'x' })`},
	{"bytesCompared", "race", `
		a, b := []byte("abc"), []byte("abd")
		together(func() { bytes.Equal(a, b) }, func() { b[1] = 'x' })`},
	{"wordsWritten", "race", `
		x := []big.Word{1, 2}
		n := new(big.Int).SetBits(x)
		together(func() { n.Mul(n, big.NewInt(3)); n.Add(n, n) }, func() { x[0]++ })`},
}

var reflectMutants = []mutant{
	{"reflection reads nothing", "static/reflected.go", "if len(read) > 0 {", "if false {", "reflectPrint"},
	{"reflection writes nothing", "static/reflected.go", "if len(written) > 0 {", "if false {", "reflectSet"},
	{"reflection reads no hidden fields", "static/pointer/held.go", "\t\taddresses(o.base, n)\n", "\t\t_ = n\n", "reflectHidden"},
	{"what is held is what is made", "static/pointer/held.go", "\t\taddresses(p.reg, len(p.lay.ptrs))\n", "", "reflectSet"},
	{"nothing is made", "static/pointer/held.go", "\t\tadd(p.obj)\n", "", "reflectIter"},
	{"iterators are not written", "static/reflected.go", "!has(o.Type, isMapIter)", "true", "reflectIter"},
	{"natives know their first slice", "static/natives.go", "for _, v := range site.Common().Args {", "for _, v := range site.Common().Args[:1] {", "bytesCompared"},
	{"natives write no words", "static/natives.go", "types.Typ[types.Uint], true, fn", "types.Typ[types.Uint], false, fn", "wordsWritten"},
}
