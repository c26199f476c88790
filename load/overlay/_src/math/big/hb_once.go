package big

// init makes the number that the first call of Sqrt would make: see the documentation of load/overlay.
func init() { three() }
