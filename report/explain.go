package report

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/oracle"
)

// maxCauses bounds the causes that are written for one operation.
const maxCauses = 8

// eliminatedText writes how many choices static facts made unnecessary.
func eliminatedText(b *bytes.Buffer, r *explore.Result) {
	total := uint64(0)
	for _, n := range r.Stats.Eliminated {
		total += n
	}
	fmt.Fprintf(b, "    --hybrid=%s: %s, %d eliminated%s", r.Hybrid, count(r.Stats.Choices, "choice"), total, byReason(r.Stats.Eliminated))
	if r.Hybrid == oracle.Parts {
		fmt.Fprintf(b, "; %d times an independent part of the goroutines ran first", r.Stats.Parts)
	}
	b.WriteByte('\n')
}

// byReason returns ": lock 12, join 3", most frequent first; "" without counts.
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

// explained writes the decisions before an operation.
func (t *Text) explained(b *bytes.Buffer, e *oracle.Explanation, k oracle.Kind) {
	skipped := uint64(0)
	for _, n := range e.Skipped {
		skipped += n
	}
	fmt.Fprintf(b, "%s: %s: skipped %s%s\n", t.Paths.Pos(e.Pos), e.Kind, often(skipped), byReason(e.Skipped))
	if e.Choices == 0 {
		return
	}
	fmt.Fprintf(b, "    a choice was made %s, because another goroutine may first execute\n", often(e.Choices))
	for i, x := range e.Causes {
		if i == maxCauses {
			fmt.Fprintf(b, "        ... and %d more\n", len(e.Causes)-i)
			break
		}
		if x.Pos.IsValid() {
			fmt.Fprintf(b, "        %s: %s (%s)\n", t.Paths.Pos(x.Pos), causeText(&x, k), often(x.Count))
		} else {
			fmt.Fprintf(b, "        do %s (%s)\n", causeText(&x, k), often(x.Count))
		}
	}
}

// causeText returns the operation that another goroutine may execute first, according to an oracle of kind
// k.
func causeText(c *oracle.Cause, k oracle.Kind) string {
	switch c.Act {
	case oracle.ActAny:
		return fmt.Sprintf("something (--hybrid=%s knows memory accesses only)", k)
	case oracle.ActCall:
		return "call of " + c.What
	case oracle.ActRead:
		return "read " + c.What
	case oracle.ActReceive:
		return "receive"
	case oracle.ActSend:
		return "send"
	case oracle.ActWrite:
		return "write " + c.What
	case oracle.ActOther:
		return c.What
	}
	return "something that conflicts with it"
}

func often(n uint64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
