package main

import (
	"fmt"
	"os"

	"hbcheck.dev/hbcheck/analyze"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/findings"
	"hbcheck.dev/hbcheck/vm"
)

func main() {
	prog, err := load.Load(load.Config{Dir: os.Args[1], Patterns: []string{"./..."}, Implicit: []string{"runtime"}})
	if err != nil {
		fmt.Println("load", err)
		return
	}
	p := analyze.New(prog, vm.NewModels(prog), analyze.Entries(prog))
	p.Work = 6_000_000
	if !p.Solve() && !p.SolveWithoutUsers() && !p.SolveOwn() {
		fmt.Println("no points-to")
		return
	}
	c := p.FindingConfig()
	ds := findings.NewDrivers(prog)
	for _, f := range findings.Find(c) {
		if f.Confidence < findings.Medium {
			continue
		}
		fmt.Printf("%s %s %s %s\n", prog.Fset.Position(f.Pos), f.Code, f.Confidence, f.Text)
		for _, v := range findings.Variants() {
			d, why := ds.New(&f, "D", v)
			if d == nil {
				fmt.Println("   NO DRIVER", v, why)
				continue
			}
			if err := findings.Compile(prog, []*findings.Driver{d})[0]; err != nil {
				fmt.Println("   BROKEN", v, err)
			}
			if v == 0 || v == 2 || v == 3 || v==5 {
				fmt.Print(v, d.Imports, d.Added, d.Func())
			}
		}
	}
}
