// Package trace has the interface of runtime/trace and records nothing.
package trace

import (
	"context"
	"errors"
	"io"
	"time"
)

var errNoTrace = errors.New("trace: the machine records no execution traces")

// Start fails.
func Start(w io.Writer) error { return errNoTrace }

// Stop has nothing to stop.
func Stop() {}

// IsEnabled reports false.
func IsEnabled() bool { return false }

// A Task would be a user-defined task.
type Task struct {
	_ byte
}

// NewTask returns a task that is not recorded.
func NewTask(pctx context.Context, taskType string) (ctx context.Context, task *Task) {
	return pctx, &Task{}
}

// End does nothing.
func (t *Task) End() {}

// A Region would be a region of a goroutine's execution.
type Region struct {
	_ byte
}

// StartRegion returns a region that is not recorded.
func StartRegion(ctx context.Context, regionType string) *Region { return &Region{} }

// End does nothing.
func (r *Region) End() {}

// WithRegion calls fn.
func WithRegion(ctx context.Context, regionType string, fn func()) { fn() }

// Log does nothing.
func Log(ctx context.Context, category, message string) {}

// Logf does nothing.
func Logf(ctx context.Context, category, format string, args ...any) {}

// A FlightRecorder would keep the latest part of a trace.
type FlightRecorder struct {
	_ byte
}

// FlightRecorderConfig configures a FlightRecorder.
type FlightRecorderConfig struct {
	MinAge   time.Duration
	MaxBytes uint64
}

// NewFlightRecorder returns a recorder that records nothing.
func NewFlightRecorder(cfg FlightRecorderConfig) *FlightRecorder { return &FlightRecorder{} }

// Enabled reports false.
func (fr *FlightRecorder) Enabled() bool { return false }

// Start fails.
func (fr *FlightRecorder) Start() error { return errNoTrace }

// Stop has nothing to stop.
func (fr *FlightRecorder) Stop() {}

// WriteTo fails.
func (fr *FlightRecorder) WriteTo(w io.Writer) (n int64, err error) { return 0, errNoTrace }
