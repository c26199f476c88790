package html

// init makes the tables that the first call of UnescapeString would make: see the documentation of load/overlay.
func init() { entityMaps() }
