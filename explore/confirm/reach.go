package confirm

import "hbcheck.dev/hbcheck/explore"

// reaches reports whether an exploration has executed the line.
func reaches(c *explore.Coverage, at line) bool {
	if c == nil {
		return false
	}
	for i, b := range c.Blocks {
		if b.File == at.file && b.First <= at.n && at.n <= b.Last && c.Executed(i) {
			return true
		}
	}
	return false
}
