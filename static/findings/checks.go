package findings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// A Check finds one kind of mistake.
type Check struct {
	Code   string
	Title  string // a few words
	Means  string // the meaning of a finding
	Silent string // cases without a finding
	Blind  string // bugs that it cannot see
	Mend   string // a remedy
}

// walks are the functions that find mistakes, in the order of their execution, each with the codes that it
// may report.
var walks = []struct {
	codes string
	run   func(p *pass)
}{
	{"HBA101 HBA102 HBA304", checkDoubles},
	{"HBA103", checkReturns},
	{"HBA104 HBA105", checkReleases},
	{"HBA106", checkReplaced},
	{"HBA107 HBA108", checkGuards},
	{"HBA110 HBA111", checkOrder},
	{"HBA203", checkClosed},
	{"HBA205", checkNil},
	{"HBA206", checkNotify},
	{"HBA301", checkAdd},
	{"HBA305", checkCond},
	{"HBA307", checkPool},
	{"HBA401", checkRaces},
	{"HBA402", checkAtomic},
	{"HBA403", checkLostUpdates},
	{"HBA404", checkTesting},
	{"HBA501", checkSpin},
	// checkStuck comes after the other function that finds races, and does not repeat its races.
	{"HBA104 HBA109 HBA112 HBA201 HBA202 HBA207 HBA208 HBA302 HBA306 HBA401 HBA405", checkStuck},
}

// ByCode returns the check with that code, or nil.
func ByCode(code string) *Check {
	i := slices.IndexFunc(Checks, func(c *Check) bool { return c.Code == code })
	if i < 0 {
		return nil
	}
	return Checks[i]
}

// Select returns the codes that words select: codes, prefixes of codes (HBA1), or all; a minus sign
// excludes.
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
