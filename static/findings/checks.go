package findings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// A Check is one thing to look for. Several codes may be found by one walk: then only one of them runs it.
type Check struct {
	Code   string
	Title  string // a few words
	Means  string // what a finding says
	Silent string // what makes it silent
	Blind  string // what it cannot see
	Mend   string // a remedy

	run func(p *pass)
}

// ByCode returns the check with that code, or nil.
func ByCode(code string) *Check {
	i := slices.IndexFunc(Checks, func(c *Check) bool { return c.Code == code })
	if i < 0 {
		return nil
	}
	return Checks[i]
}

// Select returns the codes that words name, separated by commas: codes, beginnings of codes (HBA1), all,
// or, with a minus sign before it, what is left out.
func Select(words []string) ([]string, error) {
	var list []string
	for i, w := range words {
		minus := strings.HasPrefix(w, "-")
		w = strings.ToUpper(strings.TrimSuffix(strings.TrimPrefix(w, "-"), "*"))
		if i == 0 && minus {
			for _, c := range Checks {
				list = append(list, c.Code)
			}
		}
		n := 0
		for _, c := range Checks {
			if w != "ALL" && !strings.HasPrefix(c.Code, w) {
				continue
			}
			n++
			if k := slices.Index(list, c.Code); minus && k >= 0 {
				list = slices.Delete(list, k, k+1)
			} else if !minus && k < 0 {
				list = append(list, c.Code)
			}
		}
		if n == 0 || w == "" {
			return nil, fmt.Errorf("%s: no such check", w)
		}
	}
	return list, nil
}
