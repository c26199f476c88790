package template

// init makes the table that the first template would make: see the documentation of load/overlay.
func init() { builtinFuncs() }
