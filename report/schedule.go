package report

import (
	"encoding/json"
	"fmt"

	"hbcheck.dev/hbcheck/explore/describe"
)

// A Run is a stretch of a schedule: goroutine Name executes Steps steps. If
// Choice is not 0, Steps is 1 and the step takes that alternative. In JSON it
// is ["g1",3], or ["g1",1,2] with a choice.
type Run struct {
	Name   string
	Steps  int
	Choice int
}

// MarshalJSON implements json.Marshaler.
func (r Run) MarshalJSON() ([]byte, error) {
	if r.Choice != 0 {
		return json.Marshal([]any{r.Name, r.Steps, r.Choice})
	}
	return json.Marshal([]any{r.Name, r.Steps})
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Run) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	if len(parts) != 2 && len(parts) != 3 {
		return fmt.Errorf("schedule: %s has %d parts, want 2 or 3", data, len(parts))
	}
	*r = Run{}
	for i, to := range []any{&r.Name, &r.Steps, &r.Choice}[:len(parts)] {
		if err := json.Unmarshal(parts[i], to); err != nil {
			return fmt.Errorf("schedule: %s: %v", data, err)
		}
	}
	return nil
}

// runs returns the schedule of events with equal steps in a row put together.
func runs(events []describe.Event) []Run {
	list := []Run{}
	for _, e := range events {
		if e.Blocked {
			continue
		}
		if n := len(list); n > 0 && list[n-1].Name == e.Name && list[n-1].Choice == 0 && e.Choice == 0 {
			list[n-1].Steps++
			continue
		}
		list = append(list, Run{e.Name, 1, e.Choice})
	}
	return list
}
