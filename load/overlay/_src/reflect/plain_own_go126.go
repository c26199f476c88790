//go:build !go1.27

package reflect

// hbStructOfName is what a panic of StructOf calls it.
const hbStructOfName = "Struct"

// hbOwn returns t: before Go 1.27 the methods of a type that embeds a Type were asked.
func hbOwn(t Type) Type { return t }
