package crc32

// hbUpdate returns the sum of the bytes with the sum crc, followed by p, for the reflected polynomial poly.
func hbUpdate(crc, poly uint32, p []byte) uint32

// slicingUpdate gets a table that slicingMakeTable has made.
func slicingUpdate(crc uint32, tab *slicing8Table, p []byte) uint32 {
	const leading = 0x80
	return hbUpdate(crc, tab[0][leading], p)
}
