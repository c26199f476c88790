// Package analyze shows what the static analyses know of a program: facts at
// each program point, what pointers may point to, and the call graph.
//
// # JSON
//
// The output is a sequence of objects, one per line. Field names are a
// contract: fields are added and never renamed. Positions are "file:line:col",
// with files below the directory of the command relative to it. The first line
// says what follows:
//
//	{"action":"analyze","schema":"hbcheck.analyze/1","packages":[...],"entries":[...],"analyses":[...]}
//
// Then, sorted by position:
//
//	{"action":"fact","pos":...,"func":...,"analysis":...,"scope":"function|point","message":...,
//	 "notes":[{"pos":...,"message":...}]}
//
// A fact with scope "function" is about a whole call of func, otherwise about
// what stands at pos. Notes say why, or name what the fact is about. With
// --points-to, instead of facts:
//
//	{"action":"points-to","pos":...,"func":...,"expr":...,"type":...,"context":...,
//	 "labels":[{"pos":...,"kind":...,"object":...,"path":...,"type":...,"context":...}]}
//
// and with --stats, at the end:
//
//	{"action":"stats","load_s":...,"pointer_s":...,"facts_s":...,"memory_bytes":...,"packages":...,"functions":...,
//	 "activations":...,"calls":...,"objects":...,"variables":...,"constraints":...,"points_to_facts":...}
//
// The call graph is one object:
//
//	{"schema":"hbcheck.callgraph/1","nodes":[{"id":0,"func":...,"pos":...,"package":...,"root":true}],
//	 "edges":[{"caller":0,"callee":1,"pos":...,"kind":"call|go|defer|invoke|dynamic"}]}
package analyze
