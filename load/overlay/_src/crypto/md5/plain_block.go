package md5

const haveAsm = false

// hbBlock returns the state after the blocks of p.
func hbBlock(s0, s1, s2, s3 uint32, p []byte) (r0, r1, r2, r3 uint32)

func block(dig *digest, p []byte) {
	s := dig.s
	s[0], s[1], s[2], s[3] = hbBlock(s[0], s[1], s[2], s[3], p)
	dig.s = s
}
