package far

import "testing"

func TestNone(t *testing.T) { None() }

func TestFar(t *testing.T) { Middle() }

func TestNear(t *testing.T) { Deep() }
