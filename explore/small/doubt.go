package small

import "hbcheck.dev/hbcheck/explore"

func (c *Config) doubt(v *Version, r *explore.Result) {}
