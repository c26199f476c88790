package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"time"

	"hbcheck.dev/hbcheck/analyze"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/findings"
	"hbcheck.dev/hbcheck/vm"
)

func main() {
	begin := time.Now()
	step := func(s string) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Fprintln(os.Stderr, time.Since(begin).Round(100*time.Millisecond), s, m.HeapAlloc>>20, "MB, sys", m.Sys>>20)
	}
	f, _ := os.Create(os.Args[2])
	pprof.StartCPUProfile(f)
	go func() {
		d, _ := time.ParseDuration(os.Args[3])
		time.Sleep(d)
		pprof.StopCPUProfile()
		step("stopped")
		os.Exit(1)
	}()
	pats := []string{"./..."}
	if len(os.Args) > 4 {
		pats = os.Args[4:]
	}
	prog, err := load.Load(load.Config{Dir: os.Args[1], Patterns: pats, Implicit: []string{"runtime"}})
	if err != nil {
		fmt.Println("load", err)
		return
	}
	step("loaded")
	p := analyze.New(prog, vm.NewModels(prog), analyze.Entries(prog))
	p.Work = 6_000_000
	if w := os.Getenv("WORK"); w != "" {
		fmt.Sscan(w, &p.Work)
	}
	ok := p.Solve()
	step(fmt.Sprint("solve ", ok))
	if !ok {
		ok = p.SolveWithoutUsers()
		step(fmt.Sprint("without users ", ok))
		if !ok {
			ok = p.SolveOwn()
			step(fmt.Sprint("own ", ok))
		}
	}
	if !ok {
		return
	}
	c := p.FindingConfig()
	step("config")
	c.Note = func(s string) { step("left out " + s) }
	n := len(findings.Find(c))
	step(fmt.Sprint("findings ", n))
	h, _ := os.Create(os.Args[2] + ".heap")
	pprof.WriteHeapProfile(h)
	h.Close()
	runtime.KeepAlive(p)
	pprof.StopCPUProfile()
}
