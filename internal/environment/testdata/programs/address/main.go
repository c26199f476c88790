// assumed: an address as a number (the same in every execution); a printed address (the same in every execution)
package main

import (
	"fmt"
	"unsafe"
)

func main() {
	a, b := new(int), new(int)
	less := uintptr(unsafe.Pointer(a)) < uintptr(unsafe.Pointer(b))
	fmt.Println(len(fmt.Sprintf("%p", a)) > 0, less || !less)
}
