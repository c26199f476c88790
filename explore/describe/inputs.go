package describe

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm"
)

// An Input is a value that hbtest.Nondet returned in an execution.
type Input struct {
	Key   vm.InputKey
	Bits  uint64
	Pos   token.Position
	Name  string // of the parameter, or of the part of a value; may be empty
	Type  string
	Value string // as in Go
	// Length is set if the value is the length of a string or slice of type Type; the next inputs are the
	// elements.
	Length bool
	Param  int // number, from 1, of the parameter of the entry's function or fuzz target to which the value belongs; 0: none
}

// Given returns the inputs in the form of a machine's configuration; nil if there are none.
func Given(inputs []Input) map[vm.InputKey]uint64 {
	if len(inputs) == 0 {
		return nil
	}
	given := make(map[vm.InputKey]uint64, len(inputs))
	for _, in := range inputs {
		given[in.Key] = in.Bits
	}
	return given
}

// Arguments returns the values of the arguments of a fuzz target, if they are among the inputs.
func Arguments(inputs []Input) []load.SeedValue {
	last := 0
	for _, in := range inputs {
		last = max(last, in.Param)
	}
	if last == 0 {
		return nil
	}
	list := make([]load.SeedValue, last-1) // the first parameter is the *T
	for i, in := range inputs {
		if in.Param == 0 || strings.HasSuffix(in.Name, "]") { // a byte of a text
			continue
		}
		v := &list[in.Param-2]
		v.Type, v.Bits = in.Type, in.Bits
		switch {
		case in.Length:
			var text []byte
			for _, b := range inputs[i+1:][:in.Bits] {
				text = append(text, byte(b.Bits))
			}
			if v.Bits, v.Text = 0, string(text); v.Type != "string" {
				v.Type = "[]byte"
			}
		case v.Type == "byte":
			v.Type = "uint8"
		case v.Type == "rune":
			v.Type = "int32"
		}
	}
	return list
}

// Inputs implements WithInputs.
func (m *machine) Inputs() ([]Input, bool) {
	list, ok := m.Machine.Environment().Inputs()
	if !ok {
		return nil, false
	}
	var all []Input
	for _, in := range list {
		x := Input{Key: m.Key(in), Bits: in.Value, Pos: in.Pos, Name: in.Field, Type: types.TypeString(in.Type, (*types.Package).Name),
			Length: in.Length, Param: in.Param}
		switch b, _ := in.Type.Underlying().(*types.Basic); {
		case in.Length:
			x.Bits = min(in.Value, uint64(m.InputLen()))
			x.Value = strconv.FormatUint(x.Bits, 10)
		case b.Info()&types.IsBoolean != 0:
			x.Value = strconv.FormatBool(in.Value != 0)
		case b.Info()&types.IsUnsigned != 0:
			x.Value = strconv.FormatUint(in.Value, 10)
		default:
			x.Value = strconv.FormatInt(int64(in.Value), 10)
		}
		all = append(all, x)
	}
	return all, true
}
