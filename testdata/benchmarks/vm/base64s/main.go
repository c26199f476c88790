// Base64 and hexadecimal encoding, there and back.
package main

import (
	"encoding/base64"
	"encoding/hex"
)

func main() {
	b := make([]byte, 3000)
	for i := range b {
		b[i] = byte(i * 7)
	}
	n := 0
	for range 300 {
		s := base64.StdEncoding.EncodeToString(b)
		d, _ := base64.StdEncoding.DecodeString(s)
		h, _ := hex.DecodeString(hex.EncodeToString(d))
		n += len(s) + int(h[17])
	}
	println(n)
}
