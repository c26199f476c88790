// Package sysrand is the system's source of random bytes. In the machine they
// are the same in every execution, because an exploration must be able to repeat
// executions.
package sysrand

// hbBits returns random bits, which depend on the goroutine that calls it, and on the number of its earlier
// calls. So calls of different goroutines share nothing, and no goroutine can notice their order.
func hbBits() uint64

// hbSampled records that b could have other bits.
func hbSampled(b []byte)

// Read fills b.
func Read(b []byte) {
	all := b
	for len(b) > 0 {
		z := hbBits()
		for i := 0; i < 8 && len(b) > 0; i++ {
			b[0] = byte(z)
			b, z = b[1:], z>>8
		}
	}
	hbSampled(all)
}
