// assumed: nothing
package main

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Whether a pointer is nil does not depend on addresses.
func main() {
	var p, q *int
	q = new(int)
	fmt.Println(reflect.ValueOf(p).Pointer() == 0, 0 != reflect.ValueOf(q).Pointer(), uintptr(unsafe.Pointer(q)) == 0)
}
