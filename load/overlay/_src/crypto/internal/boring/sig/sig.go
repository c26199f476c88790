// Package sig has the marks that the real one leaves in a binary for tools that
// look for them.
package sig

// BoringCrypto marks programs that use BoringCrypto.
func BoringCrypto() {}

// FIPSOnly marks programs that import crypto/tls/fipsonly.
func FIPSOnly() {}

// StandardCrypto marks programs that use Go's own cryptography.
func StandardCrypto() {}
