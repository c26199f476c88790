// Package graph has dynamic partial order reduction over the events that a client marks: the DPOR
// graph of Storey, Mercer and Parizek ("A Sound Dynamic Partial Order Reduction Engine for Java
// Pathfinder", 2020).
//
//   - graph.go: the engine's interface: markers, dependence, nodes, Explore.
//   - search.go: Algorithms 1 and 2 of the paper, without the part in schedule.go.
//   - schedule.go: scheduling at the nodes above a new one.
//   - clients.go: the two clients of the paper that schedule for data races.
//   - dot.go: the graph for Graphviz.
//
// Guarantee: that of the client's marker and dependence; with the two clients here every deadlock,
// every end of the program and every race. Limits: no states are stored, no preemption bound is
// honoured, and there are no sleep sets, so classes are explored more than once.
package graph
