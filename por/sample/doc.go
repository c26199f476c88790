// Package sample executes random schedules, and estimates the number of executions from them.
//
//   - random.go: a uniform random walk, the baseline.
//   - pct.go: random priorities with change points (Burckhardt et al., ASPLOS 2010).
//   - pos.go: random priorities of operations (Yuan, Yang and Gu, CAV 2018).
//   - surw.go: selectively uniform random walks (Zhao et al., ASPLOS 2025), with the counts of census.go,
//     and aimed at the cycles of the lock order in cycles.go. predict.go reads an execution and predicts
//     bugs of others (predict_ideal.go, predict_locks.go, predict_plans.go; predict_left.go: goroutines that
//     wait forever; predict_aimed.go: lost updates); follow.go executes the predicted schedules.
//   - rff.go: priorities of operations, and goals for the sources of reads (Wolff et al., ASPLOS 2024), which
//     readsfrom.go counts.
//   - sample.go: the common part: one execution after another, each from the initial state.
//   - estimate.go: the number of Mazurkiewicz classes, by weighted random walks (Knuth 1975).
//
// Guarantees: findings are real; the same seed gives the same executions, and the same estimates. Limits:
// sampling is never exhaustive, and the probability of finding a bug depends on the strategy.
package sample
