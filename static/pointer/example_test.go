package pointer_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/pointer"
)

const shapes = `package main

type shape interface{ grow(by *int) }

type circle struct{ radius int }
type square struct{ side int }

func (c *circle) grow(by *int) { c.radius += *by }
func (s *square) grow(by *int) { s.side += *by }

func each(list []shape, by *int) {
	for _, s := range list {
		s.grow(by)
	}
}

func main() {
	var two, unused int
	each([]shape{&circle{1}, &square{2}}, &two)
	println(&unused)
}
`

// The methods that a call through an interface may call, and the objects to which its argument may point.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"go.mod": "module shapes\n\ngo 1.26\n", "main.go": shapes} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}})
	if err != nil {
		log.Fatal(err)
	}
	result := pointer.Analyze(prog, prog.Entries[0])

	each := prog.Entries[0].Func.Pkg.Func("each")
	for _, ctx := range result.Contexts(each) {
		for _, block := range each.Blocks {
			for _, instr := range block.Instrs {
				call, ok := instr.(*ssa.Call)
				if !ok || !call.Call.IsInvoke() {
					continue
				}
				for _, callee := range result.Callees(call, ctx) {
					fmt.Println("may call", callee.Fn)
				}
				for label := range result.PointsTo(call.Call.Args[0], ctx).Labels() {
					fmt.Println("with the address of", label.Object.Site.(*ssa.Alloc).Comment+label.Path())
				}
			}
		}
	}
	// Output:
	// may call (*main.circle).grow
	// may call (*main.square).grow
	// with the address of two
}
