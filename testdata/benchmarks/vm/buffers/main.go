// bufio: lines are written, scanned and parsed.
package main

import (
	"bufio"
	"bytes"
	"strconv"
)

func main() {
	var buf bytes.Buffer
	w := bufio.NewWriter(&buf)
	for i := range 900_000 {
		w.WriteString(strconv.Itoa(i * 7))
		w.WriteByte('\n')
	}
	w.Flush()
	sum := 0
	for s := bufio.NewScanner(&buf); s.Scan(); {
		x, err := strconv.Atoi(s.Text())
		if err != nil {
			panic(err)
		}
		sum += x
	}
	println(sum)
}
