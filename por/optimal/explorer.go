package optimal

import (
	"errors"
	"strconv"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/readsfrom"
)

// Explorer returns the explorer that calls Explore, or with --equivalence=rf the one of package readsfrom. It
// falls back to clockvector for some programs (and readsfrom to Explore for others); the caller adds these to
// its Fallbacks.
func Explorer() *por.Explorer {
	var opts options
	e := &por.Explorer{
		Name: "optimal", Doc: "one execution of each class of equivalent executions (--equivalence defines the classes)",
		Needs: []por.Capability{por.NeedEffects}, Stateless: true, NoPreemptionBound: true,
		OnePerClass: true, NoDuplicates: true,
		Run: func(sys por.System, v por.Visitor, cfg por.Config) por.Result { return explore(sys, v, cfg, opts) },
		Piece: func(sys por.System, v por.Sender, cfg por.Config, piece []byte, due func() bool) ([]byte, error) {
			return explorePiece(sys, v, cfg, opts, piece, due)
		},
	}
	e.Options = []por.Option{
		{
			Name: "equivalence", Default: "mazurkiewicz",
			Doc: "`mazurkiewicz|rf`: equivalence of executions for --por=optimal. mazurkiewicz: they order dependent " +
				"operations alike; rf: each read reads from the same write, and the verdict does not cover " +
				"the order of writes without a reader, nor the last value written",
			Set: func(value string) error {
				switch value {
				case "mazurkiewicz":
				case "rf":
					e.Run, e.Equivalence, e.Serial, e.Piece = exploreReadsFrom, "rf", "--equivalence=rf", nil
					e.OnePerClass = false
				default:
					return errors.New("want mazurkiewicz or rf")
				}
				return nil
			},
		},
		{
			Name: "prefix-memory", Hidden: true, Default: "0",
			Doc: "`bytes` of causal prefixes that are kept until they are explored; less than 0: none",
			Set: func(value string) (err error) {
				opts.prefixMemory, err = strconv.ParseInt(value, 10, 64)
				return err
			},
		},
		{
			Name: "eager", Hidden: true, Default: "false",
			Doc: "workers give away as much as possible, which takes longer: `true|false`",
			Set: func(value string) (err error) {
				opts.shareAll, err = strconv.ParseBool(value)
				return err
			},
		},
	}
	return e
}

// exploreReadsFrom explores the reads-from classes. If synchronisation orders all accesses to memory, these
// are the Mazurkiewicz classes, and each class costs less. So the search explores Mazurkiewicz classes until
// an execution shows an unordered access. (Up to then each is a reads-from class of its own, so that no
// redundant execution begins.)
func exploreReadsFrom(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	cfg.Oracle = nil // as in readsfrom, so that counts do not depend on the oracle
	var unordered bool
	_, leave := cfg.Enter(&unordered)
	defer leave()
	if !unordered && !por.Overtakes(sys) {
		if r := exploreSynchronised(sys, v, cfg); r.FallbackTo == "" && !por.Overtakes(sys) {
			return r
		}
		unordered = true
		por.Restart(v, cfg, "synchronisation does not order all accesses to memory")
	}
	return readsfrom.Explore(sys, v, cfg)
}

// exploreSynchronised explores the Mazurkiewicz classes as long as synchronisation orders all accesses to
// memory. If an access is unordered, another explorer has to explore the program.
//
// Readers of a lock commute here, as in Explore. Operations that refute this make the execution Unsupported:
// an unbalanced unlock, and a loop that waits for readers, like any loop that waits. An addition reads the
// value to which it adds, so the order of additions distinguishes classes.
func exploreSynchronised(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	//mutant: rf: additions commute [readsFrom]: "AdditionsDepend: true" -> "AdditionsDepend: false"
	//mutant: rf: readers do not commute [test ./por/explorers TestReadsFromReaders]: "AdditionsDepend: true" -> "AdditionsDepend: true, ReadersDepend: true"
	rel := hb.Relation{IgnoreOutput: cfg.IgnoreOutput, Synchronised: true, AdditionsDepend: true}
	if j, ok := v.(por.Mergeable); ok && cfg.Jobs > 1 {
		return exploreParallel(sys, j, cfg, options{}, rel)
	}
	s := newSearcher(sys, v, cfg, options{}, rel)
	r := s.run()
	if s.Unsupported {
		r = por.Result{FallbackTo: "clockvector"}
	}
	return r
}
