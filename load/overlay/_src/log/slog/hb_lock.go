package slog

import (
	"io"
	"os"
)

// hbLock is called before a line is written, and hbUnlock after it. The writer does not change.
func (h *commonHandler) hbLock() {
	if h.hbCommutes() {
		h.mu.RLock()
	} else {
		h.mu.Lock()
	}
}

func (h *commonHandler) hbUnlock() {
	if h.hbCommutes() {
		h.mu.RUnlock()
	} else {
		h.mu.Unlock()
	}
}

// hbCommutes reports whether the order of two lines makes no difference to the handler.
func (h *commonHandler) hbCommutes() bool {
	_, ok := h.w.(*os.File)
	//mutant: lines of all handlers commute [models TestModels/slogBuffer]: "h.w == io.Discard" -> "h.w != nil"
	return ok || h.w == io.Discard
}
