// Package sysrand is the system's source of random bytes. In the machine they
// are the same in every execution: an exploration must be able to repeat what
// it has seen.
package sysrand

// hbBits returns random bits, which depend on the goroutine that asks and on how often it has asked. So
// those who ask at the same time share nothing, and none can notice who came first.
func hbBits() uint64

// hbSampled says that there are other bits than those in b.
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
