// Package lookahead has oracles that explore the executions of the other goroutines while one waits, to
// decide whether {g} is a persistent set (Godefroid, "Partial-Order Methods for the Verification of
// Concurrent Systems", LNCS 1032, 1996, chapter 4).
//
//   - persistent.go: PersistentSet, the definition, by exploration. The other oracles are
//     tested against it.
//   - lookahead.go: Oracle, which asks a cheap oracle first and then searches within a budget.
//   - search.go: that search.
//
// Guarantee: if g needs no choice according to an oracle, then no execution in which g does not move has an
// operation that conflicts with g's pending one by trace.Op.Conflicts. So g's operation can be executed at
// once. Limit: a search that exceeds its budget has no answer.
package lookahead
