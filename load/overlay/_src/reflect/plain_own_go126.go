//go:build !go1.27

package reflect

// hbStructOfName is the name of StructOf in its panics.
const hbStructOfName = "Struct"

// hbOwn returns t: before Go 1.27 package reflect calls the methods of a type that embeds a Type.
func hbOwn(t Type) Type { return t }
