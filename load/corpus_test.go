package load

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestCorpus: files are read as by go test, and written files can be read.
func TestCorpus(t *testing.T) {
	for _, c := range []struct {
		line string
		want SeedValue
	}{
		{`int(-5)`, SeedValue{Type: "int", Bits: ^uint64(4)}},
		{`int8(-128)`, SeedValue{Type: "int8", Bits: ^uint64(127)}},
		{`uint64(18446744073709551615)`, SeedValue{Type: "uint64", Bits: math.MaxUint64}},
		{`byte('a')`, SeedValue{Type: "uint8", Bits: 'a'}},
		{`byte('\xff')`, SeedValue{Type: "uint8", Bits: 255}},
		{`uint8(7)`, SeedValue{Type: "uint8", Bits: 7}},
		{`rune('世')`, SeedValue{Type: "int32", Bits: '世'}},
		{`int32(-1)`, SeedValue{Type: "int32", Bits: ^uint64(0)}},
		{`bool(true)`, SeedValue{Type: "bool", Bits: 1}},
		{`bool(false)`, SeedValue{Type: "bool"}},
		{`string("a\x00\n")`, SeedValue{Type: "string", Text: "a\x00\n"}},
		{"string(`a\"b`)", SeedValue{Type: "string", Text: `a"b`}},
		{`[]byte("\xff")`, SeedValue{Type: "[]byte", Text: "\xff"}},
		{`float64(-1.5e3)`, SeedValue{Type: "float64", Bits: math.Float64bits(-1500)}},
		{`float64(+Inf)`, SeedValue{Type: "float64", Bits: math.Float64bits(math.Inf(1))}},
		{`math.Float32frombits(0x7fc00001)`, SeedValue{Type: "float32", Bits: 0x7fc00001}},
	} {
		got, err := parseCorpus([]byte(corpusVersion + "\n" + c.line + "\n"))
		if err != nil || len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %v, %v, want %v", c.line, got, err, c.want)
			continue
		}
		if strings.Contains(got[0].Type, "float") {
			continue // no input is one
		}
		if again, err := parseCorpus(FormatSeed(got)); err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("%s: written and read again: %v, %v", c.line, again, err)
		}
	}
	for _, line := range []string{`int(x)`, `int8(200)`, `uint(-1)`, `byte('世')`, `string(5)`, `bool(1)`, `[]int(5)`, `5`, `int(1, 2)`, `int(`, `complex64(1)`, `int("5")`} {
		if v, err := parseCorpus([]byte(corpusVersion + "\n" + line + "\n")); err == nil {
			t.Errorf("%s: read as %v", line, v)
		}
	}
	for _, text := range []string{"", corpusVersion, "go test fuzz v2\nint(1)\n"} {
		if v, err := parseCorpus([]byte(text)); err == nil {
			t.Errorf("%q: read as %v", text, v)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"b": "int(1)", "a": "int(2)"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(corpusVersion+"\n"+text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "c"), 0o777); err != nil {
		t.Fatal(err)
	}
	list, err := readCorpus(dir)
	if err != nil || len(list) != 2 || list[0].Name != "a" || list[0].Values[0].Bits != 2 {
		t.Errorf("corpus %v, %v", list, err)
	}
	if list, err := readCorpus(filepath.Join(dir, "none")); err != nil || list != nil {
		t.Errorf("no corpus: %v, %v", list, err)
	}
}
