// Package stateful has the explorers that can store states: Full and JPF, and with them the search
// for livelocks.
//
//   - dfs.go: the depth-first search, its stack and nodes.
//   - expand.go: the alternatives of a node.
//   - turns.go: turns of unfinished prefixes on paths that are too long and may have no end.
//   - parking.go: parks that are postponed until they make a difference.
//   - symmetry.go: states that are equal up to a permutation of goroutines.
//   - rounds.go, walker.go: the search by several workers.
//   - elsewhere.go: walkers that other processes explore, and the table that these get.
//   - acyclic.go: whether there is a cycle among the states of a search in rounds (Kahn 1962).
//   - full.go, jpf.go: the two explorers. JPF is Java Pathfinder's own reduction (Visser, Havelund,
//     Brat, Park, Lerda, "Model checking programs", Automated Software Engineering 2003): {g} is a
//     persistent set (Godefroid 1996) if g's pending operation commutes with all operations that the
//     others can execute before it.
//   - visited.go: the hash table of states (hash compaction: Wolper and Leroy 1993).
//   - components.go: the strongly connected components of the state graph (Tarjan 1972), found on
//     the way.
//   - lasso.go: whether a fair execution can stay in a component (Emerson and Lei 1987).
//   - jpftree.go: the size of the tree that JPF walks without stored states, for benchmarks.
//
// Guarantees: Full reaches every state. JPF reaches every deadlock, every end of the program, every race
// whose operations are both pending in some state, and every crash. Both report livelocks only with
// Config.Match and without a preemption bound. Full then finds a livelock if there is one; JPF can miss a
// livelock if its fairness needs an order of operations that JPF does not explore.
//
// Limits: 128-bit fingerprints identify states; por.Hash bounds the probability of a collision.
// Config.MaxMemory bounds the memory of the table.
package stateful
