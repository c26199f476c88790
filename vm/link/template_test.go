package link

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm/compile"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

const manyFunctions = `package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"sort"
	"sync"
	"text/template"
	"time"
)

type pair[K comparable, V any] struct { k K; v V }

var table = map[string][]pair[string, int]{"a": {{"x", 1}}, "b": {{"y", 2}, {"z", 3}}}

func main() {
	var mu sync.Mutex
	defer mu.Unlock()
	mu.Lock()
	b, err := json.Marshal(table)
	fmt.Println(string(b), err, regexp.MustCompile("a+b").FindString("aab"))
	template.Must(template.New("t").Parse("{{.}}")).Execute(os.Stdout, bytes.NewBufferString("x"))
	list := []any{1, "two", 3.0, time.Second, pair[int, string]{4, "four"}}
	sort.Slice(list, func(i, j int) bool { return fmt.Sprint(list[i]) < fmt.Sprint(list[j]) })
	select {
	case <-time.After(time.Millisecond):
	default:
		println(len(list), cap(list))
	}
}
`

func program(t *testing.T, src string) *load.Program {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": src, "go.mod": "module m\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// TestTemplates: the code from a template is the code that the compiler makes, with the same numbers.
func TestTemplates(t *testing.T) {
	prog := program(t, manyFunctions)
	linker := func() *Linker {
		lt := layout.NewTable()
		return New(prog, prog.Entries[0], heap.New(lt), lt, &Natives{Numbers: map[string]int{}, Unused: map[int]int{}})
	}
	plain, maker, templated := linker(), linker(), linker()
	plain.Func(prog.Entries[0].Func)
	templated.Func(prog.Entries[0].Func)
	for _, p := range prog.All {
		if fn := p.SSA.Func("init"); fn != nil {
			plain.Func(fn)
			templated.Func(fn)
		}
	}
	compiled := 0
	for id := 0; id < len(plain.funcs); id++ {
		fn := plain.funcs[id].fn
		if fn == nil || plain.funcs[id] != templated.funcs[id] {
			if fn != templated.funcs[id].fn {
				t.Fatalf("function %d: %v, with templates %v", id, fn, templated.funcs[id].fn)
			}
			continue
		}
		prog.EnsureBuilt(fn)
		if fn.Blocks == nil || prog.HasLostBody(fn) {
			continue
		}
		plain.noteLocals(fn)
		templated.noteLocals(fn)
		want, err := compile.Compile(fn, uint32(id), plain)
		if err != nil {
			continue
		}
		maker.noteLocals(fn)
		x := maker.newTemplate(fn)
		if x == nil {
			t.Errorf("%s has no template", fn)
			continue
		}
		got := x.codeFor(templated, uint32(id))
		if got == nil {
			t.Errorf("%s: an answer differs", fn)
			continue
		}
		compiled++
		if plain.Count() != templated.Count() {
			t.Fatalf("%s: %d numbers, with a template %d", fn, plain.Count(), templated.Count())
		}
		if len(got.Code) != len(want.Code) || got.NRegs != want.NRegs {
			t.Errorf("%s: %d words and %d registers, from a template %d and %d", fn, len(want.Code), want.NRegs, len(got.Code), got.NRegs)
			return
		}
		for i := range want.Code {
			if got.Code[i] != want.Code[i] {
				t.Errorf("%s: instruction %d is %v, from a template %v", fn, i, want.Code[i], got.Code[i])
				break
			}
		}
		if !reflect.DeepEqual(got.Pos, want.Pos) || !reflect.DeepEqual(got.Recovered, want.Recovered) || got.Window != want.Window {
			t.Errorf("%s: parts differ", fn)
		}
		if t.Failed() {
			return
		}
	}
	if compiled < 1000 {
		t.Errorf("only %d functions", compiled)
	}
}

// TestTemplateAnswers: a template is not used if an answer that is no number differs.
func TestTemplateAnswers(t *testing.T) {
	prog := program(t, "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfor k := range map[int]int{1: 2, 3: 4} {\n\t\tfmt.Println(k)\n\t}\n}\n")
	k := New(prog, prog.Entries[0], heap.New(nil), layout.NewTable(), &Natives{})
	fn := prog.Entries[0].Func
	prog.EnsureBuilt(fn)
	x := k.newTemplate(fn)
	if x == nil || x.codeFor(k, 0) == nil {
		t.Fatal("no template")
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if r, ok := i.(*ssa.Range); ok {
				k.ordered[r] = !k.Ordered(r)
			}
		}
	}
	if x.codeFor(k, 0) != nil {
		t.Error("the template is used although the order of the loop matters otherwise")
	}
}
