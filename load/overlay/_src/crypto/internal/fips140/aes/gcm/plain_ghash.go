//go:build go1.27

package gcm

import "crypto/internal/fips140deps/byteorder"

// ghash sets out to the hash of inputs. Each input is padded with zeros to whole blocks.
func ghash(out, H *[gcmBlockSize]byte, inputs ...[]byte) {
	hlow, hhigh := byteorder.BEUint64(H[:8]), byteorder.BEUint64(H[8:])
	var low, high uint64
	for _, input := range inputs {
		for len(input) > 0 {
			block := input
			if len(input) < gcmBlockSize {
				var padded [gcmBlockSize]byte
				copy(padded[:], input)
				block = padded[:]
			}
			low ^= byteorder.BEUint64(block)
			high ^= byteorder.BEUint64(block[8:])
			low, high = hbMul(hlow, hhigh, low, high)
			input = input[min(gcmBlockSize, len(input)):]
		}
	}
	byteorder.BEPutUint64(out[:], low)
	byteorder.BEPutUint64(out[8:], high)
}
