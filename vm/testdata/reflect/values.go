package main

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

type S struct {
	A int
	B string
	C []int
	d float64
	E *S
	F any
	G map[string]int
}
type MyInt int32
type MyStr string
type Str interface{ String() string }

func (m MyInt) String() string { return fmt.Sprintf("MyInt(%d)", int(m)) }

func main() {
	s := S{A: 1, B: "b", C: []int{1, 2}, F: 3, G: map[string]int{"x": 1}}
	v := reflect.ValueOf(&s).Elem()
	v.Field(0).SetInt(42)
	v.FieldByName("B").SetString("new")
	v.Field(2).Set(reflect.Append(v.Field(2), reflect.ValueOf(3)))
	v.Field(2).Index(0).SetInt(100)
	v.Field(4).Set(reflect.ValueOf(&S{A: 9}))
	v.Field(5).Set(reflect.ValueOf("iface"))
	v.Field(6).SetMapIndex(reflect.ValueOf("y"), reflect.ValueOf(2))
	fmt.Println(s.A, s.B, s.C, s.E.A, s.F, s.G)
	fmt.Println(v.Field(3).CanSet(), v.Field(0).CanSet(), v.Field(0).CanAddr(), reflect.ValueOf(s).Field(0).CanSet(), v.Field(3).CanInterface())
	for _, x := range []any{int8(-5), uint16(500), float32(1.25), 3.5, complex(1, 2), "str", true, MyInt(-7), []byte("hi"), [3]int{1, 2, 3}} {
		v := reflect.ValueOf(x)
		fmt.Print(v.Kind(), " ", v, " ", v.Type(), " ", v.IsZero(), " ", v.CanInt(), v.CanFloat(), v.CanUint(), "; ")
		switch {
		case v.CanInt():
			fmt.Print(v.Int(), v.OverflowInt(1000))
		case v.CanUint():
			fmt.Print(v.Uint(), v.OverflowUint(100000))
		case v.CanFloat():
			fmt.Print(v.Float(), v.OverflowFloat(math.MaxFloat64))
		}
		fmt.Println()
	}
	// conversions
	conv := func(x any, t reflect.Type) {
		defer func() {
			if r := recover(); r != nil {
				fmt.Println("panic:", r)
			}
		}()
		y := reflect.ValueOf(x).Convert(t)
		fmt.Printf("%T(%v) -> %v %#v\n", x, x, y.Type(), y.Interface())
	}
	conv(65, reflect.TypeFor[string]())
	conv(300, reflect.TypeFor[int8]())
	conv(-1, reflect.TypeFor[uint16]())
	conv(3.99, reflect.TypeFor[int]())
	conv(uint8(3), reflect.TypeFor[float32]())
	conv("héllo", reflect.TypeFor[[]byte]())
	conv("héllo", reflect.TypeFor[[]rune]())
	conv([]byte("x"), reflect.TypeFor[MyStr]())
	conv(MyInt(3), reflect.TypeFor[Str]())
	conv(MyInt(3), reflect.TypeFor[int64]())
	conv([]int{1, 2, 3}, reflect.TypeFor[[2]int]())
	conv([]int{1, 2, 3}, reflect.TypeFor[*[3]int]())
	conv([]int{1}, reflect.TypeFor[[2]int]())
	conv("x", reflect.TypeFor[int]())
	conv(complex64(1), reflect.TypeFor[complex128]())
	// zero and IsZero
	fmt.Println(reflect.Zero(reflect.TypeFor[S]()).IsZero(), reflect.ValueOf(s).IsZero(), reflect.ValueOf(math.Copysign(0, -1)).IsZero(), reflect.ValueOf([2]string{}).IsZero(), reflect.ValueOf([2]func(){}).IsZero())
	v.Field(0).SetZero()
	v.Field(6).SetZero()
	fmt.Println(s.A, s.G == nil)
	// slices
	sl := reflect.MakeSlice(reflect.TypeFor[[]string](), 2, 5)
	sl.Index(1).SetString("one")
	sl2 := reflect.AppendSlice(sl, reflect.ValueOf([]string{"a", "b", "c", "d"}))
	fmt.Println(sl, sl2, sl.Len(), sl.Cap(), sl2.Len(), sl2.Slice(1, 3), sl2.Slice3(0, 2, 3).Cap())
	n := reflect.Copy(sl, reflect.ValueOf([]string{"z", "y", "x"}))
	fmt.Println(n, sl)
	b := make([]byte, 3)
	fmt.Println(reflect.Copy(reflect.ValueOf(b), reflect.ValueOf("hello")), string(b))
	var gs []int
	gv := reflect.ValueOf(&gs).Elem()
	gv.Grow(3)
	gv.SetLen(2)
	fmt.Println(gs, len(gs), cap(gs) >= 3)
	arr := [4]int{1, 2, 3, 4}
	av := reflect.ValueOf(&arr).Elem()
	fmt.Println(av.Slice(1, 3), av.Len(), av.Index(2).Addr().Interface().(*int) == &arr[2])
	reflect.ValueOf(gs).Clear()
	// swapper, deepequal
	ss := []S{{A: 1}, {A: 2}, {A: 3}}
	sw := reflect.Swapper(ss)
	sw(0, 2)
	fmt.Println(ss[0].A, ss[2].A)
	x := map[string][]any{"a": {1, "x", nil, []int{1}}, "b": nil}
	y := map[string][]any{"a": {1, "x", nil, []int{1}}, "b": nil}
	fmt.Println(reflect.DeepEqual(x, y), reflect.DeepEqual(s, S{}), reflect.DeepEqual([]int(nil), []int{}), reflect.DeepEqual(math.NaN(), math.NaN()))
	type cyc struct{ p *cyc }
	c1, c2 := &cyc{}, &cyc{}
	c1.p, c2.p = c1, c2
	fmt.Println(reflect.DeepEqual(c1, c2))
	// elem, indirect, new
	pp := &s
	ppp := &pp
	fmt.Println(reflect.ValueOf(ppp).Elem().Elem().Field(1), reflect.Indirect(reflect.ValueOf(pp)).Type(), reflect.New(reflect.TypeFor[int]()).Elem())
	var nilp *S
	var ni any
	fmt.Println(reflect.ValueOf(nilp).IsNil(), reflect.ValueOf(nilp).Elem().IsValid(), reflect.ValueOf(ni).IsValid(), reflect.ValueOf(&ni).Elem().IsNil(), reflect.ValueOf(&ni).Elem().Kind())
	fmt.Println(reflect.ValueOf(1).Equal(reflect.ValueOf(1)), reflect.ValueOf(1).Comparable(), reflect.ValueOf([]int{}).Comparable(), reflect.ValueOf(struct{ a any }{[]int{}}).Comparable())
	// iterators
	for i, e := range reflect.ValueOf([]string{"p", "q"}).Seq2() {
		fmt.Println(i, e)
	}
	for i := range reflect.ValueOf(3).Seq() {
		fmt.Print(i, " ")
	}
	for f, v := range reflect.ValueOf(struct{ A, B int }{1, 2}).Fields() {
		fmt.Print(f.Name, v, " ")
	}
	fmt.Println()
	p := reflect.NewAt(reflect.TypeFor[int](), unsafe.Pointer(&arr[1]))
	p.Elem().SetInt(77)
	fmt.Println(arr, reflect.SliceAt(reflect.TypeFor[int](), unsafe.Pointer(&arr[0]), 2))
	if z, ok := reflect.TypeAssert[int](reflect.ValueOf(3)); ok {
		fmt.Println(z)
	}
	z, ok := reflect.TypeAssert[Str](reflect.ValueOf(MyInt(3)))
	fmt.Println(z, ok)
}
