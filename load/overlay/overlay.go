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
//
// After "if" comes a build constraint of release tags. Files of the overlay are for all releases unless a
// //go:build line restricts them.
//
// "drop init" drops all init functions. Imports that only dropped code used are
// removed. A line that finds nothing to remove is an error, so that a new Go release cannot quietly
// invalidate a patch.
//
// Functions without a body are natives of the machine. The files are subject to
// build constraints like those of the real package.
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
