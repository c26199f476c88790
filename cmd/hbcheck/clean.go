package main

import (
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/internal/verdicts"
)

func cleanCommand() *cobra.Command {
	var cached bool
	cmd := &cobra.Command{
		Use:   "clean -cache",
		Short: "Remove cached results and saved searches",
		Long: `Clean with -cache removes the cached results of earlier runs, saved searches, and the data
of runs on several machines (docs/cluster.md). The cache is the directory hbcheck in the
user's cache directory, or the directory named by HBCHECKCACHE; with HBCHECKCACHE=off
nothing is cached.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if !cached {
				return errors.New("nothing to clean: want -cache")
			}
			dir, ok := verdicts.Dir()
			if !ok {
				return nil
			}
			if err := os.RemoveAll(clusterDir()); err != nil {
				return err
			}
			boundSaves(savesDir(dir), -1, time.Now())
			return verdicts.Clean(dir)
		},
	}
	cmd.Flags().BoolVar(&cached, "cache", false, "remove cached results and saved searches")
	return cmd
}
