// Marshalling and unmarshalling XML.
package main

import "encoding/xml"

type row struct {
	ID   int    `xml:"id,attr"`
	Name string `xml:"name"`
}
type doc struct {
	Rows []row `xml:"row"`
}

func main() {
	var d doc
	for i := range 1500 {
		d.Rows = append(d.Rows, row{i, "some name"})
	}
	b, err := xml.Marshal(d)
	var e doc
	err2 := xml.Unmarshal(b, &e)
	println(len(b), err == nil, err2 == nil, len(e.Rows))
}
