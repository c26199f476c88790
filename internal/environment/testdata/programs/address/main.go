// assumed: a printed address (the same in every execution); an address used as a number (the same in every execution)
package main

import (
	"fmt"
	"unsafe"
)

type at struct{ p *int }

func (a at) String() string { return fmt.Sprintf("%p", a.p) }

func main() {
	a, b := new(int), new(int)
	less := uintptr(unsafe.Pointer(a)) < uintptr(unsafe.Pointer(b))
	fmt.Println(len(at{a}.String()) > 0, less || !less)
}
