package report

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore"
)

// maxBecause bounds the causes that are told of one operation.
const maxBecause = 8

// eliminatedText tells how many choices static facts made unnecessary.
func eliminatedText(b *bytes.Buffer, r *explore.Result) {
	total := uint64(0)
	for _, n := range r.Stats.Eliminated {
		total += n
	}
	fmt.Fprintf(b, "    --hybrid=%s: %s, %d eliminated%s\n", r.Hybrid, count(r.Stats.Choices, "choice"), total, byReason(r.Stats.Eliminated))
}

// byReason writes ": lock 12, join 3", most frequent first; nothing if there is nothing.
func byReason(m map[string]uint64) string {
	if len(m) == 0 {
		return ""
	}
	reasons := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(-cmp.Compare(m[a], m[b]), strings.Compare(a, b))
	})
	for i, x := range reasons {
		reasons[i] = fmt.Sprintf("%s %d", x, m[x])
	}
	return ": " + strings.Join(reasons, ", ")
}

// explained writes what was decided before an operation.
func (t *Text) explained(b *bytes.Buffer, e *explore.Explanation) {
	skipped := uint64(0)
	for _, n := range e.Skipped {
		skipped += n
	}
	fmt.Fprintf(b, "%s: %s: skipped %s%s\n", t.Paths.Pos(e.Pos), e.Kind, often(skipped), byReason(e.Skipped))
	if e.Choices == 0 {
		return
	}
	fmt.Fprintf(b, "    a choice was made %s, because another goroutine may first\n", often(e.Choices))
	for i, x := range e.Because {
		if i == maxBecause {
			fmt.Fprintf(b, "        ... and %d more\n", len(e.Because)-i)
			break
		}
		if x.Pos.IsValid() {
			fmt.Fprintf(b, "        %s: %s (%s)\n", t.Paths.Pos(x.Pos), x.What, often(x.Count))
		} else {
			fmt.Fprintf(b, "        do %s (%s)\n", x.What, often(x.Count))
		}
	}
}

func often(n uint64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
