//go:build go1.27

package reflect

// hbStructOfName is what a panic of StructOf calls it.
const hbStructOfName = "StructOf"

// hbOwn returns t without the methods with which a program's type that embeds it has replaced its own.
func hbOwn(t Type) Type { return toType(t.common()) }
