package main

import "container/heap"

// medians are the times of the tests of 43 modules, in seconds: the last column of docs/research/real.md.
var medians = []float64{0.1, 30.3, 0, 0.5, 0.1, 0.7, 30.6, 38.4, 31.9, 1.8, 59.8, 30.2, 1.2, 30.3, 0, 0.7, 24.7, 0.2,
	0.4, 0.1, 0.4, 0.6, 0.5, 0.2, 1, 0.6, 9.8, 6.7, 0, 2.6, 0.3, 58.5, 0.2, 0, 0, 0.1, 0, 0.3, 6.7, 0.8, 0.6, 32.1, 0.1}

// firstPass is the time for which each entry is explored first; the undecided ones then share the rest of
// the time.
const firstPass = 2.0

// An entriesOutcome is the result of a simulated run of many entries.
type entriesOutcome struct {
	seconds, work float64
	tasks         int
	idle, server  float64
}

// runEntries simulates a run of entries that are not cut: for each time of medians, that number of entries.
func runEntries(each, workers int) (o entriesOutcome) {
	var first, second []float64
	for range each {
		for _, d := range medians {
			if first = append(first, min(d, firstPass)); d > firstPass {
				second = append(second, d)
			}
		}
	}
	var server line
	pass := func(begin float64, tasks []float64) (end float64) {
		var events events
		var next func(now float64)
		next = func(now float64) {
			if len(tasks) == 0 {
				return
			}
			d := tasks[0]
			tasks = tasks[1:]
			o.work += d
			o.tasks++
			done := server.serve(now, measured.server/2) + 2*latency + d + measured.client
			events.at(done, func() {
				end = server.serve(done, measured.server/2)
				next(end)
			})
		}
		for range workers {
			events.at(begin, func() { next(begin) })
		}
		for len(events) > 0 {
			heap.Pop(&events).(event).do()
		}
		return end
	}
	end := pass(measured.load, first)
	end = max(end, pass(end, second)) // then the coordinator knows the remaining entries
	o.seconds = end
	o.idle, o.server = 1-o.work/(o.seconds*float64(workers)), server.busy/o.seconds
	return o
}
