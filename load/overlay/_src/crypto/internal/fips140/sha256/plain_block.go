package sha256

// hbBlock returns the state after the blocks of p.
func hbBlock(h0, h1, h2, h3, h4, h5, h6, h7 uint32, p []byte) (r0, r1, r2, r3, r4, r5, r6, r7 uint32)

func block(dig *Digest, p []byte) {
	h := dig.h
	h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7] = hbBlock(h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], p)
	dig.h = h
}
