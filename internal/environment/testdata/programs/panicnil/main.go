// assumed: nothing

//go:debug panicnil=1
package main

import "fmt"

func main() {
	func() {
		defer func() { fmt.Println("r", recover()) }()
		panic(nil)
	}()
	func() {
		defer func() { recover() }()
		defer func() { fmt.Println(recover()); panic("x") }()
		panic(nil)
	}()
	var err error
	defer fmt.Println("deferred")
	panic(err)
}
