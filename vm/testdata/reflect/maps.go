package main

import (
	"fmt"
	"math"
	"reflect"
	"sort"
)

type K struct {
	a int
	b string
}
type Big [50]int

func main() {
	m := map[K]float64{{1, "a"}: 1.5, {2, "b"}: 2.5}
	v := reflect.ValueOf(m)
	fmt.Println(v.Len(), v.MapIndex(reflect.ValueOf(K{2, "b"})), v.MapIndex(reflect.ValueOf(K{3, "c"})).IsValid())
	keys := v.MapKeys()
	sort.Slice(keys, func(i, j int) bool { return keys[i].Field(0).Int() < keys[j].Field(0).Int() })
	fmt.Println(keys)
	v.SetMapIndex(reflect.ValueOf(K{5, "e"}), reflect.ValueOf(9.0))
	v.SetMapIndex(reflect.ValueOf(K{1, "a"}), reflect.Value{})
	fmt.Println(m)
	it := v.MapRange()
	sum := 0.0
	for it.Next() {
		sum += it.Value().Float()
		_ = it.Key()
	}
	fmt.Println(sum)
	ms := map[string]Big{"x": {1, 2, 3}}
	vs := reflect.ValueOf(ms)
	fmt.Println(vs.MapIndex(reflect.ValueOf("x")).Index(1))
	vs.SetMapIndex(reflect.ValueOf("y"), vs.MapIndex(reflect.ValueOf("x")))
	vs.SetMapIndex(reflect.ValueOf("x"), reflect.Value{})
	fmt.Println(len(ms), ms["y"][2])
	mi := map[any]string{1: "int", "s": "str", 2.5: "f", K{1, "k"}: "K", true: "b", math.NaN(): "nan"}
	fmt.Println(len(mi), map[any]int{3: 1, 1: 2, 2: 3})
	type named string
	mn := map[named]*int{"q": nil}
	vn := reflect.ValueOf(mn)
	n := 3
	vn.SetMapIndex(reflect.ValueOf(named("r")), reflect.ValueOf(&n))
	fmt.Println(*vn.MapIndex(reflect.ValueOf(named("r"))).Interface().(*int), vn.MapIndex(reflect.ValueOf(named("q"))).IsNil())
	mm := reflect.MakeMapWithSize(reflect.TypeFor[map[int]func() int](), 100)
	mm.SetMapIndex(reflect.ValueOf(1), reflect.ValueOf(func() int { return 7 }))
	fmt.Println(mm.Interface().(map[int]func() int)[1]())
	mm.Clear()
	fmt.Println(mm.Len())
	var nilm map[string]int
	vnil := reflect.ValueOf(nilm)
	fmt.Println(vnil.Len(), vnil.MapIndex(reflect.ValueOf("a")).IsValid(), len(vnil.MapKeys()), vnil.MapRange().Next())
	try := func(f func()) {
		defer func() { fmt.Println("panic:", recover()) }()
		f()
	}
	try(func() { vnil.SetMapIndex(reflect.ValueOf("a"), reflect.ValueOf(1)) })
	try(func() { reflect.ValueOf(mi).MapIndex(reflect.ValueOf([]int{1})) })
	try(func() { v.MapIndex(reflect.ValueOf(3)) })
	try(func() { reflect.ValueOf(3).MapKeys() })
	iter := reflect.ValueOf(map[string]int{"one": 1}).MapRange()
	try(func() { iter.Key() })
	iter.Next()
	var ks string
	var vi int
	reflect.ValueOf(&ks).Elem().SetIterKey(iter)
	reflect.ValueOf(&vi).Elem().SetIterValue(iter)
	fmt.Println(ks, vi, iter.Next())
	iter.Reset(reflect.ValueOf(map[string]int{"two": 2}))
	iter.Next()
	fmt.Println(iter.Key(), iter.Value())
	big := map[int]int{}
	for i := range 1000 {
		big[i] = i * i
	}
	bv, total := reflect.ValueOf(big), 0
	for k, e := range bv.Seq2() {
		total += int(k.Int() + e.Int())
	}
	fmt.Println(total)
}
