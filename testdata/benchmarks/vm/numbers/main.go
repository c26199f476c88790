// Formatting and parsing integers and floats, line by line.
package main

import (
	"bufio"
	"bytes"
	"strconv"
)

func main() {
	var b bytes.Buffer
	for i := range 100000 {
		b.WriteString(strconv.Itoa(i * 37))
		b.WriteByte('\n')
		b.WriteString(strconv.FormatFloat(float64(i)/7, 'g', -1, 64))
		b.WriteByte('\n')
	}
	s := bufio.NewScanner(&b)
	sum, f := 0, 0.0
	for s.Scan() {
		n, _ := strconv.Atoi(s.Text())
		sum += n
		if !s.Scan() {
			break
		}
		x, _ := strconv.ParseFloat(s.Text(), 64)
		f += x
	}
	println(sum, int(f))
}
