package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/internal/verdicts"
)

func cleanCommand() *cobra.Command {
	var cached bool
	cmd := &cobra.Command{
		Use:   "clean -cache",
		Short: "Forget the results of earlier runs, and searches that were saved",
		Long: `Clean with -cache forgets the results of earlier runs, and removes searches that
were saved. They are in the directory
hbcheck of the user's cache directory, or in the one that HBCHECKCACHE names; with
HBCHECKCACHE=off none are remembered.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if !cached {
				return errors.New("nothing to clean: want -cache")
			}
			dir, ok := verdicts.Dir()
			if !ok {
				return nil
			}
			boundSaves(savesDir(dir), -1, time.Now())
			return verdicts.Clean(dir)
		},
	}
	cmd.Flags().BoolVar(&cached, "cache", false, "forget the results of earlier runs")
	return cmd
}
