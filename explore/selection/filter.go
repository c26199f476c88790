package selection

import (
	"regexp"
	"strings"
)

// A Filter selects tests and subtests by their names, like -run and -skip of go test. The pattern
// A/B|C selects tests whose name matches A with those subtests whose name matches B, and tests
// whose name matches C with all their subtests.
type Filter struct {
	text     string
	patterns [][]*regexp.Regexp // an alternative for each, an expression for each level
}

// ParseFilter parses a pattern.
func ParseFilter(pattern string) (*Filter, error) {
	f := &Filter{text: pattern}
	for _, alternative := range splitPattern(pattern, '|') {
		var levels []*regexp.Regexp
		for _, level := range splitPattern(alternative, '/') {
			// Names of subtests have underscores for spaces.
			re, err := regexp.Compile(strings.ReplaceAll(level, " ", "_"))
			if err != nil {
				return nil, err
			}
			levels = append(levels, re)
		}
		f.patterns = append(f.patterns, levels)
	}
	return f, nil
}

// String returns the pattern.
func (f *Filter) String() string { return f.text }

// Match reports whether the test or subtest of that name matches, and whether only some of its
// subtests may match, because the pattern has more levels than the name.
func (f *Filter) Match(name string) (ok, partial bool) {
	levels := strings.Split(name, "/")
	for _, p := range f.patterns {
		if !matchLevels(p, levels) {
			continue
		}
		if len(p) <= len(levels) {
			return true, false
		}
		ok, partial = true, true
	}
	return ok, partial
}

func matchLevels(pattern []*regexp.Regexp, levels []string) bool {
	for i, level := range levels {
		if i == len(pattern) {
			break
		}
		if !pattern[i].MatchString(level) {
			return false
		}
	}
	return true
}

// splitPattern splits a regular expression at a separator that is neither escaped nor in brackets
// or parentheses.
func splitPattern(s string, sep byte) []string {
	var parts []string
	classes, groups, begin := 0, 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '[':
			classes++
		case c == ']' && classes > 0:
			classes--
		case c == '(' && classes == 0:
			groups++
		case c == ')' && classes == 0 && groups > 0:
			groups--
		case c == sep && classes == 0 && groups == 0:
			parts = append(parts, s[begin:i])
			begin = i + 1
		}
	}
	return append(parts, s[begin:])
}

// Selected reports whether to execute the test or subtest of that name. A nil filter stands for a
// flag that was not given.
func Selected(run, skip *Filter, name string) bool {
	if run != nil {
		if ok, _ := run.Match(name); !ok {
			return false
		}
	}
	if skip != nil {
		if ok, partial := skip.Match(name); ok && !partial {
			return false
		}
	}
	return true
}
