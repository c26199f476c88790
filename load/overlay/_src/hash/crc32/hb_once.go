package crc32

// init makes the tables that the first checksums would make: see the documentation of load/overlay.
func init() {
	ieeeInitOnce()
	castagnoliInitOnce()
}
