package aes

import "crypto/internal/fips140deps/byteorder"

// hbEncrypt and hbDecrypt are for one block. The key consists of the first two, three or four of the k.
func hbEncrypt(rounds int, k0, k1, k2, k3, b0, b1 uint64) (r0, r1 uint64)
func hbDecrypt(rounds int, k0, k1, k2, k3, b0, b1 uint64) (r0, r1 uint64)

// key returns the key, with which the expanded key begins.
func (c *blockExpanded) key() (k [4]uint64) {
	for i := range (c.rounds - 6) / 2 {
		k[i] = uint64(c.enc[2*i])<<32 | uint64(c.enc[2*i+1])
	}
	return k
}

func encryptBlockGeneric(c *blockExpanded, dst, src []byte) {
	checkGenericIsExpected()
	_, _ = src[15], dst[15]
	k := c.key()
	b0, b1 := hbEncrypt(c.rounds, k[0], k[1], k[2], k[3], byteorder.BEUint64(src), byteorder.BEUint64(src[8:]))
	byteorder.BEPutUint64(dst, b0)
	byteorder.BEPutUint64(dst[8:], b1)
}

func decryptBlockGeneric(c *blockExpanded, dst, src []byte) {
	checkGenericIsExpected()
	_, _ = src[15], dst[15]
	k := c.key()
	b0, b1 := hbDecrypt(c.rounds, k[0], k[1], k[2], k[3], byteorder.BEUint64(src), byteorder.BEUint64(src[8:]))
	byteorder.BEPutUint64(dst, b0)
	byteorder.BEPutUint64(dst[8:], b1)
}
