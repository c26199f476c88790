package time

// platformZoneSources is where LoadLocation looks for zones, before it looks in
// GOROOT.
var platformZoneSources = []string{"/usr/share/zoneinfo/", "/usr/share/lib/zoneinfo/", "/usr/lib/locale/TZ/", "/etc/zoneinfo"}

// The local zone is UTC wherever the machine runs.
func initLocal() { localLoc.name = "UTC" }
