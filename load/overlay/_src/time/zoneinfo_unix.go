package time

import "syscall"

// platformZoneSources is where LoadLocation looks for zones, before it looks in
// GOROOT.
var platformZoneSources = []string{"/usr/share/zoneinfo/", "/usr/share/lib/zoneinfo/", "/usr/lib/locale/TZ/", "/etc/zoneinfo"}

// localLoc is the local zone: that of TZ, or without TZ, UTC on every host. Its name is that of the
// system's zone.
var localLoc = Location{name: "Local"}

// localZone keeps what localLoc refers to, which counts as constant.
var localZone *Location

// init asks for the zone if it cannot change. Otherwise goroutines that log lines would be explored in all
// orders in which one of them asks first.
func init() {
	if !syscall.HbZoneChanges() {
		localOnce.Do(initLocal)
	}
}

// initLocal is called once, when the zone is first asked for.
func initLocal() {
	tz, ok := syscall.HbZone()
	if len(tz) > 0 && tz[0] == ':' {
		tz = tz[1:]
	}
	name, sources := tz, platformZoneSources
	switch {
	case !ok || tz == "/etc/localtime":
		if localLoc.name != "Local" { // a test has taken it away
			localLoc = Location{name: "Local"}
		}
		return
	case tz == "" || tz == "UTC":
		localLoc = Location{name: "UTC"}
		return
	case tz[0] == '/':
		sources = []string{""}
	default:
		name = ""
	}
	z, err := loadLocation(tz, sources)
	if err != nil {
		localLoc = Location{name: "UTC"}
		return
	}
	localZone, localLoc = z, *z
	if name != "" {
		localLoc.name = name
	}
}
