package main

import (
	"errors"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/internal/verdicts"
)

func cleanCommand() *cobra.Command {
	var cached bool
	cmd := &cobra.Command{
		Use:   "clean -cache",
		Short: "Forget the results of earlier runs",
		Long: `Clean with -cache forgets the results of earlier runs. They are in the directory
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
			return verdicts.Clean(dir)
		},
	}
	cmd.Flags().BoolVar(&cached, "cache", false, "forget the results of earlier runs")
	return cmd
}
