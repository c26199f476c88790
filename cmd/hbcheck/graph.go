package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/por"
)

// graphFlags are those of --por=graph.
type graphFlags struct {
	client, replay, dot string
}

func (f *graphFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.client, "client", "datarace", "what --por=graph schedules over: `datarace|everyaccess`: memory that turns out to be shared, or all accesses")
	fs.StringVar(&f.replay, "replay", "rewind", "where --por=graph has missed a choice: `rewind|restart`: go back there, or execute the region again as in the paper")
	fs.StringVar(&f.dot, "dot", "", "write the graph of --por=graph to `dir` whenever a goroutine ends")
}

// options translates the flags.
func (f *graphFlags) options(o *explore.Options) error {
	switch {
	case f.client != "datarace" && f.client != "everyaccess":
		return fmt.Errorf("--client %s: want datarace or everyaccess", f.client)
	case f.replay != "rewind" && f.replay != "restart":
		return fmt.Errorf("--replay %s: want rewind or restart", f.replay)
	case o.POR.Name != "graph" && (f.client != "datarace" || f.replay != "rewind" || f.dot != ""):
		return fmt.Errorf("--client, --replay and --dot are for --por=graph")
	}
	if o.POR.Name == "graph" {
		o.Graph = f.config
	}
	return nil
}

// config makes the configuration for one entry. write writes a graph.
func (f *graphFlags) config(entry string, write func(io.Writer, *por.DPORGraph) error) *por.GraphConfig {
	c := &por.GraphConfig{Restart: f.replay == "restart"}
	if f.client == "everyaccess" {
		c.Client = por.GraphClient{Marker: por.EveryAccess{}, Dependence: por.EveryAccess{}}
	}
	if f.dot != "" {
		n := 0
		c.Emit = func(g *por.DPORGraph) error {
			n++
			return writeGraph(filepath.Join(f.dot, fmt.Sprintf("%s.%d.dot", strings.ReplaceAll(entry, "/", "_"), n)), g, write)
		}
	}
	return c
}

func writeGraph(name string, g *por.DPORGraph, write func(io.Writer, *por.DPORGraph) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(file, g); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
