// Package inputs has small programs in the style of real ones whose bugs need an input and, most of
// them, a schedule. Each has a right and a wrong version: the fuzz targets in inputs_test.go.
package inputs

// A Version says which of the two it is.
type Version bool

// The versions.
const (
	Right Version = false
	Wrong Version = true
)
