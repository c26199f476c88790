package beside

import (
	"testing"

	msg "findings.test/driven/message"
)

// NewStore returns a store with a word.
func NewStore(options msg.Options) *Store {
	return &Store{numbers: map[string]int{"x": 0}}
}

func TestNumber(t *testing.T) {
	if n := NewStore(msg.NewOptions()).Number("x"); n != 0 {
		t.Error(n)
	}
}
