// Package stateful has the explorers that can store states: Full and JPF, and with them the search
// for livelocks.
//
//   - dfs.go: the depth-first search, its stack, and what a node is.
//   - expand.go: which alternatives a node has.
//   - turns.go: what it does on paths that are too long, as they may have no end.
//   - rounds.go, walker.go: the same by several workers.
//   - acyclic.go: whether there is a cycle among the states of a search in rounds (Kahn 1962).
//   - full.go, jpf.go: the two explorers. JPF is Java Pathfinder's own reduction (Visser, Havelund,
//     Brat, Park, Lerda, "Model checking programs", Automated Software Engineering 2003): {g} is a
//     persistent set (Godefroid 1996) if g's next operation commutes with all that the others can
//     do before it.
//   - visited.go: the hash table of states (hash compaction: Wolper and Leroy 1993).
//   - components.go: the strongly connected components of the state graph (Tarjan 1972), found on
//     the way.
//   - lasso.go: whether a fair execution can stay in a component (Emerson and Lei 1987).
//   - jpftree.go: how large the tree is that JPF walks without stored states, for benchmarks.
//
// Guarantees: Full reaches every state. JPF reaches every deadlock, every end of the program, every
// race that is next in some state, and every crash. Both report livelocks only with Config.Match
// and without a preemption bound. Full then finds one if there is any; JPF can miss one if fairness
// needs an order of operations that it does not explore.
//
// Limits: states are known by 128-bit fingerprints, so two states are taken for one with a
// probability that por.Hash bounds. The memory of the table is bounded by Config.MaxMemory.
package stateful
