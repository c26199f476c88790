// Command clustersim simulates runs over many machines, with measured costs: their speedup, and the causes
// of waiting. It writes the tables of docs/cluster.md, and with -plot draws its picture.
//
//	go run ./internal/cmd/clustersim -plot docs/cluster.svg
//
//	entry.go     one entry that is cut into pieces
//	entries.go   a run of many entries
//	jpf.go       a search that stores states
//	plot.go      the picture
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

// numbers of workers in the table and in the picture.
var (
	tableWorkers = []int{10, 100, 1000}
	plotWorkers  = []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}
)

// hours is the work of the entry, and eachTime how often a run has an entry of each time.
const (
	hours    = 2
	eachTime = 100
)

// A variant is a way to cut an entry.
type variant struct {
	name   string
	change func(m *entryModel)
}

var variants = []variant{
	{"as it is", func(*entryModel) {}},
	{"1024 pieces at a time", func(m *entryModel) { m.most = 1024 }},
	{"1024 pieces of 2 s at a time", func(m *entryModel) { m.most, m.piece, m.more = 1024, 2, 0.05 }},
}

func (v variant) run(workers int) entryOutcome {
	m := asItIs
	m.work, m.workers = hours*3600, workers
	v.change(&m)
	return m.run(1)
}

func main() {
	plot := flag.String("plot", "", "draw the picture in `file`, as SVG")
	flag.Parse()
	err := writeTables(os.Stdout)
	if err == nil {
		fmt.Println()
		err = writeRounds(os.Stdout)
	}
	if err == nil && *plot != "" {
		var out *os.File
		if out, err = os.Create(*plot); err == nil {
			err = writePlot(out)
			out.Close()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// writeTables writes the table for one entry and for many.
func writeTables(w io.Writer) (err error) {
	out := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format+"\n", args...)
		}
	}
	out("| | workers | speedup | pieces or tasks a second | workers idle | server busy | owner busy with pieces |")
	out("|---|--:|--:|--:|--:|--:|--:|")
	percent := func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }
	for _, v := range variants {
		name := "one entry, " + v.name
		for _, n := range tableWorkers {
			o := v.run(n)
			out("| %s | %d | %.1f | %.0f | %s | %s | %s |", name, n, hours*3600/o.seconds, float64(o.pieces)/o.seconds, percent(o.idle), percent(o.server), percent(o.owner))
			name = ""
		}
	}
	name := fmt.Sprintf("%d entries", eachTime*len(medians))
	for _, n := range tableWorkers {
		o := runEntries(eachTime, n)
		out("| %s | %d | %.1f | %.0f | %s | %s | |", name, n, o.work/o.seconds, float64(o.tasks)/o.seconds, percent(o.idle), percent(o.server))
		name = ""
	}
	return err
}

// jpfStates is the size of the search of writeRounds.
const jpfStates = 1e8

// writeRounds writes the table for a search that stores states.
func writeRounds(w io.Writer) (err error) {
	out := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format+"\n", args...)
		}
	}
	out("| machines | speedup | rounds | GB to each | time without exploring |")
	out("|--:|--:|--:|--:|--:|")
	for _, n := range []int{2, 4, 8, 16} {
		o := searchInRounds(jpfStates, n)
		out("| %d | %.1f | %.0f | %.1f | %.0f %% |", n, o.times, o.rounds, o.bytes/1e9, 100*o.waits)
	}
	return err
}
