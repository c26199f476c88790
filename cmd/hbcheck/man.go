package main

import (
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man [command]",
		Short: "Print a manual page: hbcheck man explore | man -l -",
		Long: `Man prints the manual page of hbcheck, or of a command. To read one, and to install it:

	hbcheck man explore | man -l -
	hbcheck man explore > ~/.local/share/man/man1/hbcheck-explore.1`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, _, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			c.InitDefaultHelpFlag()
			c.DisableAutoGenTag = true
			date := commitTime()
			return doc.GenMan(c, &doc.GenManHeader{Section: "1", Source: "hbcheck " + version(), Date: &date}, cmd.OutOrStdout())
		},
	}
}

// commitTime returns the time of the commit that was built, so that the page of one version is the same on
// each day; 1970 if it is unknown.
func commitTime() time.Time {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if at, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
				return at
			}
		}
	}
	return time.Unix(0, 0).UTC()
}
