package httpcommon

// init makes the tables that the first request would make: see the documentation of load/overlay.
func init() { buildCommonHeaderMapsOnce() }
