package static_test

import (
	"fmt"
	"go/types"
	"log"
	"os"
	"path/filepath"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/vm"
)

const bank = `package main

import "sync"

type account struct {
	mu      sync.Mutex
	balance int
	name    string
}

func (a *account) withdraw(n int, done *sync.WaitGroup) {
	if a.name == "" {
		return
	}
	a.mu.Lock()
	a.balance -= n
	a.mu.Unlock()
	done.Done()
}

func main() {
	var wg sync.WaitGroup
	wg.Add(1)
	go (&account{name: "x"}).withdraw(5, &wg)
	wg.Wait()
}
`

// The events that a goroutine at the beginning of withdraw may and must still execute before withdraw
// returns.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"go.mod": "module bank\n\ngo 1.26\n", "main.go": bank} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}})
	if err != nil {
		log.Fatal(err)
	}
	main := prog.Entries[0]
	machine, err := vm.New(prog, main, vm.Config{})
	if err != nil {
		log.Fatal(err)
	}
	graph := static.NewCallGraph(prog, main, natives{machine})
	base := static.NewBase(graph)

	account := main.Func.Pkg.Type("account").Object().Type()
	withdraw := main.Func.Prog.LookupMethod(types.NewPointer(account), main.Func.Pkg.Pkg, "withdraw")
	first := withdraw.Blocks[0].Instrs[0]
	for _, a := range static.Analyses(base) {
		if a.Name() != "mustlock" && a.Name() != "maynotify" && a.Name() != "minprefix" {
			continue
		}
		fmt.Printf("%s: %s\n", a.Name(), a.Doc())
		for _, fact := range a.At(first) {
			fmt.Println("\t" + fact.Text)
		}
	}
	// Output:
	// mustlock: locks acquired on every path from here before the first access of a class
	// 	lock a.mu before read field balance of main.account
	// 	lock a.mu before write field balance of main.account
	// maynotify: operations from here on that may let other goroutines continue
	// 	done done
	// 	unlock a.mu
	// minprefix: how far the counters of WaitGroups may go down from here until the function returns
	// 	done may go down by 1
}
