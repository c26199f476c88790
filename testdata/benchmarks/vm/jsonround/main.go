// encoding/json: records with nested lists and maps to text and back.
package main

import "encoding/json"

type record struct {
	ID    int               `json:"id"`
	Name  string            `json:"name"`
	Tags  []string          `json:"tags,omitempty"`
	Attrs map[string]string `json:"attrs"`
	Score float64           `json:"score"`
	Next  *record           `json:"next,omitempty"`
}

func main() {
	r := &record{ID: 1, Name: "one", Tags: []string{"a", "b", "c"}, Attrs: map[string]string{"k": "v", "x": "y"}, Score: 1.5}
	r = &record{ID: 2, Name: "two \"quoted\"", Score: 2.25, Next: r}
	total := 0
	for i := range 12_000 {
		r.ID = i
		b, err := json.Marshal(r)
		if err != nil {
			panic(err)
		}
		var back record
		if err := json.Unmarshal(b, &back); err != nil || back.ID != i || back.Next.Attrs["x"] != "y" {
			panic("not what was written")
		}
		total += len(b)
	}
	println(total)
}
