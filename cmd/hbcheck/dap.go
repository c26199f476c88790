package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/debug"
	"hbcheck.dev/hbcheck/debug/dap"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

func dapCommand() *cobra.Command {
	listen := ""
	cmd := &cobra.Command{
		Use:   "dap [file.hbr]",
		Short: "Let an editor debug a schedule, forwards and backwards",
		Long: `Dap is a debug adapter for editors that speak the Debug Adapter Protocol. The editor
starts it and talks to it on standard input and output, or connects to the address of
--listen. Dap debugs the schedule of a replay file, or one schedule of a main function
or test. docs/editors.md explains how to set up editors.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			open := func(l dap.Launch, interrupted func() bool) (*debug.Session, report.Paths, error) {
				if len(args) == 1 && l.Replay == "" && l.Program == "" && l.Package == "" {
					l.Replay = args[0]
				}
				return openLaunch(l, interrupted)
			}
			if listen == "" {
				return dap.Serve(cmd.InOrStdin(), cmd.OutOrStdout(), open)
			}
			l, err := listenHere(listen)
			if err != nil {
				return err
			}
			defer l.Close()
			fmt.Fprintf(cmd.ErrOrStderr(), "listening on %s\n", l.Addr())
			for {
				conn, err := l.Accept()
				if err != nil {
					return err
				}
				if err := dap.Serve(conn, conn, open); err != nil {
					complain(cmd.ErrOrStderr(), err)
				}
				conn.Close()
			}
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "serve one client after the other at this `address` of the local host, such as 127.0.0.1:4711; port 0: any free port")
	return cmd
}

// listenHere listens at an address that only this computer can reach, because a client selects the program
// to load.
func listenHere(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: want an address such as 127.0.0.1:4711", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("--listen %s: want an address of the local host, 127.0.0.1:port", address)
	}
	return net.Listen("tcp", address)
}

// openLaunch loads the program that a client asks for.
func openLaunch(l dap.Launch, interrupted func() bool) (*debug.Session, report.Paths, error) {
	below := func(name string) string {
		if name == "" || filepath.IsAbs(name) || l.Cwd == "" {
			return name
		}
		return filepath.Join(l.Cwd, name)
	}
	replay, pkg := l.Replay, l.Package
	if strings.HasSuffix(l.Program, ".hbr") {
		replay = cmp.Or(replay, l.Program)
	} else {
		pkg = cmp.Or(pkg, l.Program)
	}
	switch {
	case replay != "" && (pkg != "" || l.Run != "" || len(l.Args) > 0):
		return nil, report.Paths{}, errors.New("launch: a replay file names its package, test and arguments itself")
	case replay != "":
		r, err := openFor(below(replay), true)
		if err != nil {
			return nil, report.Paths{}, err
		}
		s, err := r.session(interrupted)
		return s, r.paths, err
	case pkg == "" && l.Run == "":
		return nil, report.Paths{}, errors.New(`launch: want "replay", a file written by hbcheck explore, or "package"`)
	}
	return openRun(l, cmp.Or(pkg, "."), interrupted)
}

// openRun loads a package and debugs one schedule of its main function, or of a test.
func openRun(l dap.Launch, pkg string, interrupted func() bool) (*debug.Session, report.Paths, error) {
	none := report.Paths{}
	if filepath.IsAbs(pkg) && l.Cwd == "" { // an editor's program is a directory or a file
		if l.Cwd = pkg; strings.HasSuffix(pkg, ".go") {
			l.Cwd = filepath.Dir(pkg)
		} else {
			pkg = "."
		}
	}
	cfg := (&loadFlags{dir: l.Cwd, tags: l.Tags}).config([]string{pkg}, l.Run != "")
	cfg.Names = true
	prog, err := loadProgram(cfg)
	if err != nil {
		return nil, none, err
	}
	var machine machineFlags // the defaults of explore
	machine.register(pflag.NewFlagSet("", pflag.ContinueOnError))
	machine.args, machine.run = l.Args, l.Run
	machine.inputs = map[vm.InputKey]uint64{} // zero values
	run, _, _, err := machine.filters()
	if err != nil {
		return nil, none, err
	}
	entries, err := selection.Select(prog, selection.Options{Run: run}, machine.build)
	var noMatch *selection.NoMatch
	switch {
	case errors.As(err, &noMatch):
		return nil, none, errors.New(report.Error(err))
	case err != nil:
		return nil, none, err
	}
	i := 0
	for i < len(entries) && (l.Run != "") != (entries[i].Source.Kind == load.Test) {
		i++
	}
	switch {
	case i == len(entries) && l.Run == "":
		return nil, none, fmt.Errorf(`launch: %s has no main function; name a test with "run"`, pkg)
	case i == len(entries):
		return nil, none, fmt.Errorf("launch: no test matches %s", l.Run)
	}
	s, err := debug.Open(debug.Config{Prog: prog, Interrupted: interrupted, New: func(watch func(*vm.Machine, vm.Point)) (describe.Machine, error) {
		machine.watch = watch
		return entries[i].New(interrupted)
	}})
	return s, report.Paths{Base: prog.Dir, Source: prog.Source}, err
}
