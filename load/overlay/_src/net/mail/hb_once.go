package mail

// init makes the list that the first call of ParseDate would make: see the documentation of load/overlay.
func init() { dateLayouts() }
