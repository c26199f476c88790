package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A flagGroup is a list of flags that serve one purpose, the most useful first.
type flagGroup struct{ title, names string }

// exploreGroups has every visible flag of the explore command except those that explorers declare.
// The first group is also part of the help of hbcheck.
var exploreGroups = []flagGroup{
	{"Flags most people need", "run timeout budget all preempt cover jobs format resume verbose"},
	{"Selecting and loading what to explore", "skip entry since bench no-main short tags chdir env stdin symbolic"},
	{"Limits, the cache and saved searches", "parallel cluster scale max-memory max-steps max-executions max-states count save"},
	{"Behaviour of the environment", "time slack rand seed maps signals net calls assume leaks allow-leak input-len unwind solver"},
	{"Output", "outcomes strict json output html color coverprofile write-corpus baseline write-baseline"},
	{"Choosing an explorer", "por target match symmetry hybrid"},
	{"Diagnosing a search", "explain check-static check-duplicates"},
}

// helpWidth is where lines of help end.
const helpWidth = 100

// groupFlags makes the help of cmd list its flags by purpose, and then text.
func groupFlags(cmd *cobra.Command, groups []flagGroup, text string) {
	cmd.SetUsageFunc(func(c *cobra.Command) error {
		w := c.OutOrStderr()
		fmt.Fprintf(w, "Usage:\n  %s\n", c.UseLine())
		for _, g := range flagSets(c, groups) {
			fmt.Fprintf(w, "\n%s:\n", g.title)
			g.flags.VisitAll(func(f *pflag.Flag) { fmt.Fprint(w, flagHelp(f)) })
		}
		_, err := fmt.Fprint(w, "\n"+text)
		return err
	})
}

// showFirstFlags makes the help of root list the flags of explore that most people need.
func showFirstFlags(root, explore *cobra.Command) {
	usage := root.UsageFunc()
	root.SetUsageFunc(func(c *cobra.Command) error {
		if err := usage(c); err != nil || c != root {
			return err
		}
		w := c.OutOrStderr()
		fmt.Fprintf(w, "\n%s (hbcheck explore -h lists all):\n", exploreGroups[0].title)
		flagSets(explore, exploreGroups)[0].flags.VisitAll(func(f *pflag.Flag) { fmt.Fprint(w, flagHelp(f)) })
		return nil
	})
}

// flagHelp returns the lines of help about a flag.
func flagHelp(f *pflag.Flag) string {
	value, usage := valueAndUsage(f)
	name := "    --" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", --" + f.Name
	}
	if value != "" {
		name += " " + value
	}
	if !slices.Contains([]string{"", "0", "0s", "false", "[]", "-1"}, f.DefValue) {
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

// valueAndUsage returns the placeholder of f's value and the help on f. The help does not repeat a list
// of values that is the placeholder.
func valueAndUsage(f *pflag.Flag) (value, usage string) {
	value, usage = pflag.UnquoteUsage(f)
	return value, strings.TrimPrefix(usage, value+": ")
}

// A flagSet is the flags of a group.
type flagSet struct {
	title string
	flags *pflag.FlagSet
}

// flagSets returns the flags of c by group. Flags of no group are options of one explorer.
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
