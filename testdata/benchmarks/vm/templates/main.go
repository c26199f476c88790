// A text template over a slice of structs.
package main

import (
	"bytes"
	"text/template"
)

type item struct {
	Name string
	N    int
}

func main() {
	t := template.Must(template.New("t").Parse("{{range .}}{{if gt .N 3}}<{{.Name}}:{{.N}}>{{else}}-{{end}}{{end}}"))
	var list []item
	for i := range 200 {
		list = append(list, item{"abc", i % 9})
	}
	n := 0
	for range 60 {
		var b bytes.Buffer
		t.Execute(&b, list)
		n += b.Len()
	}
	println(n)
}
