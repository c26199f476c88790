package flate

// init makes the table that the first reader would make: see the documentation of load/overlay.
func init() { fixedHuffmanDecoderInit() }
