// Package values has the elements that the programs of this suite put into their structures. The
// suite condpor has the same programs with another package in its place.
package values

// Elements returns n elements, none of which is 0.
func Elements(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i + 1)
	}
	return list
}
