package explore

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
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
	// Length: the value is the length of a string or slice of type Type; the next inputs are its
	// elements.
	Length bool
	Param  int // number, from 1, of the parameter of the entry's function or fuzz target that it belongs to; 0: none
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

// describe fills in everything about b that executing its schedule shows. If the program has asked
// for inputs, b gets the least inputs that lead to it, and its schedule becomes that of the program
// with these inputs. A machine without symbolic values executes that schedule, and it has to show
// the bug. Without the time to find such inputs, the schedule stays the one for all inputs that
// lead to the bug.
func (s *exploration) describe(b *Bug, t *teller) error {
	if !b.symbolic {
		return s.narrateIn(s.m, b, t)
	}
	mark := s.m.Mark()
	rest := trace.Schedule{}
	loop := b.Loop
	untold := false
	for i, a := range b.Schedule {
		if untold = t.ends(s.m, i); untold {
			break
		}
		switch {
		case s.m.Next(a.G).Kind != trace.Branch:
			rest = append(rest, a)
		case i < b.Loop:
			loop--
		}
		s.m.Step(a.G, a.Choice)
	}
	var inputs []Input
	ok := false
	if untold = untold || t.ends(s.m, 0); !untold {
		inputs, ok = s.m.Inputs()
	}
	s.m.Rewind(mark)
	s.m.Release(mark)
	if untold {
		return errUntold
	}
	if !ok || len(inputs) == 0 {
		return s.narrateIn(s.m, b, t)
	}
	c, err := s.m.With(s.m.Concrete(inputs), t.over)
	if err != nil {
		return err
	}
	c.Await(vm.AwaitNever)
	t.wait = c.Wait
	b.Inputs, b.Schedule, b.Loop = inputs, slices.Clip(rest), loop
	switch err := s.narrateIn(c, b, t); {
	case err == errUntold:
		return err
	case err != nil:
		return fmt.Errorf("with inputs %v: %w", inputs, err)
	}
	return nil
}

// narrateIn is narrate with the Observation that Options.Observe asks for.
func (s *exploration) narrateIn(m Machine, b *Bug, t *teller) error {
	if err := narrate(m, b, t); err != nil && t.out() {
		return errUntold
	} else if err != nil {
		return err
	}
	if s.opts.Observe && len(b.Schedule) <= MaxObserved && !b.Warning && !s.limit.passed() {
		var facts por.Oracle
		if m == s.m && s.opts.kind() != oracle.None && !s.opts.LazyAnalysis {
			facts = m.Oracle(s.opts.kind(), s.limit.passed)
		}
		b.Observation = Observe(m, b.Schedule, facts)
	}
	return nil
}
