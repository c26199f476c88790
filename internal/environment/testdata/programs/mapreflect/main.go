// assumed: nothing
package main

import (
	"encoding/json"
	"fmt"
	"reflect"
)

func main() {
	m := map[string]int{"a": 1, "b": 2, "c": 3}
	text, _ := json.Marshal(m)
	fmt.Println(string(text), reflect.DeepEqual(m, map[string]int{"c": 3, "b": 2, "a": 1}))
	for it := reflect.ValueOf(m).MapRange(); it.Next(); {
		fmt.Print(it.Key())
	}
	fmt.Print(reflect.ValueOf(m).MapKeys()[0])
}
