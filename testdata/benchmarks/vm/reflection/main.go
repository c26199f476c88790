// reflect: fields of structs read and set, methods called, values compared in depth.
package main

import "reflect"

type thing struct {
	A int
	B string
	C []int
}

func (t thing) Sum(x int) int { return t.A + x + len(t.B) }

func main() {
	total := 0
	for i := range 80_000 {
		t := &thing{A: i, B: "b", C: []int{1, 2, 3}}
		v := reflect.ValueOf(t).Elem()
		for j := range v.NumField() {
			switch f := v.Field(j); f.Kind() {
			case reflect.Int:
				f.SetInt(f.Int() + 1)
			case reflect.String:
				total += f.Len()
			case reflect.Slice:
				total += int(f.Index(1).Int())
			}
		}
		out := v.MethodByName("Sum").Call([]reflect.Value{reflect.ValueOf(2)})
		total += int(out[0].Int())
		if !reflect.DeepEqual(*t, thing{i + 1, "b", []int{1, 2, 3}}) {
			panic("differs")
		}
	}
	println(total)
}
