package static

// EventOf is eventOf, for tests.
var EventOf = eventOf

// Named are the functions of package sync that analyses know by their names alone.
var Named = []string{WaitGroupGo, onceDo, newCond}
