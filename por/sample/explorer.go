package sample

import (
	"errors"
	"strconv"

	"hbcheck.dev/hbcheck/por"
)

// RandomExplorer returns the explorer random.
func RandomExplorer() *por.Explorer {
	return &por.Explorer{
		Name:      "random",
		Doc:       "samples executions: a random walk",
		Stateless: true,
		Samples:   true,
		Run:       Random,
		Piece:     pieceSearch(always(newWalk)),
	}
}

// SURWExplorer returns the explorer surw.
func SURWExplorer() *por.Explorer {
	return &por.Explorer{
		Name:      "surw",
		Doc:       "samples executions: goroutines in proportion to the operations they have left (Zhao et al. 2025)",
		Stateless: true,
		Samples:   true,
		Run:       SURW,
		Piece:     pieceSearch(newSURW),
	}
}

// RFFExplorer returns the explorer rff.
func RFFExplorer() *por.Explorer {
	return &por.Explorer{
		Name:      "rff",
		Doc:       "samples executions: reads get sources that were rare in earlier executions (Wolff et al. 2024)",
		Stateless: true,
		Samples:   true,
		Run:       RFF,
		Piece:     pieceSearch(newRFF),
	}
}

// PCTExplorer returns the explorer pct.
func PCTExplorer() *por.Explorer {
	depth := DefaultDepth
	return &por.Explorer{
		Name:      "pct",
		Doc:       "samples executions: random priorities that change at a few random steps (Burckhardt et al. 2010)",
		Stateless: true,
		Samples:   true,
		Run:       func(sys por.System, v por.Visitor, cfg por.Config) por.Result { return PCT(sys, v, cfg, depth) },
		Piece: func(sys por.System, v por.Sender, cfg por.Config, piece []byte, due func() bool) ([]byte, error) {
			return pieceSearch(always(newPCT(depth)))(sys, v, cfg, piece, due)
		},
		Options: []por.Option{{
			Name: "depth", Default: strconv.Itoa(DefaultDepth),
			Doc: "number `d` of ordering constraints that a bug needs, for --por=pct",
			Set: func(value string) error {
				d, err := strconv.Atoi(value)
				if err != nil || d < 1 {
					return errors.New("want 1 or more")
				}
				depth = d
				return nil
			},
		}},
	}
}

// POSExplorer returns the explorer pos.
func POSExplorer() *por.Explorer {
	return &por.Explorer{
		Name:      "pos",
		Doc:       "samples executions: random priorities, drawn again where operations conflict (Yuan et al. 2018)",
		Stateless: true,
		Samples:   true,
		Run:       POS,
		Piece:     pieceSearch(always(newPOS)),
	}
}
