package crc64

// init makes the tables that the first checksum would make: see the documentation of load/overlay.
func init() { buildSlicing8TablesOnce() }
