// assumed: nothing
package main

import (
	"fmt"
	"text/template"
)

// The order of a FuncMap makes no difference, unless two functions are refused.
func main() {
	f := func() string { return "f" }
	t := template.New("").Funcs(template.FuncMap{
		"a": f, "b": f, "c": f, "d": f, "e": f, "f": f, "g": f, "h": f, "i": f, "j": f, "k": f, "l": f, "m": f, "n": f, "o": f,
		"p": f, "q": f, "r": f,
	})
	if _, err := t.Parse("{{a}}{{r}}"); err != nil {
		fmt.Println(err)
	}
	defer func() {
		fmt.Println(recover())
		_, err := t.New("s").Parse("{{s}}")
		fmt.Println(err)
	}()
	t.Funcs(template.FuncMap{"s": f, "-": f, "": f})
}
