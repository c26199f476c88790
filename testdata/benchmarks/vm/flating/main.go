// compress/gzip and hash/crc32: a text is compressed and read again.
package main

import (
	"bytes"
	"compress/gzip"
	"hash/crc32"
	"io"
	"strconv"
)

func main() {
	var text []byte
	for i := range 60_000 {
		text = append(strconv.AppendInt(text, int64(i*i), 10), " bottles\n"...)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(text); err != nil || w.Close() != nil {
		panic("not written")
	}
	size := packed.Len()
	r, err := gzip.NewReader(&packed)
	if err != nil {
		panic(err)
	}
	back, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(back, text) {
		panic("not what was written")
	}
	println(len(text), size, crc32.ChecksumIEEE(back))
}
