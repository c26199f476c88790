// Package lookahead has oracles that explore what the other goroutines can do while one waits:
// whether {g} is a persistent set (Godefroid, "Partial-Order Methods for the Verification of
// Concurrent Systems", LNCS 1032, 1996, chapter 4).
//
//   - persistent.go: PersistentSet, the definition, by exploration. The other oracles are
//     tested against it.
//   - lookahead.go: Oracle, which asks a cheap oracle first and then searches within a budget.
//   - search.go: that search.
//
// Guarantee: if they say that g needs no choice, then no execution in which g does not move has an
// operation that conflicts with g's next one, as far as trace.Op.Conflicts goes: so g's operation
// can be executed at once. Limit: a search that is cut short by its budget says nothing.
package lookahead
