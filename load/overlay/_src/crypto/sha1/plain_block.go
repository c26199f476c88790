package sha1

// hbBlock returns the state after the blocks of p.
func hbBlock(h0, h1, h2, h3, h4 uint32, p []byte) (r0, r1, r2, r3, r4 uint32)

func block(dig *digest, p []byte) {
	h := dig.h
	h[0], h[1], h[2], h[3], h[4] = hbBlock(h[0], h[1], h[2], h[3], h[4], p)
	dig.h = h
}
