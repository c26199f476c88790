// Package analyze shows the results of the static analyses of a program: facts at each program point, the
// objects that pointers may point to, and the call graph.
//
//	program.go               the program, its pointers and its functions, found once
//	select.go                which facts a Selection wants, within the time limit
//	calls.go, futures.go,    facts: of the call graph; of the analyses of package static;
//	guards.go                of a whole program, which locks guard which fields
//	pointsto.go, evaluate.go points-to queries: an expression at a position is evaluated
//	                         over sets of addresses
//	callgraph.go             the call graph as DOT and JSON
//	text.go, json.go,        how facts are written
//	html.go, stats.go
//
// An Analysis does not depend on the presentation of its facts, and a writer does not depend on the way in
// which facts are found: the two exchange Facts, sorted by position.
//
// # JSON
//
// The output is a sequence of objects, one per line. Field names are a
// contract: fields are added and never renamed. Positions are "file:line:col",
// with files below the directory of the command relative to it. The first line describes the following
// ones:
//
//	{"action":"analyze","schema":"hbcheck.analyze/1","packages":[...],"entries":[...],"analyses":[...],
//	 "gave_up":[...]}
//
// where gave_up, if present, names analyses that were not done in time. Then, sorted
// by position:
//
//	{"action":"fact","pos":...,"func":...,"analysis":...,"scope":"function|point","message":...,
//	 "items":[...],"notes":[{"pos":...,"message":...}]}
//
// A fact with scope "function" is about a whole call of func. Any other fact is about the code at pos; then
// func may be empty, because a field is not declared in a function. A message that lists many things is
// cut; then items has all of them. Notes say why a fact does not hold, or where its subject is. With
// --stats, at the end:
//
//	{"action":"stats","load_s":...,"pointer_s":...,"facts_s":...,"memory_bytes":...,"packages":...,
//	 "named_packages":...,"shown_functions":...,"facts":...,"functions":...,"activations":...,"calls":...,
//	 "objects":...,"variables":...,"constraints":...,"points_to_facts":...}
//
// With --points-to there is one line for each function or, with --contexts, for each
// of its calling contexts:
//
//	{"action":"points-to","schema":"hbcheck.analyze/1","pos":...,"func":...,"expr":...,"type":...,
//	 "context":...,"unknown":false,
//	 "labels":[{"pos":...,"kind":...,"object":...,"path":...,"type":...,"context":...}]}
//
// A label is a place to which the expression may refer: a part (path) of the object allocated or declared at
// pos. If unknown is set, the expression may also have any value that has been passed to code that is not
// analysed.
//
// The call graph is one object:
//
//	{"schema":"hbcheck.callgraph/1","nodes":[{"id":0,"func":...,"pos":...,"package":...,"root":true}],
//	 "edges":[{"caller":0,"callee":1,"pos":...,"kind":"call|go|defer|invoke|dynamic"}]}
//
// It has the selected functions and their neighbours. A root is called by the machine or by code that is
// not in the program.
package analyze
