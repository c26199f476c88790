package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"log/slog"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"unique"
)

type E struct{ code int }

func (e *E) Error() string   { return fmt.Sprint("E", e.code) }
func (e *E) Is(t error) bool { return t == target }

var target = errors.New("target")

type V struct{ a, b int }

func (v V) String() string { return fmt.Sprintf("V<%d,%d>", v.a, v.b) }

type GS struct{ x int }

func (GS) GoString() string              { return "GS!" }
func (GS) Format(s fmt.State, verb rune) { fmt.Fprintf(s, "fmt-%c", verb) }

type tree struct {
	l, r *tree
	v    int
}

func main() {
	err := fmt.Errorf("wrap: %w", &E{3})
	var e *E
	fmt.Println(errors.As(err, &e), e.code, errors.Is(err, target), errors.Unwrap(err) == error(e))
	ee, ok := errors.AsType[*E](err)
	fmt.Println(ee, ok)
	j := errors.Join(err, fs.ErrNotExist)
	fmt.Println(errors.Is(j, fs.ErrNotExist), j)
	people := []struct {
		Name string
		Age  int
	}{{"A", 3}, {"B", 1}, {"C", 2}}
	sort.Slice(people, func(i, j int) bool { return people[i].Age < people[j].Age })
	fmt.Println(people)
	sort.SliceStable(people, func(i, j int) bool { return people[i].Name > people[j].Name })
	fmt.Printf("%v %+v %#v\n", people, people[0], people[:1])
	fmt.Printf("%v %d %s %x %#v %T\n", V{1, 2}, V{1, 2}, []V{{3, 4}}, V{5, 6}, V{7, 8}, V{})
	fmt.Printf("%v %#v %d\n", GS{}, GS{}, GS{})
	fmt.Printf("%v %+v\n", &tree{nil, nil, 1}, tree{v: 2})
	fmt.Printf("%5d|%-5s|%05.2f|%+d|%q|%U|%c|%t|%e|%8.3v|%x|% x|%#x\n", 42, "ab", 3.14159, 5, "q\n", 0x1F600, 'z', true, 12345.678, 1.23456, "hex", "hex", []byte{1, 2})
	fmt.Printf("%!|%d %s|%z|%d\n", "str", 5, 1)
	fmt.Printf("%[2]d %[1]s %*d\n", "x", 2, 5, 3)
	fmt.Printf("%v %v %v %v\n", map[string][]int{"b": {1}, "a": nil}, [2]bool{true}, struct{}{}, (*int)(nil))
	fmt.Printf("%6.2f%% %v %v\n", 99.5, []any{1, "a", nil, 2.5, []byte("x")}, [3]byte{1, 2, 3})
	var a, b int
	var s string
	n, err := fmt.Sscanf("10 20 abc", "%d %d %s", &a, &b, &s)
	fmt.Println(n, err, a, b, s)
	n, err = fmt.Sscan("7 8", &a, &b)
	fmt.Println(n, err, a+b)
	l := log.New(os.Stdout, "p: ", 0)
	l.Printf("%v", V{1, 1})
	h := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(g []string, a slog.Attr) slog.Attr {
		if a.Key == "time" {
			return slog.Attr{}
		}
		return a
	}}))
	h.Info("msg", "k", 1, "v", V{1, 2}, slog.Group("g", "x", true), "err", err)
	jh := slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(g []string, a slog.Attr) slog.Attr {
		if a.Key == "time" {
			return slog.Attr{}
		}
		return a
	}}))
	jh.Debug("dbg", "m", map[string]int{"a": 1}, "p", people[0])
	u1, u2 := unique.Make("abc"), unique.Make(strings.Repeat("abc", 1))
	fmt.Println(u1 == u2, u1.Value(), unique.Make(V{1, 2}) == unique.Make(V{1, 2}))
	ctx := context.WithValue(context.Background(), V{1, 1}, "val")
	fmt.Println(ctx.Value(V{1, 1}), ctx)
	var m sync.Map
	m.Store("a", 1)
	m.Store(V{1, 2}, "v")
	x, ok := m.Load(V{1, 2})
	fmt.Println(x, ok)
	var av atomic.Value
	av.Store([]int{1})
	fmt.Println(av.Load())
	fset := flag.NewFlagSet("x", flag.ContinueOnError)
	fset.SetOutput(os.Stdout)
	i := fset.Int("n", 5, "number of `things`")
	fmt.Println(fset.Parse([]string{"-n", "8", "rest"}), *i, fset.Args())
	fset.PrintDefaults()
	xs := []V{{3, 1}, {1, 2}}
	slices.SortFunc(xs, func(a, b V) int { return a.a - b.a })
	fmt.Println(xs)
	r := strings.NewReplacer("a", "1", "b", "2")
	fmt.Println(r.Replace("abc"))
}
