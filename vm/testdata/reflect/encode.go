package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"text/template"
)

type Addr struct {
	Street string `json:"street" xml:"street,attr"`
	Zip    *int   `json:"zip,omitempty" xml:"zip,omitempty"`
}
type Person struct {
	Name    string         `json:"name"`
	Age     int            `json:"age"`
	Emails  []string       `json:"emails"`
	Addr    Addr           `json:"addr"`
	Meta    map[string]any `json:"meta" xml:"-"`
	private int
	Raw     json.RawMessage `json:"raw,omitempty" xml:"-"`
	F       float64         `json:",string"`
	C       Color
}
type Color int

func (c Color) MarshalText() ([]byte, error) { return []byte(fmt.Sprintf("color-%d", int(c))), nil }
func (c *Color) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "color-%d", (*int)(c))
	return err
}

func main() {
	z := 12345
	p := Person{"Ann", 30, []string{"a@x", "b@y"}, Addr{"Main", &z}, map[string]any{"k": []int{1, 2}, "n": nil, "f": 1.5, "<": true}, 1, json.RawMessage(`{"q":1}`), 2.5, 7}
	b, err := json.Marshal(p)
	fmt.Println(string(b), err)
	var q Person
	fmt.Println(json.Unmarshal(b, &q), q.Name, q.Age, q.Emails, *q.Addr.Zip, q.Meta, q.F, q.C)
	b, _ = json.MarshalIndent(map[string]any{"z": 1, "a": []any{"x", nil, true}}, "", "  ")
	fmt.Println(string(b))
	var anyv any
	fmt.Println(json.Unmarshal([]byte(`{"a":[1,2,{"b":null}],"c":"\u00e9\n"}`), &anyv), anyv)
	fmt.Println(json.Unmarshal([]byte(`{"name": 3}`), &q))
	fmt.Println(json.Unmarshal([]byte(`{"name": `), &q))
	dec := json.NewDecoder(strings.NewReader(`{"x":1} {"x":2}`))
	for dec.More() {
		var v struct{ X int }
		fmt.Println(dec.Decode(&v), v)
	}
	xb, err := xml.MarshalIndent(p, "", " ")
	fmt.Println(string(xb), err)
	var xp Person
	fmt.Println(xml.Unmarshal(xb, &xp), xp.Name, xp.Addr.Street)
	var buf bytes.Buffer
	fmt.Println(binary.Write(&buf, binary.BigEndian, struct {
		A uint16
		B [2]int32
	}{1, [2]int32{2, -3}}), hex.EncodeToString(buf.Bytes()), base64.StdEncoding.EncodeToString(buf.Bytes()))
	buf.Reset()
	type G struct {
		A int
		B []string
		M map[string]float64
	}
	fmt.Println(gob.NewEncoder(&buf).Encode(G{1, []string{"x"}, map[string]float64{"pi": 3.14}}))
	var g G
	fmt.Println(gob.NewDecoder(&buf).Decode(&g), g)
	tm := template.Must(template.New("t").Funcs(template.FuncMap{"up": strings.ToUpper}).Parse(`Hello {{.Name | up}}{{range $i, $e := .Emails}} [{{$i}}:{{$e}}]{{end}} {{with .Addr}}{{.Street}}{{end}} {{if gt .Age 18}}adult{{else}}minor{{end}} {{len .Emails}} {{index .Meta "f"}} {{printf "%05d" .Age}} {{.C.MarshalText | printf "%s"}}
`))
	fmt.Println(tm.Execute(os.Stdout, p))
	fmt.Println(template.Must(template.New("e").Parse("{{.Missing}}")).Execute(os.Stdout, p))
	tw := tabwriter.NewWriter(os.Stdout, 0, 8, 1, ' ', 0)
	fmt.Fprintln(tw, "a\tbbb\tc")
	fmt.Fprintln(tw, "aaaa\tb\tc")
	tw.Flush()
}
