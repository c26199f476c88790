// assumed: nothing
package main

import (
	"fmt"
	"reflect"
	"runtime"
)

// The address of a function only serves to find its name.
func main() {
	pc := reflect.ValueOf(main).Pointer()
	fmt.Println(runtime.FuncForPC(pc).Name())
}
