package main

import (
	"fmt"
	"reflect"
)

type T struct{ a, B int }

func (T) m() {}

func main() {
	try := func(name string, f func()) {
		defer func() { fmt.Printf("%s: %v\n", name, recover()) }()
		f()
	}
	v := reflect.ValueOf
	t := T{}
	try("setunaddr", func() { v(1).SetInt(2) })
	try("setunexp", func() { v(&t).Elem().Field(0).SetInt(2) })
	try("kind", func() { v("x").Int() })
	try("kind2", func() { v(1).Len() })
	try("zero", func() { reflect.Value{}.Type() })
	try("zero2", func() { reflect.Value{}.Int() })
	try("iface", func() { v(t).Field(0).Interface() })
	try("field", func() { v(t).Field(5) })
	try("field2", func() { v(1).Field(0) })
	try("index", func() { v([]int{1}).Index(3) })
	try("call0", func() { v(func(int) {}).Call(nil) })
	try("call1", func() { v(func(int) {}).Call([]reflect.Value{v("x")}) })
	try("call2", func() { v(func() {}).Call([]reflect.Value{v("x")}) })
	try("call3", func() { v((func())(nil)).Call(nil) })
	try("call4", func() { v(3).Call(nil) })
	try("call5", func() { v(func(int) {}).Call([]reflect.Value{{}}) })
	try("call6", func() { v(func(...int) {}).Call([]reflect.Value{v("x")}) })
	try("callslice", func() { v(func(int) {}).CallSlice([]reflect.Value{v(1)}) })
	try("method", func() { v(t).Method(0) })
	try("set", func() { v(&t).Elem().Set(v(1)) })
	try("addr", func() { v(1).Addr() })
	try("elem", func() { v(1).Elem() })
	try("isnil", func() { v(1).IsNil() })
	try("telem", func() { reflect.TypeOf(1).Elem() })
	try("tkey", func() { reflect.TypeOf(1).Key() })
	try("mapof", func() { reflect.MapOf(reflect.TypeFor[[]int](), reflect.TypeFor[int]()) })
	try("arrayof", func() { reflect.ArrayOf(-1, reflect.TypeFor[int]()) })
	try("structof", func() { reflect.StructOf([]reflect.StructField{{Name: "a", Type: reflect.TypeFor[int]()}}) })
	try("structof2", func() { reflect.StructOf([]reflect.StructField{{Name: "A b", Type: reflect.TypeFor[int]()}}) })
	try("structof3", func() {
		reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int]()}, {Name: "A", Type: reflect.TypeFor[int]()}})
	})
	try("funcof", func() { reflect.FuncOf([]reflect.Type{reflect.TypeFor[int]()}, nil, true) })
	try("makeslice", func() { reflect.MakeSlice(reflect.TypeFor[[]int](), 3, 2) })
	try("makeslice2", func() { reflect.MakeSlice(reflect.TypeFor[int](), 3, 2) })
	try("slice", func() { v([]int{1}).Slice(0, 5) })
	try("makefunc", func() { reflect.MakeFunc(reflect.TypeFor[int](), nil) })
	try("makefunc2", func() {
		reflect.MakeFunc(reflect.TypeFor[func() int](), func([]reflect.Value) []reflect.Value { return nil }).Call(nil)
	})
	try("makefunc3", func() {
		reflect.MakeFunc(reflect.TypeFor[func() int](), func([]reflect.Value) []reflect.Value { return []reflect.Value{v("x")} }).Call(nil)
	})
	try("convert", func() { v("x").Convert(reflect.TypeFor[bool]()) })
	try("pointer", func() { v(1).Pointer() })
	try("equal", func() { v([]int{}).Equal(v([]int{})) })
	try("deref", func() { reflect.NewAt(reflect.TypeFor[int](), nil).Elem().Int() })
	try("select", func() { reflect.Select([]reflect.SelectCase{{Dir: 7}}) })
	var e error
	try("ifacecall", func() { v(&e).Elem().Method(0) })
	try("assert", func() { var x any = t; _ = x.(fmt.Stringer) })
	try("assert2", func() { var x any = 1; _ = x.(string) })
	try("cmp", func() { var x, y any = []int{}, []int{}; _ = x == y })
	try("cmp2", func() { var x, y any = struct{ f any }{func() {}}, struct{ f any }{func() {}}; _ = x == y })
	try("mapkey", func() { m := map[any]int{}; m[map[string]int{}] = 1 })
	try("chandir", func() { reflect.MakeChan(reflect.TypeFor[<-chan int](), 0) })
	try("swapper", func() { reflect.Swapper(3) })
}
