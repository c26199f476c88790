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
		Short: "Explain a code, with an example and a remedy",
		Long:  "Explain describes one of these codes, with an example and a remedy. Codes that begin\nwith refused- stand for operations that the machine does not execute:\n\n" + report.Codes(),
		Args:  oneArgument("a code such as HB002 (hbcheck explain -h lists them)"),
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
				return fmt.Errorf("%s: no such code; the codes are\n%s", args[0], report.Codes())
			}
			_, err := fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		},
	}
}
