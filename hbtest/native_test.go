package hbtest_test

import (
	"testing"
	"time"

	"hbcheck.dev/hbcheck/hbtest"
)

// TestNatively: without hbcheck the test is executed once, whatever the options are.
func TestNatively(t *testing.T) {
	t.Setenv("HBCHECK", "skip")
	n := 0
	hbtest.Explore(t, func(*testing.T) { n++ },
		hbtest.Timeout(time.Minute), hbtest.Preempt(2), hbtest.Time("virtual"), hbtest.Slack(time.Millisecond), hbtest.Accept("rand", "maps"),
		hbtest.AllowLeak("serve"), hbtest.Explorer("jpf"), hbtest.AllowIncomplete(), hbtest.Flags("--all"))
	if n != 1 {
		t.Errorf("the test is executed %d times", n)
	}
}
