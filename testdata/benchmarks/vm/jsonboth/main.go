// A document written and read by encoding/json.
package main

import "encoding/json"

type item struct {
	ID    int               `json:"id"`
	Name  string            `json:"name"`
	Price float64           `json:"price"`
	Tags  []string          `json:"tags,omitempty"`
	Attrs map[string]string `json:"attrs"`
}

func main() {
	var items []item
	for i := range 60 {
		items = append(items, item{i, "item", float64(i) / 4, []string{"a", "b"}, map[string]string{"colour": "red", "size": "small"}})
	}
	n := 0
	for range 150 {
		text, err := json.Marshal(items)
		if err != nil {
			panic(err)
		}
		var back []item
		if err := json.Unmarshal(text, &back); err != nil {
			panic(err)
		}
		n += len(text) + len(back)
	}
	println(n)
}
