package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man",
		Short: "Print the manual page: hbcheck man | man -l -",
		Long: `Man prints the manual page. To read it, and to install it:

	hbcheck man | man -l -
	hbcheck man > ~/.local/share/man/man1/hbcheck.1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return writeMan(cmd.OutOrStdout(), cmd.Root())
		},
	}
}

// writeMan writes the manual page of root and its commands (man-pages(7)).
func writeMan(w io.Writer, root *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH HBCHECK 1 \"\" \"hbcheck %s\" \"\"\n.SH NAME\nhbcheck \\- %s\n", roff(version()), roff(lower(root.Short)))
	b.WriteString(".SH SYNOPSIS\n")
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			fmt.Fprintf(&b, ".B hbcheck\n%s\n.br\n", roff(c.Use))
		}
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", paragraphs(root.Long))
	for _, c := range root.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		fmt.Fprintf(&b, ".SH \"%s\"\n%s", roff(strings.ToUpper("hbcheck "+c.Name())), paragraphs(c.Long))
		if c.Name() == "explore" {
			for _, g := range flagSets(c, exploreGroups) {
				fmt.Fprintf(&b, ".SS %s\n", roff(g.title))
				manFlags(&b, g.flags)
			}
			fmt.Fprintf(&b, ".SS Explorers\n%s", paragraphs(explorerDocs()))
		} else {
			manFlags(&b, c.LocalFlags())
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(strings.TrimPrefix(sub.CommandPath(), "hbcheck ")), roff(sub.Short))
			}
		}
	}
	b.WriteString(".SH ENVIRONMENT\n")
	for _, v := range [][2]string{
		{flagsVariable, "Flags for every command that has them, as GOFLAGS is for the go command. Flags on the command line override them."},
		{"HBCHECKCACHE", "The directory of cached results and saved searches; off: nothing is cached."},
		{"NO_COLOR", "If it is not empty, the output has no colours."},
	} {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(v[0]), roff(v[1]))
	}
	b.WriteString(".SH \"EXIT STATUS\"\n0: exhaustive and no bug; 1: a bug was found; 2: usage, load or internal error; 3: incomplete.\n")
	b.WriteString(".SH \"SEE ALSO\"\n.BR go (1)\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// manFlags writes flags, in their order.
func manFlags(b *strings.Builder, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := valueAndUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if value != "" {
			value = " " + value
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(name+value), roff(usage))
	})
}

// paragraphs returns the text of help. Lines that begin with blanks stay as they are.
func paragraphs(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text + "\n") {
		switch line = strings.TrimRight(line, "\n"); {
		case line == "":
			b.WriteString(".PP\n")
		case line[0] == ' ' || line[0] == '\t':
			b.WriteString(".br\n" + roff(line) + "\n")
		default:
			b.WriteString(roff(line) + "\n")
		}
	}
	return b.String()
}

// roff returns text that is not taken for requests.
func roff(s string) string {
	s = strings.NewReplacer("\\", "\\e", "-", "\\-", "'", "\\(aq", "\t", "    ").Replace(s)
	if strings.HasPrefix(s, ".") {
		s = "\\&" + s
	}
	return s
}

func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }
