// assumed: nothing
package main

import (
	"fmt"
	"log"
	"os"
	"time"
)

// What is printed decides nothing.
func main() {
	log.SetOutput(os.Stderr)
	log.Println(time.Now(), time.Now().Format(time.RFC3339), time.Since(time.Now()).Round(time.Second))
	fmt.Println("ok")
}
