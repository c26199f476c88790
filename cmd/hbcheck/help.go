package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A flagGroup is flags that one needs for the same purpose, the most needed first.
type flagGroup struct{ title, names string }

// exploreGroups has every flag of the explore command that is shown, but for those that explorers
// declare themselves.
var exploreGroups = []flagGroup{
	{"What is explored", "run skip bench entry symbolic short tags chdir env stdin"},
	{"How long", "timeout preempt max-executions max-steps max-states max-memory first all count save resume"},
	{"What the environment may do", "time slack assume allow-leak rand seed maps signals net input-len unwind solver"},
	{"What is shown, and written", "verbose outcomes cover coverprofile format json output html color strict write-corpus"},
	{"How it is explored", "por jobs match symmetry hybrid"},
	{"For those who ask how it works", "explain check-static check-duplicates"},
}

// helpWidth is where lines of help end.
const helpWidth = 100

// groupFlags makes the help of cmd list its flags by what they are for.
func groupFlags(cmd *cobra.Command, groups []flagGroup) {
	cmd.SetUsageFunc(func(c *cobra.Command) error {
		w := c.OutOrStderr()
		fmt.Fprintf(w, "Usage:\n  %s\n", c.UseLine())
		for _, g := range flagSets(c, groups) {
			fmt.Fprintf(w, "\n%s:\n", g.title)
			g.flags.VisitAll(func(f *pflag.Flag) { fmt.Fprint(w, flagHelp(f)) })
		}
		return nil
	})
}

// flagHelp returns the lines of help about a flag.
func flagHelp(f *pflag.Flag) string {
	value, usage := pflag.UnquoteUsage(f)
	name := "    --" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", --" + f.Name
	}
	if value != "" {
		name += " " + value
	}
	if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
		usage += " (default " + f.DefValue + ")"
	}
	const indent = "          "
	var b strings.Builder
	b.WriteString("  " + name + "\n" + indent)
	n := len(indent)
	for i, word := range strings.Fields(usage) {
		if i > 0 && n+1+len(word) > helpWidth {
			b.WriteString("\n" + indent)
			n = len(indent)
		} else if i > 0 {
			b.WriteByte(' ')
			n++
		}
		b.WriteString(word)
		n += len(word)
	}
	b.WriteByte('\n')
	return b.String()
}

// A flagSet is the flags of a group.
type flagSet struct {
	title string
	flags *pflag.FlagSet
}

// flagSets returns the flags of c by group. Those of no group are options of one explorer.
func flagSets(c *cobra.Command, groups []flagGroup) (list []flagSet) {
	var grouped []string
	add := func(title string, names []string) {
		set := pflag.NewFlagSet(title, pflag.ContinueOnError)
		set.SortFlags = false
		for _, name := range names {
			if f := c.Flags().Lookup(name); f != nil {
				set.AddFlag(f)
			}
		}
		list = append(list, flagSet{title, set})
	}
	for _, g := range groups {
		names := strings.Fields(g.names)
		grouped = append(grouped, names...)
		add(g.title, names)
	}
	var own []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" && !slices.Contains(grouped, f.Name) {
			own = append(own, f.Name)
		}
	})
	add("Options of one explorer", own)
	return list
}
