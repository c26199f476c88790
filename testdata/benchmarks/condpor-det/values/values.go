// Package values has the elements that the programs of this suite put into their structures. The
// suite condpor has the same programs with another package in its place.
package values

// Element returns the i-th element, which is not 0.
func Element(i int) int64 { return int64(i + 1) }
