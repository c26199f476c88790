package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"time"
)

type Int int

func (Int) Get() int { return 1 }
func (*Int) Set(int) {}
func (Int) hidden()  {}

type Pair[A, B any] struct {
	First  A `json:"first,omitempty" xml:"f"`
	Second B
	next   *Pair[A, B]
}

func (p Pair[A, B]) Swap() Pair[B, A] { return Pair[B, A]{First: p.Second, Second: p.First} }

type Inner struct{ X, Y int }

func (Inner) Hello() string { return "hello" }

type Outer struct {
	Inner
	*strings.Builder
	io.Reader
	Name string
	F    func(int, ...string) (bool, error)
	C    <-chan int
	M    map[string][]*Outer
	A    [3]struct{ a int }
	I    interface {
		Foo() error
		bar()
	}
}

type Rec struct {
	Next *Rec
	Kids []Rec
	M    map[string]Rec
}

func show(t reflect.Type, depth int) {
	ind := strings.Repeat("  ", depth)
	fmt.Println(ind, t, t.Kind(), t.Name(), t.PkgPath(), t.Size(), t.Align(), t.FieldAlign(), t.Comparable(), t.NumMethod())
	for i := 0; i < t.NumMethod(); i++ {
		m := t.Method(i)
		fmt.Println(ind, "method", m.Name, m.PkgPath, m.Type, m.Index, m.Func.IsValid())
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := 0; i < t.NumField(); i++ {
			f := t.Field(i)
			fmt.Println(ind, "field", f.Name, f.PkgPath, f.Type, f.Tag, f.Offset, f.Index, f.Anonymous, f.Tag.Get("json"))
		}
	case reflect.Func:
		fmt.Println(ind, t.NumIn(), t.NumOut(), t.IsVariadic())
	case reflect.Chan:
		fmt.Println(ind, t.ChanDir(), t.Elem())
	case reflect.Map:
		fmt.Println(ind, t.Key(), t.Elem())
	case reflect.Array:
		fmt.Println(ind, t.Len(), t.Elem())
	case reflect.Pointer, reflect.Slice:
		if depth < 2 {
			show(t.Elem(), depth+1)
		}
	}
}

func inGeneric[A any]() (x, y, z any) {
	type T struct{ a A }
	type G[B any] struct {
		a A
		b B
	}
	return T{}, G[int]{}, G[*T]{}
}

type noBlank struct{ a, _, c int }

func main() {
	fmt.Println(reflect.ValueOf(noBlank{1, 2, 3}).Field(1))
	x, y, z := inGeneric[string]()
	x1, y1, z1 := inGeneric[Int]()
	fmt.Printf("%T %T %T %T %T %T %v\n", x, y, z, x1, y1, z1, reflect.TypeOf(x) == reflect.TypeOf(x1))
	type local struct{ v int }
	var e error
	for _, v := range []any{
		1, "s", 2.5, Int(3), new(Int), Pair[int, string]{}, &Pair[Int, []Pair[bool, local]]{}, Outer{}, &Outer{}, Rec{}, local{},
		[]local{}, map[string]int{}, make(chan<- int), func(a int, b ...any) {}, [2]bool{}, struct {
			A int "tag"
			b Int
		}{}, &e, errors.New("x"), time.Second, time.Time{}, &bytes.Buffer{}, os.Stdout, new(any), struct{}{}, [0]func(){},
		complex(1, 2), uintptr(1), 'x', byte(1),
	} {
		show(reflect.TypeOf(v), 0)
	}
	// identity
	it := reflect.TypeFor[int]()
	fmt.Println(reflect.PointerTo(it) == reflect.TypeOf(new(int)), reflect.SliceOf(it) == reflect.TypeOf([]int{}),
		reflect.MapOf(reflect.TypeFor[string](), it) == reflect.TypeOf(map[string]int{}), reflect.ArrayOf(3, it) == reflect.TypeOf([3]int{}),
		reflect.ChanOf(reflect.RecvDir, it) == reflect.TypeOf(make(<-chan int)),
		reflect.FuncOf([]reflect.Type{it}, []reflect.Type{it}, false) == reflect.TypeOf(func(int) int { return 0 }),
		reflect.StructOf([]reflect.StructField{{Name: "A", Type: it, Tag: `x:"y"`}}) == reflect.TypeOf(struct {
			A int `x:"y"`
		}{}))
	// new types
	st := reflect.StructOf([]reflect.StructField{{Name: "Name", Type: reflect.TypeFor[string](), Tag: `json:"n"`}, {Name: "Vals", Type: reflect.SliceOf(reflect.ArrayOf(5, it))}})
	v := reflect.New(st).Elem()
	v.Field(0).SetString("bob")
	v.Field(1).Set(reflect.MakeSlice(st.Field(1).Type, 1, 2))
	fmt.Println(st, v, v.Type() == st, v.Interface())
	fmt.Printf("%#v\n", v.Interface())
	mt := reflect.MapOf(st.Field(0).Type, st)
	mv := reflect.MakeMap(reflect.MapOf(it, st.Field(0).Type))
	mv.SetMapIndex(reflect.ValueOf(3), reflect.ValueOf("three"))
	fmt.Println(mt, mv, mv.Type())
	var sr fmt.Stringer
	fmt.Println(reflect.TypeOf(time.Second).Implements(reflect.TypeOf(&sr).Elem()), it.Implements(reflect.TypeOf(&sr).Elem()),
		it.AssignableTo(reflect.TypeFor[Int]()), it.ConvertibleTo(reflect.TypeFor[Int]()), reflect.TypeFor[[]byte]().ConvertibleTo(reflect.TypeFor[string]()))
	f, ok := reflect.TypeFor[Outer]().FieldByName("X")
	fmt.Println(f, ok)
	fmt.Println(reflect.VisibleFields(reflect.TypeFor[struct {
		Inner
		Z int
	}]()))
	m, ok := reflect.TypeFor[Outer]().MethodByName("Hello")
	fmt.Println(m.Name, m.Type, ok)
}
