package report

import (
	"fmt"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/explore/describe"
)

// shownInputs returns inputs as they are shown: a string, or a slice of numbers, is a single input.
func shownInputs(list []describe.Input) []describe.Input {
	var shown []describe.Input
	for len(list) > 0 {
		in := list[0]
		list = list[1:]
		if !in.Length {
			shown = append(shown, in)
			continue
		}
		n := int(in.Bits)
		if n > len(list) || !elements(in.Name, list[:n]) {
			in.Name, in.Type, in.Length = "len("+in.Name+")", "int", false
			shown = append(shown, in)
			continue
		}
		in.Value = vectorText(in.Type, list[:n])
		shown = append(shown, in)
		list = list[n:]
	}
	return shown
}

// elements reports whether these are the elements of the string or slice called name.
func elements(name string, list []describe.Input) bool {
	for i, in := range list {
		if in.Length || in.Name != fmt.Sprintf("%s[%d]", name, i) {
			return false
		}
	}
	return true
}

// vectorText is a string or []byte in quotes, or the elements of a slice in braces.
func vectorText(typ string, elems []describe.Input) string {
	if typ == "[]byte" || typ == "[]uint8" || !strings.HasPrefix(typ, "[]") {
		text := make([]byte, len(elems))
		for i, in := range elems {
			text[i] = byte(in.Bits)
			if in.Type != "byte" && in.Type != "uint8" {
				text = nil
				break
			}
		}
		if text != nil {
			return strconv.Quote(string(text))
		}
	}
	var values []string
	for _, in := range elems {
		values = append(values, in.Value)
	}
	return "{" + strings.Join(values, ", ") + "}"
}

// inputText is "x = 3 (int8)", without the name if that is not known.
func inputText(in *describe.Input) string {
	switch {
	case in.Name != "":
		return fmt.Sprintf("%s = %s (%s)", in.Name, in.Value, in.Type)
	case in.Length && strings.HasPrefix(in.Value, "{"):
		return in.Type + in.Value
	}
	return fmt.Sprintf("%s(%s)", in.Type, in.Value)
}
