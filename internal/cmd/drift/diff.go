package main

import "strings"

// difference returns the lines of two texts that only one of them has, with a sign, and three lines
// around them.
func difference(a, b string) string {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	// common[i][j] is the length of the longest common subsequence of x[i:] and y[j:].
	common := make([][]int, len(x)+1)
	for i := range common {
		common[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var lines []string
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			lines = append(lines, "  "+x[i])
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && common[i+1][j] >= common[i][j+1]:
			lines = append(lines, "- "+x[i])
			i++
		default:
			lines = append(lines, "+ "+y[j])
			j++
		}
	}
	var out strings.Builder
	last := -1
	for k, line := range lines {
		near := false
		for l := max(0, k-3); l < min(len(lines), k+4); l++ {
			near = near || lines[l][0] != ' '
		}
		if !near || strings.TrimSpace(line[2:]) == "" && line[0] == ' ' {
			continue
		}
		if last >= 0 && k > last+1 {
			out.WriteString("  ...\n")
		}
		out.WriteString("    " + strings.TrimSuffix(line, "\n") + "\n")
		last = k
	}
	return out.String()
}
