package main

import (
	"fmt"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/vm"
)

// recordRefinement adds to the options of a replay file the parts of r, the refinement of the
// machine, on which a schedule depends: the visible operations and their alternatives. The rest of
// r concerns fingerprints of states.
func recordRefinement(m map[string]string, r vm.Refinement) {
	if r.VisibleArming {
		m["arming"] = "true"
	}
	if r.VisibleEnd {
		m["end"] = "true"
	}
	if r.VisibleLooks {
		jumps := make([]string, len(r.Jumps))
		for i, d := range r.Jumps {
			jumps[i] = strconv.FormatInt(d, 10)
		}
		m["looks"] = "true"
		m["jumps"] = strings.Join(jumps, " ")
	}
	for i, place := range r.Timed {
		m["timed"+strconv.Itoa(i)] = place
	}
}

// recordedRefinement is the inverse of recordRefinement.
func recordedRefinement(m map[string]string) (r vm.Refinement, err error) {
	r.VisibleArming, r.VisibleLooks, r.VisibleEnd = m["arming"] == "true", m["looks"] == "true", m["end"] == "true"
	for _, s := range strings.Fields(m["jumps"]) {
		d, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return r, fmt.Errorf("bad jumps %q", m["jumps"])
		}
		r.Jumps = append(r.Jumps, d)
	}
	for i := 0; m["timed"+strconv.Itoa(i)] != ""; i++ {
		r.Timed = append(r.Timed, m["timed"+strconv.Itoa(i)])
	}
	return r, nil
}
