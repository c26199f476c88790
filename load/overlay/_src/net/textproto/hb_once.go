package textproto

// init makes the table that the first reader of headers would make: see the documentation of load/overlay.
func init() { commonHeaderOnce.Do(initCommonHeader) }
