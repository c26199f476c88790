package vm

import "hbcheck.dev/hbcheck/por"

// Addresses of stacks are numbers only (compile.isNumberOfStack): no object is there, and an access panics as
// one through nil does. Stacks lie side by side, and grow down.
const (
	stacksFrom = 1 << 31
	stacks     = 1 << 18
	stackBytes = 1 << 13
)

// stackAddress returns the address of g's present frame. It depends on the name of g, so it is the same in
// every execution, and on the depth of the frame.
func (m *Machine) stackAddress(g *goroutine) uint64 {
	h := uint64(0)
	for _, n := range m.spawn[g.ID].path {
		h = por.Mix(h ^ uint64(n+1))
	}
	depth := uint64(g.FP+1) * 8 % stackBytes
	return stacksFrom + h%stacks*stackBytes + stackBytes - depth
}
