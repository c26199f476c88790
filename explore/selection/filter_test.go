package selection

import "testing"

func TestFilter(t *testing.T) {
	for _, tt := range []struct {
		run, skip, name string
		want            bool
	}{
		{"", "", "TestA", true},
		{"A", "", "TestA", true},
		{"A", "", "TestB", false},
		{"A|B", "", "TestB", true},
		{"^Test(A|B)$", "", "TestB", true},
		{"A/two", "", "TestA", true}, // one of its subtests may match
		{"A/two", "", "TestA/one", false},
		{"A/two", "", "TestA/two", true},
		{"A/two", "", "TestA/two/deep", true},
		{"A/two/deep", "", "TestA/two", true},
		{"A/two/deep", "", "TestA/two/flat", false},
		{"A/one|B/two", "", "TestB/one", false},
		{"A/one|B/two", "", "TestB/two", true},
		{"A/a b", "", "TestA/a_b", true},
		{"A/[/|]", "", "TestA/x", false},
		{`A/\|`, "", "TestA/|", true},
		{"", "A", "TestA", false},
		{"", "A/two", "TestA", true}, // the others of its subtests remain
		{"", "A/two", "TestA/two", false},
		{"", "A/two", "TestA/one", true},
		{"A", "A/two", "TestA/two", false},
		{"A/one|A", "", "TestA/two", true},
	} {
		parse := func(s string) *Filter {
			if s == "" {
				return nil
			}
			f, err := ParseFilter(s)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		if got := Selected(parse(tt.run), parse(tt.skip), tt.name); got != tt.want {
			t.Errorf("-run %q -skip %q: %s is selected: %v, want %v", tt.run, tt.skip, tt.name, got, tt.want)
		}
	}
	if _, err := ParseFilter("a/("); err == nil {
		t.Error("a( is no expression")
	}
}
