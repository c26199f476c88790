package static

// EventOf is eventOf, for tests.
var EventOf = eventOf

// Named are the functions of package sync that analyses recognise only by name.
var Named = []string{WaitGroupGo, onceDo, newCond}
