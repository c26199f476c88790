// Package overlay holds Go source that replaces parts of the standard library when a program is loaded for
// the machine.
//
// The tree _src mirrors GOROOT/src: _src/<import path>/ is for the package of that path. (For the go
// command, directories whose names begin with an underscore are not packages of this module, but gofmt and
// editors treat their files as Go.) There are two kinds of overlay packages.
//
// A directory without a file named PATCH replaces the whole package: its .go
// files are the package. It may also be a package that the Go distribution
// does not have, for the other overlay packages to import.
//
// A directory with a file named PATCH changes the real package of the Go
// distribution. The directory's .go files are added to the real ones; one of
// the same name replaces the real one. Each line of PATCH removes something from the real files:
//
//	# a comment
//	drop file.go        the whole file
//	drop name           the function, type, variable or constant
//	drop (*T).name      the method of *T
//	drop (T).name       the method of T
//	native name         the function keeps its declaration but loses its body
//	native (*T).name    so does the method
//	drop name if go1.27 the line holds from that release of Go on
//	drop name if !go1.27
//	swap file.go: text => other text, of equal length, for a text that the file has once; with \n and \t
//	swap file.go if !goexperiment.jsonv2: text => other text
//
// After "if" comes a build constraint of tags of releases and experiments, and hb_tested, which holds if the
// package is loaded with its own tests. Files of the overlay are for all releases unless a //go:build line
// restricts them.
//
// "drop init" drops all init functions. Imports that only dropped code used are
// removed. A line that finds nothing to remove is an error, so that a new Go release cannot quietly
// invalidate a patch.
//
// Functions without a body are natives of the machine. The files are subject to
// build constraints like those of the real package.
//
// # What is made only once
//
// Much of the library makes a table on first use, under a Once, or keeps what it has computed in a
// Map. If goroutines used these at the same time, all orders would be explored in which one of them
// is first, though no code can see the difference. Two sorts of overlays prevent it:
//
//   - hb_once.go makes a table when the package is initialised: one that depends on nothing, and whose making
//     has no other effect and calls no code of the program. Claim: the same outcomes. A call that would
//     have made the table finds one with the same contents, and no program can ask whether it is there
//     already. The Once orders the goroutine that makes a table before others, but each of these could have
//     come first unless something else orders them: so no race is lost, and none invented.
//   - A swap of sync.Map for sync.Own, which is each goroutine's own.
package overlay

import (
	"embed"
	"io/fs"
)

//go:embed all:_src
var files embed.FS

// FS returns the overlay tree, whose directories are import paths.
func FS() fs.FS {
	sub, err := fs.Sub(files, "_src")
	if err != nil {
		panic("BUG: " + err.Error()) // only an invalid name can fail
	}
	return sub
}
