// Package bench measures the machine and the explorers on the programs of
// testdata/benchmarks, which it carries with it, and writes the tables of hbcheck bench.
//
// There are six sorts of suites, each with its own rows:
//
//	suite     what is measured                                    rows
//	vm        40 sequential programs, in the machine and         SpeedRow
//	          compiled: what counts is the ratio
//	jpf       concurrent programs that exist in Java, too: the    JPFRow
//	          sizes of their state spaces beside those that Java
//	          Pathfinder reports for the Java text
//	realistic programs as people write them, in sizes that grow:   RealisticRow
//	          what a search of their states costs
//	spin14    the programs of a paper on static facts, with       Spin14Row
//	          every kind of them, beside its table 2
//	sct, jacontebe, racebench, kernels                            SampledRow
//	          programs with a bug: how many executions each
//	          explorer that samples needs, and the work of auto
//	others    programs whose executions have been counted by a    CountedRow
//	          formula, by another tool or in a paper; other
//	          numbers are an error (CountedSuites)
//
// A suite is a function that lists its programs, with what is published about them. A Workspace
// loads and explores them; a Writer takes the rows, as text, Markdown, JSON or CSV.
//
// Times are CPU times of the process, garbage collection included: they are
// meaningful on a busy computer, too.
package bench
