package stateful

import (
	"strconv"

	"hbcheck.dev/hbcheck/por"
)

// FullExplorer returns the explorer full, which explores every interleaving of visible operations.
func FullExplorer() *por.Explorer {
	return &por.Explorer{
		Name:      "full",
		Doc:       "every interleaving of visible operations",
		Stateless: true,
		Stateful:  true,
		Run:       Full,
		Piece:     explorePiece,
	}
}

// JPFExplorer returns the explorer jpf, which makes choices only where Java Pathfinder does.
func JPFExplorer() *por.Explorer {
	e := &por.Explorer{
		Name:      "jpf",
		Doc:       "Java Pathfinder's reduction: choices at synchronisation and at shared accesses",
		Stateless: true,
		Stateful:  true,
		Run:       JPF,
		Piece:     explorePiece,
	}
	e.Options = []por.Option{{
		Name:    "counted",
		Hidden:  true,
		Default: "false",
		Doc:     "count the executions of the tree without walking through it twice: `true|false`",
		Set: func(value string) error {
			counted, err := strconv.ParseBool(value)
			if e.NotSaved = counted; counted {
				e.Run, e.Piece = JPFTree, nil
			}
			return err
		},
	}}
	return e
}
