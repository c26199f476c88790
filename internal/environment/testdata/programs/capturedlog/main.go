// assumed: a printed address (the same in every execution)

// The program reads what it logs.
package main

import (
	"bytes"
	"fmt"
	"log"
)

func main() {
	var buf bytes.Buffer
	log.New(&buf, "", 0).Printf("%p", new(int))
	fmt.Println(buf.Len() > 4)
}
