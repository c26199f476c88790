package graph

import (
	"errors"
	"fmt"

	"hbcheck.dev/hbcheck/por"
)

// Explorer returns the explorer graph, with its options.
func Explorer() *por.Explorer {
	var gc Config
	dir := ""
	e := &por.Explorer{
		Name:              "graph",
		Serial:            "--por=graph",
		Doc:               "dynamic partial order reduction over events that a client marks: the DPOR graph (Storey et al. 2020)",
		Needs:             []por.Capability{por.NeedEffects},
		Stateless:         true,
		NoPreemptionBound: true,
		Run: func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
			gc := gc
			if dir != "" && cfg.Create != nil {
				gc.Emit = dotWriter(dir, cfg)
			}
			return Explore(sys, v, cfg, gc)
		},
	}
	e.Options = []por.Option{
		{
			Name: "client", Default: "datarace",
			Doc: "`datarace|everyaccess`: accesses that --por=graph schedules. datarace: those to memory that turns out to be shared; everyaccess: all",
			Set: func(value string) error {
				switch value {
				case "datarace":
					gc.Client = Client{}
				case "everyaccess":
					gc.Client = Client{Marker: EveryAccess{}, Dependence: EveryAccess{}}
				default:
					return errors.New("want datarace or everyaccess")
				}
				return nil
			},
		},
		{
			Name: "replay", Default: "rewind",
			Doc: "`rewind|restart`: what --por=graph does after it missed a choice. rewind: go back to that choice; restart: execute the region again, as in the paper",
			Set: func(value string) error {
				if value != "rewind" && value != "restart" {
					return errors.New("want rewind or restart")
				}
				gc.Restart = value == "restart"
				return nil
			},
		},
		{
			Name: "dot",
			Doc:  "write the graph of --por=graph to `dir` whenever a goroutine ends",
			Set: func(value string) error {
				dir, e.NotSaved = value, true // graphs have nodes of all paths
				return nil
			},
		},
	}
	return e
}

// dotWriter returns a function that writes each graph to a new file in dir.
func dotWriter(dir string, cfg por.Config) func(*DPORGraph) error {
	n := 0
	return func(g *DPORGraph) error {
		n++
		file, err := cfg.Create(dir, fmt.Sprintf("%d.dot", n))
		if err != nil {
			return err
		}
		if err := g.WriteDOT(file, cfg.Describe); err != nil {
			file.Close()
			return err
		}
		return file.Close()
	}
}
