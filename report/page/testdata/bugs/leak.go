package main

import "fmt"

func first(queries ...string) string {
	answers := make(chan string)
	for _, q := range queries {
		go func() { answers <- "answer to " + q }()
	}
	return <-answers
}

func main() {
	fmt.Println(len(first("a", "b")))
}
