package bits

// runtimeError is a runtime.Error with the texts of the runtime's own.
type runtimeError string

func (e runtimeError) RuntimeError() {}

func (e runtimeError) Error() string { return "runtime error: " + string(e) }

var (
	overflowError error = runtimeError("integer overflow")
	divideError   error = runtimeError("integer divide by zero")
)
