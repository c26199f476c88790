package report

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"hbcheck.dev/hbcheck/explore"
)

// Progress shows how far an exploration is: one line that is
// rewritten on a terminal, a line now and then elsewhere. During the first second it shows nothing.
type Progress struct {
	W        io.Writer
	Terminal bool
	Width    func() int // returns the columns of the terminal, or 0 if they are unknown; nil: unknown
	Now      func() time.Time
	Run      func() string // the progress of a run of several entries; nil: there is one entry

	entry       string
	begin, last time.Time
	width       int // width of the line on the terminal
}

const (
	progressFirst    = time.Second
	progressTerminal = 200 * time.Millisecond
	progressPlain    = 30 * time.Second
)

// Start begins a new entry.
func (p *Progress) Start(entry string) {
	p.Switch(entry, p.Now())
}

// Switch shows an entry that began at a time before.
func (p *Progress) Switch(entry string, began time.Time) {
	p.entry, p.begin = entry, began
	//mutant: progress: short entries hide that of the run [test ./report TestProgressRun]: "p.Run == nil || " -> "true || "
	if p.Run == nil || p.last.IsZero() {
		p.last = p.Now()
	}
}

// Tick shows the progress of the run. It may be called at any time, and shows a line only now and
// then.
func (p *Progress) Tick() {
	if p.Run != nil {
		p.show(func(time.Duration) string { return "" })
	}
}

// Update shows the progress of an entry. It may be called at any time, and shows a line only now and
// then.
func (p *Progress) Update(x explore.Progress) {
	p.show(func(d time.Duration) string { return progressLine(p.entry, d, x, p.Terminal) })
}

// Loaded is called for each package that has been loaded.
func (p *Progress) Loaded(done, total int) {
	p.show(func(time.Duration) string { return fmt.Sprintf("%s  %d of %d packages", p.entry, done, total) })
}

// Cluster shows how far a run with several workers is.
func (p *Progress) Cluster(workers, slots, done, tasks int, d time.Duration) {
	p.show(func(time.Duration) string {
		s := fmt.Sprintf("%s, %d at a time  %d of %s", count(workers, "worker"), slots, done, count(tasks, "task"))
		if sec := d.Seconds(); sec > 0 {
			s += fmt.Sprintf("  %.1f tasks/s", float64(done)/sec)
		}
		return s
	})
}

// Due reports whether it is time for a line.
func (p *Progress) Due() bool { return p.due(p.Now()) }

func (p *Progress) due(now time.Time) bool {
	every := progressPlain
	if p.Terminal {
		every = progressTerminal
	}
	if p.Run != nil {
		return !p.last.IsZero() && now.Sub(p.last) >= every
	}
	return now.Sub(p.begin) >= progressFirst && now.Sub(p.last) >= every
}

// show prints the line that text returns, given the time since Start, if it is time for a line.
func (p *Progress) show(text func(d time.Duration) string) {
	now := p.Now()
	if !p.due(now) {
		return
	}
	p.last = now
	var line string
	if p.Run == nil || p.Terminal {
		line = text(now.Sub(p.begin))
	}
	if p.Run != nil {
		line = strings.TrimSpace(p.Run() + "  " + line)
	}
	if !p.Terminal {
		fmt.Fprintln(p.W, line)
		return
	}
	if p.Width != nil {
		if most := p.Width() - 1; most > 0 && utf8.RuneCountInString(line) > most {
			line = string([]rune(line)[:most]) // a line that is broken could not be rewritten
		}
	}
	width := utf8.RuneCountInString(line)
	fmt.Fprintf(p.W, "\r%s%s", line, strings.Repeat(" ", max(0, p.width-width)))
	p.width = width
}

// Clear removes the line from a terminal.
func (p *Progress) Clear() {
	if p.width > 0 {
		fmt.Fprintf(p.W, "\r%s\r", strings.Repeat(" ", p.width))
		p.width = 0
	}
}

// tooMany is the number of executions from which an estimate is useless.
const tooMany = 1e12

// progressLine returns the progress of a search: the number of explored executions, the estimated total with
// its standard error (see por/sample.Estimator), and the time of its end according to the estimate. Without
// an estimate it has the explored part of the search tree, on the assumption that the subtrees of a node have
// equal size. This is not exact, so the line has a "~" and no time. With bar, it also draws a bar.
func progressLine(entry string, d time.Duration, x explore.Progress, bar bool) string {
	s := fmt.Sprintf("%s  %s exec", entry, Digits(x.Executions))
	if x.States > 0 {
		s += fmt.Sprintf("  %s states", Digits(x.States))
	}
	sec := d.Seconds()
	// The work of other processes does not show the speed of this one.
	executions, transitions := x.Executions-min(x.Executions, x.Before.Executions), x.Transitions-min(x.Transitions, x.Before.Transitions)
	if sec > 0 {
		if x.States == 0 {
			s += fmt.Sprintf("  %s/s", Digits(uint64(float64(executions)/sec)))
		}
		s += fmt.Sprintf("  %s steps/s", Digits(uint64(float64(transitions)/sec)))
	}
	draw := func(part float64) {
		const cells = 20
		if n := int(part*cells + 0.5); bar && n <= cells {
			s += "  [" + strings.Repeat("#", n) + strings.Repeat("-", cells-n) + "]"
		}
	}
	switch {
	case 0 < x.Estimate && x.Estimate < tooMany && executions > 0:
		draw(float64(x.Executions) / x.Estimate)
		if x.Error == 0 {
			s += fmt.Sprintf("  %.0f%% of %s", 100*float64(x.Executions)/x.Estimate, Digits(uint64(x.Estimate)))
		} else {
			s += fmt.Sprintf("  ~%.0f%% of %s ± %s", 100*float64(x.Executions)/x.Estimate, Digits(uint64(x.Estimate)), Digits(uint64(x.Error)))
		}
		left := sec * (x.Estimate - float64(x.Executions)) / float64(executions)
		if 0 <= left && left < 100*24*3600 {
			s += fmt.Sprintf("  ETA %v", time.Duration(left*float64(time.Second)).Round(time.Second))
		}
	case x.Fraction > 0:
		draw(x.Fraction)
		s += fmt.Sprintf("  ~%.0f%%", 100*x.Fraction)
	}
	s += fmt.Sprintf("  depth %d  %s", x.Depth, count(x.Bugs, "bug"))
	return s
}
