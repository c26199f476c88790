package bug

import (
	"fmt"
)

// Kind is the kind of a bug.
type Kind uint8

// The kinds of bugs, in the order of their codes. Codes are public: a new kind comes last.
const (
	Deadlock Kind = 1 + iota
	Race
	Leak
	Panic
	Failure
	Livelock
	Misuse
	LeftRunning
	numKinds
)

var kindNames = [numKinds]string{
	Deadlock: "deadlock", Race: "race", Leak: "leak", Panic: "panic", Failure: "failure", Livelock: "livelock", Misuse: "misuse",
	LeftRunning: "running",
}

// String returns the kind's word in the machine-readable output.
func (k Kind) String() string {
	if k > 0 && k < numKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Code returns the kind's code, which messages carry and users search for.
func (k Kind) Code() string { return fmt.Sprintf("HB%03d", uint8(k)) }

// Kinds returns all kinds.
func Kinds() []Kind {
	var list []Kind
	for k := Deadlock; k < numKinds; k++ {
		list = append(list, k)
	}
	return list
}

// KindOf returns the kind with the given code, or 0.
func KindOf(code string) Kind {
	for k := Deadlock; k < numKinds; k++ {
		if k.Code() == code {
			return k
		}
	}
	return 0
}
