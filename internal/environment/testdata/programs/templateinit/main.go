// assumed: nothing
package main

import (
	"fmt"
	html "html/template"
	"os"
	"text/template"
)

const definitions = `{{define "a"}}A{{end}}{{define "b"}}B{{end}}{{define "c"}}{{a}}{{end}}{{template "a"}}{{template "b"}}{{template "c"}}
`

func a() string { return "a" }

// The order of the templates that initialisers add to others makes no difference.
var (
	plain = template.Must(template.New("plain").Funcs(template.FuncMap{"a": a, "b": a, "z": a}).Parse(definitions))
	page  = html.Must(html.New("page").Funcs(html.FuncMap{"a": a, "b": a, "z": a}).Parse(definitions))
	other = html.Must(html.Must(page.Clone()).Parse(`{{define "b"}}other{{end}}`))
)

func main() {
	fmt.Println(plain.Lookup("a") != nil, page.Lookup("c") != nil, other.Lookup("b") != page.Lookup("b"))
	if err := plain.Execute(os.Stdout, nil); err != nil {
		fmt.Println(err)
	}
}
