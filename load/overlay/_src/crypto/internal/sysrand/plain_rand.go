// Package sysrand is the system's source of random bytes. In the machine they
// are the same in every execution: an exploration must be able to repeat what
// it has seen.
package sysrand

var state uint64 = 0x9E3779B97F4A7C15

// hbSampled says that there are other bits than those in b.
func hbSampled(b []byte)

// Read fills b (splitmix64; Steele, Lea, Flood, OOPSLA 2014).
func Read(b []byte) {
	all := b
	for len(b) > 0 {
		state += 0x9E3779B97F4A7C15
		z := state
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		z ^= z >> 31
		for i := 0; i < 8 && len(b) > 0; i++ {
			b[0] = byte(z)
			b, z = b[1:], z>>8
		}
	}
	hbSampled(all)
}
