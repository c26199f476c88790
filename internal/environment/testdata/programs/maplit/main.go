// assumed: nothing
package main

import (
	"fmt"
	"unsafe"
)

type S struct {
	A int
	B string
}
type I struct{ V any }
type Arr [2]int
type Named int

const c = 0

func zero() int { return 0 }

type N[T ~int] struct{ t T }

func key[T ~int](x T) (r []int) {
	r = append(r, map[T]int{x: 1, 0: 2}[0])
	r = append(r, map[T]int{x: 1, T(0): 2}[0])
	r = append(r, map[T]int{x: 1, c: 2}[0])
	r = append(r, map[T]int{x: 1, T(c + 0): 2}[0])
	return
}
func val[T ~int](x int) (r []any) {
	r = append(r, map[int]T{x: 1, 0: 2}[0])
	r = append(r, map[int]T{x: 1, 0: T(2)}[0])
	r = append(r, map[int][1]T{x: {1}, 0: {2}}[0])
	r = append(r, map[int]N[T]{x: {1}, 0: {2}}[0])
	r = append(r, map[int]N[T]{x: {1}, 0: {T(2)}}[0])
	r = append(r, map[int]int{x: 1, 0: int(unsafe.Sizeof(T(0)))}[0])
	r = append(r, map[int]uintptr{x: 1, 0: unsafe.Sizeof(T(0))}[0])
	return
}
func val2[T any](x int, a, b T) (r []any) {
	var z T
	r = append(r, map[int]*T{x: &z, 0: nil}[0] == nil)
	r = append(r, map[int]any{x: 1, 0: nil}[0])
	r = append(r, map[int]struct{ v *T }{x: {&z}, 0: {nil}}[0].v == nil)
	r = append(r, map[int]uintptr{x: 1, 0: unsafe.Sizeof(z)}[0])
	return
}

func literal[M ~map[int]int](x int) M { return M{x: 1, 0: 2} }

