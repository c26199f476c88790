package main

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

type Big struct {
	A, B, C, D int
	S          string
	F          float32
	b          bool
}

func add(a, b int) int { return a + b }
func many(a int8, b uint16, c float32, d string, e []int, f Big, g any, h error, i complex64) (Big, int8, float32, error, []int, any) {
	f.A += int(a) + int(b)
	f.S += d
	f.F = c * 2
	return f, -a, c / 2, errors.Join(h, errors.New("x")), append(e, 9), g
}
func variadic(p string, xs ...int) string { return fmt.Sprint(p, len(xs), xs) }
func none()                               { fmt.Println("none") }
func zero(struct{}, [0]int) (struct{}, [0]string) {
	return struct{}{}, [0]string{}
}

type T struct{ n int }

func (t T) Val(x int) int           { return t.n + x }
func (t *T) Ptr(x int) int          { t.n += x; return t.n }
func (t T) Var(xs ...string) string { return strings.Join(xs, "+") + fmt.Sprint(t.n) }

type P int

func (p P) Double() P { return p * 2 }

type F func(int) int

func (f F) Call(x int) int { return f(x) * 10 }

type Fn interface {
	Val(int) int
}
type emb struct {
	*T
	P
}

type single struct{ p *int }

func (s single) Get() int { return *s.p }

func main() {
	v := reflect.ValueOf
	fmt.Println(v(add).Call([]reflect.Value{v(1), v(2)})[0].Int())
	outs := v(many).Call([]reflect.Value{v(int8(-3)), v(uint16(7)), v(float32(1.5)), v("dd"), v([]int{1}), v(Big{1, 2, 3, 4, "s", 1, true}), v(any(3)), reflect.Zero(reflect.TypeFor[error]()), v(complex64(1i))})
	for _, o := range outs {
		fmt.Println(o.Type(), o)
	}
	fmt.Println(v(variadic).Call([]reflect.Value{v("p")})[0], v(variadic).Call([]reflect.Value{v("p"), v(1), v(2)})[0], v(variadic).CallSlice([]reflect.Value{v("q"), v([]int{4})})[0])
	fmt.Println(v(none).Call(nil))
	fmt.Println(v(zero).Call([]reflect.Value{v(struct{}{}), v([0]int{})}))
	t := &T{5}
	for _, m := range []reflect.Value{v(*t).Method(0), v(t).MethodByName("Ptr"), v(t).MethodByName("Val"), v(Fn(t)).Method(1)} {
		fmt.Println(m.Type(), m.Call([]reflect.Value{v(10)})[0], t.n)
		f := m.Interface().(func(int) int)
		fmt.Println(f(1), t.n)
	}
	var fn Fn = T{3}
	iv := reflect.ValueOf(&fn).Elem()
	fmt.Println(iv.NumMethod(), iv.Method(0).Call([]reflect.Value{v(4)})[0], iv.Method(0).Interface().(func(int) int)(5))
	fmt.Println(v(T{1}).MethodByName("Var").Call([]reflect.Value{v("a"), v("b")})[0], v(T{1}).MethodByName("Var").Interface().(func(...string) string)("x", "y"))
	fmt.Println(v(P(4)).Method(0).Call(nil)[0], v(F(func(x int) int { return x + 1 })).Method(0).Call([]reflect.Value{v(1)})[0])
	e := emb{&T{100}, 7}
	fmt.Println(v(e).MethodByName("Ptr").Call([]reflect.Value{v(1)})[0], v(e).MethodByName("Double").Call(nil)[0])
	n := 42
	fmt.Println(v(single{&n}).Method(0).Call(nil)[0], v(&single{&n}).Method(0).Call(nil)[0])
	m := reflect.TypeOf(T{}).Method(0)
	fmt.Println(m.Name, m.Type, m.Func.Call([]reflect.Value{v(T{2}), v(3)})[0], m.Func.Interface().(func(T, int) int)(T{4}, 5))
	mp := reflect.TypeOf(&T{}).Method(0)
	fmt.Println(mp.Name, mp.Type, mp.Func.Call([]reflect.Value{v(t), v(3)})[0])
	c := 10
	clo := func(x int) int { c += x; return c }
	fmt.Println(v(clo).Call([]reflect.Value{v(5)})[0], c)
	// MakeFunc
	swap := func(in []reflect.Value) []reflect.Value { return []reflect.Value{in[1], in[0]} }
	var isw func(int, int) (int, int)
	reflect.ValueOf(&isw).Elem().Set(reflect.MakeFunc(reflect.TypeOf(isw), swap))
	fmt.Println(isw(1, 2))
	var ssw func(string, Big) (Big, string)
	reflect.ValueOf(&ssw).Elem().Set(reflect.MakeFunc(reflect.TypeOf(ssw), swap))
	fmt.Println(ssw("x", Big{A: 1, F: 2.5, b: true}))
	var vf func(int8, ...float32) (float32, error)
	reflect.ValueOf(&vf).Elem().Set(reflect.MakeFunc(reflect.TypeOf(vf), func(in []reflect.Value) []reflect.Value {
		return []reflect.Value{in[1].Index(int(in[0].Int())), reflect.ValueOf(errors.New("e"))}
	}))
	fmt.Println(vf(1, 0.5, 1.5, 2.5))
	f32 := reflect.MakeFunc(reflect.TypeOf(func() {}), func([]reflect.Value) []reflect.Value { fmt.Println("called"); return nil })
	f32.Call(nil)
	func() {
		defer func() { fmt.Println("recovered", recover()) }()
		v(func() { panic("boom") }).Call(nil)
	}()
	func() {
		defer reflect.MakeFunc(reflect.TypeOf(func() {}), func([]reflect.Value) []reflect.Value { fmt.Println("mf", recover()); return nil }).Interface().(func())()
		panic("in")
	}()
	func() {
		defer v(R(1)).Method(0).Interface().(func())()
		panic("method")
	}()
	name := runtime.FuncForPC(v(add).Pointer()).Name()
	fmt.Println(name, runtime.FuncForPC(v(clo).Pointer()).Name())
	fmt.Println(v(add).Pointer() == v(add).Pointer(), v(add).Pointer() == v(none).Pointer(), v((func())(nil)).Pointer(), v(add).IsNil())
}

type R int

func (R) M() { fmt.Println("R.M", recover()) }
