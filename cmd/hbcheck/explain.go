package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/report"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain HB002",
		Short: "Say what a code means, with an example, and what helps",
		Long:  "Explain says what one of these codes means, with an example, and what helps. Those\nthat begin with refused- are what the machine does not execute:\n\n" + report.Codes(),
		Args:  cobra.ExactArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				for line := range strings.Lines(report.Codes()) {
					code, title, _ := strings.Cut(strings.TrimSpace(line), " ")
					list = append(list, code+"\t"+strings.TrimSpace(title))
				}
			}
			return list, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			text := report.Explain(args[0])
			if text == "" {
				return fmt.Errorf("%s: no such code; there are\n%s", args[0], report.Codes())
			}
			_, err := fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		},
	}
}
