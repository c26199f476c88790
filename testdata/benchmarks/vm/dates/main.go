// Formatting and parsing times.
package main

import "time"

func main() {
	n := 0
	t := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range 30000 {
		s := t.Add(time.Duration(i) * time.Hour).Format(time.RFC3339)
		u, err := time.Parse(time.RFC3339, s)
		if err != nil {
			panic(err)
		}
		n += u.YearDay() + len(s)
	}
	println(n)
}
