//go:build special

package user_test

import (
	"testing"

	"hbcheck.dev/hbcheck/hbtest"
)

func TestTagged(t *testing.T) { hbtest.Explore(t, func(t *testing.T) { t.Error("tagged") }) }
