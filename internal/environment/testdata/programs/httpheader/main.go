// assumed: nothing
package main

import (
	"fmt"
	"net/http"
	"os"
)

// Headers are written in the order of their keys, and so are their copies.
func main() {
	h := http.Header{}
	for _, k := range []string{"Z", "B", "A", "Y", "D", "C"} {
		h.Add(k, k+"1")
		h.Add(k, k+"2")
	}
	c := h.Clone()
	c.Add("A", "A3")
	c.Write(os.Stdout)
	fmt.Println(h)
}
