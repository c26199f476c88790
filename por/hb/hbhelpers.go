package hb

import "hbcheck.dev/hbcheck/por"

// IdentityHash is Namer's if there is one.
func IdentityHash(sys por.System, obj uint32) por.Hash {
	if n := por.CapabilitiesOf(sys).IdentityHasher; n != nil {
		return n.IdentityHash(obj)
	}
	return sys.Hash()
}
