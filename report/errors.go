package report

import (
	"errors"
	"fmt"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/ignore"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
)

// Error returns the text of an error of package explore for users.
func Error(err error) string {
	var notResumed *explore.NotResumed
	var illegal *explore.Illegal
	var mistake *explore.Mistake
	var none *selection.NoMatch
	var ignore *ignore.Bad
	var directive *selection.BadDirective
	switch {
	case errors.As(err, &notResumed):
		return fmt.Sprintf("--resume: %s: %v", notResumed.File, notResumed.Err)
	case errors.As(err, &illegal):
		return refusals[illegal.Rule](illegal)
	case errors.As(err, &mistake) && mistake.Static != nil:
		return fmt.Sprintf("BUG: --check-static: %v", mistake.Static)
	case errors.As(err, &mistake):
		return fmt.Sprintf("BUG: --check-duplicates: %v", mistake.Duplicate)
	case errors.As(err, &none):
		if none.Run == nil {
			return fmt.Sprintf("--skip %v excludes every entry; the first one is %s", none.Skip, none.First)
		}
		return fmt.Sprintf("--run %v matches no entry; the first entry is %s", none.Run, none.First)
	case errors.As(err, &ignore) && ignore.Kind == 0:
		kinds := bug.Kinds()
		return fmt.Sprintf("%v: %s needs the code of a bug, %s to %s", ignore.Pos, ignore.Directive, kinds[0].Code(), kinds[len(kinds)-1].Code())
	case errors.As(err, &ignore):
		return fmt.Sprintf("%v: %s %s needs a reason after the code", ignore.Pos, ignore.Directive, ignore.Kind.Code())
	case errors.As(err, &directive) && directive.Why == selection.UnknownDirective:
		_, name, _ := strings.Cut(directive.Directive, ":")
		names := append([]string{"ignore"}, selection.DirectiveNames...)
		if best := Nearest(name, names); best != "" {
			return fmt.Sprintf("%v: %s: unknown directive; did you mean %s?", directive.Pos, directive.Directive, strings.TrimSuffix(directive.Directive, name)+best)
		}
		return fmt.Sprintf("%v: %s: unknown directive; the directives are %s", directive.Pos, directive.Directive, strings.Join(names, ", "))
	case errors.As(err, &directive) && directive.Why == selection.UnreasonedDirective:
		return fmt.Sprintf("%v: %s needs a reason after the value", directive.Pos, directive.Directive)
	case errors.As(err, &directive) && directive.Why == selection.SpacedDirective:
		return fmt.Sprintf("%v: a space after the slashes makes this an ordinary comment; write %s", directive.Pos, directive.Directive)
	case errors.As(err, &directive):
		return fmt.Sprintf("%v: %s must be in the doc comment of a test or main function, or before the package clause",
			directive.Pos, directive.Directive)
	}
	return err.Error()
}

// refusals say why options are refused: one text for each rule.
var refusals = [explore.NumRules]func(e *explore.Illegal) string{
	explore.MatchUnsupported: func(e *explore.Illegal) string {
		return fmt.Sprintf("--match on: --por %s does not store states", e.Options.POR.Name)
	},
	explore.MatchRequired: func(e *explore.Illegal) string {
		return fmt.Sprintf("--match off: --por %s needs to store states", e.Options.POR.Name)
	},
	explore.WholeUnsupported: func(e *explore.Illegal) string {
		if e.Options.LimitPreempt {
			return "--calls=" + calls(e.Options) + " excludes --preempt: it has no bound on preemptions in your own code, and allows none inside of calls"
		}
		return fmt.Sprintf("--calls=%s is for full and jpf, and --por=%s is neither", calls(e.Options), e.Options.POR.Name)
	},
	explore.PreemptUnsupported: func(e *explore.Illegal) string {
		return fmt.Sprintf("--preempt: --por %s leaves out schedules that are equivalent to others, which may have more preemptions", e.Options.POR.Name)
	},
	explore.DuplicatesExpected: func(e *explore.Illegal) string {
		return fmt.Sprintf("--check-duplicates: --por %s may explore a class more than once; %s do not", e.Options.POR.Name,
			ExplorerNames(func(x *por.Explorer) bool { return x.NoDuplicates }))
	},
	explore.ExplainNeedsFacts: func(*explore.Illegal) string {
		return "--explain needs --hybrid: without it there is a choice before every operation that could conflict with another goroutine"
	},
}

// OneWorker returns the reason why the search of o has one worker, "" if it has as many as requested.
func OneWorker(o *explore.Options) string {
	if text := oneWorker[o.OneWorker()]; text != nil {
		return fmt.Sprintf("-j %d: using one worker, %s", o.Jobs, text(o))
	}
	return ""
}

// oneWorker has the reasons; a reason without a text does not depend on options.
var oneWorker = [explore.NumOneWorker]func(o *explore.Options) string{
	explore.SerialExplorer: func(o *explore.Options) string {
		return fmt.Sprintf("because a search with %s cannot use more", o.POR.Serial)
	},
	explore.SerialBounds: func(o *explore.Options) string {
		return fmt.Sprintf("because --por=%s uses more only with --match and without --max-executions and --max-states", o.POR.Name)
	},
	explore.SerialOracle: func(o *explore.Options) string {
		return fmt.Sprintf("because --hybrid=%s learns during the search", o.Hybrid)
	},
	explore.SerialCheck: func(o *explore.Options) string {
		return "because --check-static, --check-duplicates, --explain and --trace-search follow a single search"
	},
}

// ExplorerNames lists the explorers for which is returns true; all explorers if it is nil.
func ExplorerNames(is func(*por.Explorer) bool) string {
	var names []string
	for _, e := range explorers.All() {
		if is == nil || is(e) {
			names = append(names, e.Name)
		}
	}
	return strings.Join(names, ", ")
}

// calls returns the value of --calls with which o was made.
func calls(o *explore.Options) string {
	if o.Prompt {
		return "prompt"
	}
	return "whole"
}
