package time

var platformZoneSources []string

// The local zone is UTC wherever the machine runs.
func initLocal() { localLoc.name = "UTC" }
