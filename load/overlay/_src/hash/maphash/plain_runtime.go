package maphash

const purego = false

// runtime_rand returns bits that are the same in every execution.
func runtime_rand() uint64

// memhash hashes buf.
func memhash(buf []byte, seed uint64) uint64

// memhashString hashes s.
func memhashString(s string, seed uint64) uint64

// hashAny hashes a comparable value as the machine's maps do.
func hashAny(v any, seed uint64) uint64

func rthash(buf []byte, seed uint64) uint64 {
	if len(buf) == 0 {
		return seed
	}
	return memhash(buf, seed)
}

func rthashString(s string, state uint64) uint64 {
	if len(s) == 0 {
		return state
	}
	return memhashString(s, state)
}

func randUint64() uint64 { return runtime_rand() }

func comparableHash[T comparable](v T, seed Seed) uint64 { return hashAny(v, seed.s) }

func writeComparable[T comparable](h *Hash, v T) { h.state.s = comparableHash(v, h.state) }
