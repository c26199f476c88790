//go:build !go1.27

package gcm

// ghashMul sets y to y*H; the table has the multiples of H.
func ghashMul(productTable *[16]gcmFieldElement, y *gcmFieldElement) {
	h := &productTable[8] // reverseBits(1)
	y.low, y.high = hbMul(h.low, h.high, y.low, y.high)
}