func main() {
	fmt.Println("generic literal", literal[map[int]int](0))
	x := 0
	p := &x
	f := func() {}
	fmt.Println("keys", map[int]int{x: 1, 0: 2}, map[int]int{x: 1, c: 2}, map[int]int{x: 1, (0): 2}, map[int]int{x: 1, len("") + 0: 2}, map[int]int{x: 1, zero(): 2},
		map[int]int{x: 1, int(0): 2}, map[int]int{x: 1, int(Named(0)): 2}, map[Named]int{Named(x): 1, Named(0): 2}, map[int]int{x: 1, x * 0: 2}, map[int]int{x: 1, -0: 2})
	y := "a"
	fmt.Println("strings", map[string]int{y: 1, "a": 2}, map[string]int{y: 1, "" + "a": 2}, map[string]int{y: 1, string("a"): 2}, map[string]int{y: 1, string([]byte("a")): 2}, map[string]int{y: 1, string(rune('a')): 2})
	fmt.Println("S", map[S]int{{x, ""}: 1, {0, ""}: 2}, map[S]int{{x, ""}: 1, {}: 2}, map[S]int{{x, ""}: 1, S{B: "", A: 0}: 2}, map[[2]int]int{{x, 0}: 1, {1: 0}: 2}, map[Arr]int{{x}: 1, Arr{}: 2}, map[S]int{{x, ""}: 1, (S{}): 2})
	fmt.Println("any key", map[any]int{any(x): 1, 0: 2}, map[any]int{any(x): 1, any(0): 2}, map[any]int{x: 1, 0: 2}, map[error]int{error(*new(error)): 1, nil: 2}, map[any]int{any(*new(any)): 1, nil: 2})
	fmt.Println("ptr", map[int]*int{x: p, 0: nil}[0] == nil, map[int]*int{x: p, 0: (*int)(nil)}[0] == nil, map[int]func(){x: f, 0: nil}[0] == nil, map[int]unsafe.Pointer{x: unsafe.Pointer(p), 0: unsafe.Pointer(nil)}[0] == nil, map[int]unsafe.Pointer{x: unsafe.Pointer(p), 0: nil}[0] == nil,
		map[int]chan int{x: make(chan int), 0: nil}[0] == nil, map[int]chan int{x: make(chan int), 0: (chan int)(nil)}[0] == nil, map[int]<-chan int{x: make(chan int), 0: (chan int)(nil)}[0] == nil, map[int]unsafe.Pointer{x: unsafe.Pointer(p), 0: unsafe.Pointer(uintptr(0))}[0] == nil)
	fmt.Println("vals", map[int]S{x: {1, ""}, 0: {2, ""}}, map[int][]int{x: {1}, 0: {2}}, map[int][]int{x: {1}, 0: nil}, map[int]*S{x: {1, ""}, 0: {2, ""}}[0].A, map[int]*S{x: {1, ""}, 0: &S{2, ""}}[0].A,
		map[int]any{x: 1, 0: 2}, map[int]any{x: 1, 0: nil}, map[int]any{x: 1, 0: (*int)(nil)}, map[int]any{x: 1, 0: "s"}, map[int]I{x: {1}, 0: {2}}, map[int]I{x: {1}, 0: {nil}}, map[int]I{x: {1}, 0: {}},
		map[int]any{x: 1, 0: S{2, ""}}, map[int]any{x: 1, 0: struct{}{}}, map[int]any{x: 1, 0: any(nil)}, map[int]any{x: 1, 0: error(nil)}, map[int]error{x: fmt.Errorf("1"), 0: error(nil)}, map[int]any{x: 1, 0: any(any(2))}, map[int]any{x: 1, 0: true}, map[int]any{x: 1, 0: uint8(3)})
	fmt.Println("nested", map[int]map[int]int{x: {1: 1}, 0: {2: 2}}, map[int]map[int]int{x: {1: 1}, 0: nil}, map[int][2]S{x: {{1, ""}}, 0: {{2, ""}}}, map[int]struct{ s []int }{x: {nil}, 0: {[]int{2}}}, map[int]struct{ s []int }{x: {[]int{1}}, 0: {nil}}, map[int]struct{ s []int }{x: {[]int{1}}, 0: {}}, map[int][]int{x: {1}, 0: []int(nil)}, map[int][]int{x: {1}, 0: []int{}})
	fmt.Println("arr", map[int][1]any{x: {1}, 0: {2}}, map[int][1]any{x: {1}, 0: {nil}}, map[int][1]any{x: {1}, 0: {}}, map[int]string{x: "1", 0: "2"}, map[int]string{x: "1", 0: "2" + "3"}, map[int]float64{x: 1, 0: 2}, map[int]float64{x: 1, 0: float64(2)}, map[int]complex128{x: 1, 0: complex(2, 0)}, map[int]bool{x: true, 0: 1 > 2}, map[int]bool{x: true, 0: !true}, map[int]int{x: 1, 0: min(2, 3)}, map[int]int{x: 1, 0: len([2]int{})}, map[int]int{x: 1, 0: len([2]int{x})})
	fmt.Println("struct conv", map[int]S{x: {1, ""}, 0: S(S{2, ""})}, map[int]struct{ A int }{x: {1}, 0: struct{ A int }(struct{ A int }{2})}, map[int]S{x: {1, ""}, 0: S(struct {
		A int
		B string
	}{2, ""})})
	fmt.Println("generic key", key(x), key(Named(x)))
	fmt.Println("generic val", val[int](x), val[Named](x))
	fmt.Println("generic val2", val2(x, 1, 2), val2(x, "", ""))
	fmt.Println("blank", map[int]struct{ _, A int }{x: {A: 1}, 0: {A: 2}}, map[int]struct{ _ int }{x: {}, 0: {}})
	fmt.Println("new", *map[int]*int{x: new(1), 0: new(2)}[0], map[int]uintptr{x: 1, 0: unsafe.Sizeof(x)})
	fmt.Println("funcs", map[int]func() int{x: func() int { return 1 }, 0: func() int { return 2 }}[0](), map[int]func() int{x: func() int { return 1 }, 0: zero}[0]())
	fmt.Println(global, imap)
}

var gx = zero()
var global = map[int]int{gx: 1, 0: 2}

type hasI interface{ M() }
type mi int

func (mi) M() {}

var imap = []any{map[int]hasI{gx: mi(1), 0: mi(2)}, map[int]hasI{gx: mi(1), 0: hasI(nil)}, map[hasI]int{mi(gx): 1, mi(0): 2}, map[int]any{gx: 1, 0: hasI(nil)}}
