package layout_test

import (
	"fmt"
	"go/types"

	"hbcheck.dev/hbcheck/vm/layout"
)

// The type that the package's documentation draws.
func ExampleTable_Of() {
	field := func(name string, t types.Type) *types.Var { return types.NewField(0, nil, name, t, false) }
	t := types.NewStruct([]*types.Var{
		field("a", types.Typ[types.Int8]), field("s", types.Typ[types.String]), field("f", types.Typ[types.Float32]),
	}, nil)
	l := layout.NewTable().Of(t)
	fmt.Println("size", l.Size, "registers", l.Words(), "pointers", l.Ptrs)
	for _, s := range l.Eq {
		fmt.Println(map[layout.SegKind]string{layout.SegMem: "mem", layout.SegString: "string", layout.SegF32: "f32"}[s.Kind], s.Off, s.Size)
	}
	// Output:
	// size 32 registers 4 pointers [8]
	// mem 0 1
	// string 8 16
	// f32 24 4
}
