// Compressing and decompressing 400 KB.
package main

import (
	"bytes"
	"compress/flate"
	"hash/adler32"
	"io"
)

func main() {
	var in []byte
	for i := range 200000 {
		in = append(in, byte(i*i>>3), byte(i>>2))
	}
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 6)
	w.Write(in)
	w.Close()
	out, err := io.ReadAll(flate.NewReader(&b))
	println(len(out), err == nil, adler32.Checksum(out))
}
