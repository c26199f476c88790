package inputs

import (
	"sync/atomic"
	"unicode/utf8"
)

// CountRunes counts the runes of b, the halves at the same time. The wrong one cuts runes.
func CountRunes(b []byte, v Version) int {
	k := len(b) / 2
	if v == Right {
		k = 0
		for k < len(b)/2 {
			_, n := utf8.DecodeRune(b[k:])
			k += n
		}
	}
	var n atomic.Int64
	done := make(chan bool)
	go func() {
		n.Add(int64(utf8.RuneCount(b[:k])))
		done <- true
	}()
	n.Add(int64(utf8.RuneCount(b[k:])))
	<-done
	return int(n.Load())
}
