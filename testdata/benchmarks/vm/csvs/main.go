// Writing and reading CSV.
package main

import (
	"bytes"
	"encoding/csv"
	"strconv"
)

func main() {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for i := range 20000 {
		w.Write([]string{strconv.Itoa(i), "name, quoted", "x" + strconv.Itoa(i%17)})
	}
	w.Flush()
	recs, err := csv.NewReader(&b).ReadAll()
	println(len(recs), err == nil, recs[777][2])
}
