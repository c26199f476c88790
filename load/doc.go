// Package load turns go-command patterns into a type-checked, lazily built SSA
// program and its entries.
//
// # Division of labour
//
// The go command answers only questions that need it: the packages that match a pattern, the user's files
// that belong to them under the present build constraints and flags, the resolution of import paths (modules,
// vendoring, workspaces, test variants), and the Go version of each module. Packages of the standard library
// are not taken from its answer but found under GOROOT/src with go/build, because the machine replaces some
// of them: see package overlay. Only packages that are still imported after that replacement are parsed, and
// only the declarations in them that can be mentioned are checked (see prune). That accounts for most of the
// speed; BenchmarkTenLines has the measurements.
//
// # Phases
//
//	list      go list -deps, go env                   (child processes)
//	cgo       files that import "C" and have no alternative are taken in, see addCgo
//	discover  std packages reachable by import        (reads files, headers)
//	parse     every file, in parallel
//	prune     std declarations that are not mentioned are removed, and bodies of functions that
//	          cannot be called; with a Cache, after check
//	check     go/types, in parallel along the import DAG; most bodies of the standard library later, see
//	          setBodiesAside
//	create    ssa.Program with all packages created, none built; bodies that cannot be called of
//	          packages of the user's that are only imported are left out
//	build     later, function by function: EnsureBuilt
//
// Functions become SSA on first need. InitOrder leaves out packages that
// have nothing to initialise, so a package is built only if it has
// initialisation to run or one of its functions is reached.
//
// # Determinism
//
// Work is done in parallel but its results do not depend on how it was
// scheduled: the token.Pos of each declaration, the order of All, Entries,
// InitOrder and Errors are functions of the sources alone. To this end each
// file's place in the file set is reserved before anything is parsed.
//
// # Packages and variants
//
// As with go test, the package under test exists twice: as "p" and, with its
// in-package _test.go files, as "p [p.test]"; packages that import p and that
// an external test package imports have a variant too. Package.ID
// distinguishes them, Package.Path does not. The import closure of one entry never has two
// variants of one path.
package load
