// assumed: an address used as a number (the same in every execution)
package main

import (
	"fmt"
	"reflect"
	"runtime"
)

func other() {}

// No rule says which function is first in memory.
func main() {
	f, g := runtime.FuncForPC(reflect.ValueOf(main).Pointer()), runtime.FuncForPC(reflect.ValueOf(other).Pointer())
	fmt.Println(f.Entry() != g.Entry())
}
