// Package sample executes schedules that are drawn at random, and estimates from such how many
// executions there are.
//
//   - random.go: a uniform random walk, the baseline.
//   - pct.go: random priorities with change points (Burckhardt et al., ASPLOS 2010).
//   - pos.go: random priorities of operations (Yuan, Yang and Gu, CAV 2018).
//   - sample.go: what they share: one execution after another, each from the initial state.
//   - estimate.go: the number of Mazurkiewicz classes, by weighted random walks (Knuth 1975).
//
// Guarantees: what is found is real; the same seed gives the same executions, and the same
// estimates. Limits: they are never exhaustive; what the probability of a bug is depends on the
// strategy.
package sample
