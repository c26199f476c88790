package sha3

// keccakF1600 applies the permutation.
func keccakF1600(a *[200]byte)
