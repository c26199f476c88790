// Package page writes a bug's schedule as a page for a browser, and an index of the pages of a run.
//
// A page is one file that needs nothing else: no network, no server. It shows a lane for each
// goroutine, and the source with the line that every goroutine is at. For the selected step it
// shows what the step does to memory, which locks are held, what the goroutine knows of the others,
// and which others could have moved instead.
//
//	bug.Bug:     Events, Observation ─┐
//	report.Lines, report.Why ─────────┼─▶ data (data.go) ─▶ JSON in a script element ─▶ assets/*.js
//	the files of the program ─────────┘   source.go
//
// The JSON is columns of numbers and tables of texts, each text once, so that a schedule of 100,000
// steps is a file of a few megabytes. What a browser has to draw are the lines in view.
//
// # Contracts
//
// The same bug makes the same bytes. Texts of the program are made printable (report.Printable), they
// are in JSON without <, > and &, and the scripts set them as text, never as markup. The page's
// Content-Security-Policy admits only the scripts and the style that are in it, by their hashes.
package page
