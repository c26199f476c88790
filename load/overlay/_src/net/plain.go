package net

// What reads and writes memory of the program.

// taken returns what p holds.
func taken(p []byte) []byte { return append(make([]byte, 0, len(p)), p...) }

// gathered returns what all of v hold.
func gathered(v *Buffers) []byte {
	var all []byte
	for _, b := range *v {
		all = append(all, b...)
	}
	return all
}

func fill(p, b []byte) int { return copy(p, b) }
