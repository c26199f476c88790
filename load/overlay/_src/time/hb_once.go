package time

// init makes the zones that the first call of FixedZone would make: see the documentation of load/overlay.
func init() { FixedZone("", 0) }
