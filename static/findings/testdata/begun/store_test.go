package store_test

import (
	"strings"
	"testing"

	"example.com/store"
)

type upper struct{}

func (upper) Encode(s string) (string, error) { return strings.ToUpper(s), nil }

func TestStore(t *testing.T) {
	s, err := store.Open("a.db", upper{})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("add", func(t *testing.T) {
		key := "k"
		if err := s.Add(key, "v"); err != nil || s.Len() != 1 {
			t.Error(err)
		}
	})
}

func TestCache(t *testing.T) {
	c := store.NewCache(map[string]int{"a": 1})
	if c.Get("a") != 1 {
		t.Error("no entry")
	}
}
