//go:build go1.27

package reflect

// hbStructOfName is the name of StructOf in its panics.
const hbStructOfName = "StructOf"

// hbOwn returns t without the methods of a type of the program that embeds it.
func hbOwn(t Type) Type { return toType(t.common()) }
