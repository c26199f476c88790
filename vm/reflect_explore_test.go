package vm_test

import (
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/vm"
)

// TestReflectVisible: accesses of reflect to the program's memory and channels are as visible as
// the program's own. Each program is explored with the operations written plainly and through
// reflect: the executions must be the same in number and outcome.
func TestReflectVisible(t *testing.T) {
	const (
		plain = `
type pair struct { a, b int }
func get(p *int) int       { return *p }
func set(p *int, x int)    { *p = x }
func setPair(p *pair, q pair) { *p = q }
func put(m map[string]int, k string, x int) { m[k] = x }
func at(m map[string]int, k string) int { return m[k] }
func swap(s []string, i, j int) { s[i], s[j] = s[j], s[i] }
func send(c chan int, x int) { c <- x }
func recv(c chan int) int { return <-c }
func try(c chan int) (int, bool) { select { case x, ok := <-c: return x, ok; default: return 0, false } }
func trySend(c chan int) { select { case c <- 0: default: } } // as reflect could: parked receivers are observable
func either(a, b chan int) int { select { case x := <-a: return x; case x := <-b: return x * 10 } }
func shut(c chan int) { close(c) }
func call(f func(int) int, x int) int { return f(x) }
`
		through = `
type pair struct { a, b int }
func get(p *int) int       { return int(reflect.ValueOf(p).Elem().Int()) }
func set(p *int, x int)    { reflect.ValueOf(p).Elem().SetInt(int64(x)) }
func setPair(p *pair, q pair) { reflect.ValueOf(p).Elem().Set(reflect.ValueOf(q)) }
func put(m map[string]int, k string, x int) { reflect.ValueOf(m).SetMapIndex(reflect.ValueOf(k), reflect.ValueOf(x)) }
func at(m map[string]int, k string) int {
	if v := reflect.ValueOf(m).MapIndex(reflect.ValueOf(k)); v.IsValid() { return int(v.Int()) }
	return 0
}
func swap(s []string, i, j int) { reflect.Swapper(s)(i, j) }
func send(c chan int, x int) { reflect.ValueOf(c).Send(reflect.ValueOf(x)) }
func recv(c chan int) int { v, _ := reflect.ValueOf(c).Recv(); return int(v.Int()) }
func try(c chan int) (int, bool) {
	v, ok := reflect.ValueOf(c).TryRecv()
	if !ok { return 0, false }
	return int(v.Int()), true
}
func either(a, b chan int) int {
	i, v, _ := reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(a)}, {Dir: reflect.SelectRecv, Chan: reflect.ValueOf(b)}})
	if i == 0 { return int(v.Int()) }
	return int(v.Int()) * 10
}
func shut(c chan int) { reflect.ValueOf(c).Close() }
func call(f func(int) int, x int) int { return int(reflect.ValueOf(f).Call([]reflect.Value{reflect.ValueOf(x)})[0].Int()) }
`
	)
	for name, body := range map[string]string{
		"counter": `
	n := new(int)
	done := make(chan int)
	go func() { set(n, get(n)+1); done <- 0 }()
	set(n, get(n)+1)
	<-done
	println(*n)`,
		"struct": `
	p := new(pair)
	done := make(chan int)
	go func() { setPair(p, pair{1, 1}); done <- 0 }()
	setPair(p, pair{2, 2})
	<-done
	println(p.a, p.b)`,
		"map": `
	m := map[string]int{}
	done := make(chan int)
	go func() { put(m, "x", at(m, "x")+1); done <- 0 }()
	put(m, "x", at(m, "x")+1)
	<-done
	println(m["x"])`,
		"swap": `
	s := []string{"a", "b", "c"}
	done := make(chan int)
	go func() { swap(s, 0, 1); done <- 0 }()
	println(s[0])
	<-done
	println(s[0], s[1])`,
		"unbuffered": `
	c, d := make(chan int), make(chan int)
	go func() { send(c, 1) }()
	go func() { send(c, 2) }()
	go func() { send(d, recv(c)*10+recv(c)) }()
	println(recv(d))`,
		"buffered": `
	c := make(chan int, 2)
	go func() { send(c, 1); shut(c) }()
	x, ok := try(c)
	println(x, ok)
	y, ok := <-c
	println(y, ok)`,
		"select": `
	a, b := make(chan int), make(chan int, 1)
	go func() { send(a, 1) }()
	go func() { send(b, 2) }()
	println(either(a, b), either(a, b))`,
		"call": `
	n := 0
	done := make(chan int)
	f := func(d int) int { n += d; return n }
	go func() { call(f, 1); done <- 0 }()
	call(f, 2)
	<-done
	println(n)`,
		"deadlock": `
	c := make(chan int)
	go func() { send(c, 1); send(c, 2) }()
	println(recv(c))
	send(c, 3)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			explore := func(imports, helpers string) *vmtest.Exploration {
				// Not all uses of a channel that a function returns are known, in both programs.
				made := "func made(n int) chan int { return make(chan int, n) }\n"
				body := strings.NewReplacer("make(chan int)", "made(0)", "make(chan int, ", "made(").Replace(body)
				src := "package main\n" + imports + helpers + made + "func main() {" + body + "\n}\n"
				return vmtest.Explore(t, src, vm.Config{}, por.Config{}, stateful.Full)
			}
			want, got := explore("", plain), explore("import \"reflect\"\n", through)
			if want.Executions < 2 {
				t.Errorf("only %d executions", want.Executions)
			}
			clear(got.Races) // they are at other lines
			clear(want.Races)
			if got.String() != want.String() {
				t.Errorf("through reflect:\n%s\nplainly:\n%s", got, strings.TrimSpace(want.String()))
			}
		})
	}
}
