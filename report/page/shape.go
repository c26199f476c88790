package page

import (
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/trace"
)

// shapes has the form in which operations on each sort of object are drawn, unless kindShapes has another
// one. Operations on objects without an entry synchronise in some way, and are drawn as "sync".
var shapes = [trace.NumObjects]string{
	trace.OnNothing: "other", trace.OnMemory: "atomic", trace.OnLock: "lock", trace.OnChannel: "select",
	trace.OnClock: "time", trace.OnOutput: "other", trace.OnGoroutines: "go",
}

var kindShapes = map[trace.Kind]string{
	trace.Read: "read", trace.Write: "write", trace.ReadWrite: "write", trace.AtomicLoad: "atomic-read",
	trace.Unlock: "unlock", trace.RUnlock: "unlock", trace.Send: "send", trace.Recv: "recv", trace.Close: "close",
	trace.End: "end", trace.Exit: "end", trace.Crash: "fail",
}

// shape names how a line is drawn: a class of the style, and a case of mark in assets/lanes.js.
func shape(name string, k trace.Kind) string {
	if name == report.FailureKind {
		return "fail"
	}
	if s, ok := kindShapes[k]; ok {
		return s
	}
	if s := shapes[k.Row().On]; s != "" {
		return s
	}
	return "sync"
}
