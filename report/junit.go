package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"

	"hbcheck.dev/hbcheck/explore"
)

// JUnit writes the XML that CI systems read: a suite for each package, a case for each entry.
type JUnit struct {
	W    io.Writer
	Text Text // how the report of an entry is written

	suites []*junitSuite
	times  []time.Duration
}

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	junitCounts
	Suites []*junitSuite `xml:"testsuite"`
}

type junitCounts struct {
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Cases []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string       `xml:"classname,attr"`
	Name    string       `xml:"name,attr"`
	Time    string       `xml:"time,attr"`
	Failure *junitReason `xml:"failure"`
	Error   *junitReason `xml:"error"`
	Skipped *junitReason `xml:"skipped"`
	Output  *junitText   `xml:"system-out"`
}

type junitReason struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

type junitText struct {
	Text string `xml:",cdata"`
}

// Result implements Writer.
func (x *JUnit) Result(r *explore.Result, files []Files) error {
	c := junitCase{Class: r.Package, Name: r.Entry}
	text := x.Text.one(r, files)
	switch status, why := statusOf(r); status {
	case failed:
		c.Failure = &junitReason{Text: text}
		for _, b := range r.Bugs {
			if !b.Warning {
				c.Failure.Type, c.Failure.Message = b.Kind.Code(), Printable(firstLine(Message(b)))
				if s := foundIn(b); s != "" {
					c.Failure.Message += "; " + Printable(s)
				}
				break
			}
		}
	case skipped:
		c.Skipped, c.Output = &junitReason{Message: Printable(why)}, &junitText{text}
	default:
		c.Output = &junitText{text}
	}
	x.add(c, timeOf(r))
	for _, s := range r.SubtestVerdicts() {
		c := junitCase{Class: r.Package, Name: s.Name}
		switch status, why := subtestStatus(s); status {
		case failed:
			c.Failure = &junitReason{Type: "subtest", Message: "see " + r.Entry}
			for _, b := range r.Bugs {
				if !b.Warning && b.In(s.Name) {
					c.Failure.Type, c.Failure.Message = b.Kind.Code(), Printable(firstLine(Message(b)))
					break
				}
			}
		case skipped:
			c.Skipped = &junitReason{Message: why}
		}
		x.add(c, 0)
	}
	return nil
}

// add adds a case to the suite of its package.
func (x *JUnit) add(c junitCase, took time.Duration) {
	n := len(x.suites) - 1
	if n < 0 || x.suites[n].Name != c.Class {
		x.suites, x.times = append(x.suites, &junitSuite{Name: c.Class}), append(x.times, 0)
		n++
	}
	c.Time = junitTime(took)
	x.suites[n].Cases = append(x.suites[n].Cases, c)
	x.times[n] += took
}

func junitTime(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// Failed implements Writer.
func (x *JUnit) Failed(pkg, entry, why string) error {
	if entry == "" {
		entry = "package"
	}
	x.add(junitCase{Class: pkg, Name: entry, Error: &junitReason{Message: Printable(firstLine(why)), Type: "not explored", Text: Printable(why)}}, 0)
	return nil
}

// Close implements Writer.
func (x *JUnit) Close() error {
	all := junitSuites{Suites: x.suites}
	total := time.Duration(0)
	for i, s := range x.suites {
		for _, c := range s.Cases {
			s.Tests++
			s.Failures += count1(c.Failure != nil)
			s.Errors += count1(c.Error != nil)
			s.Skipped += count1(c.Skipped != nil)
		}
		s.Time = junitTime(x.times[i])
		total += x.times[i]
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
	}
	all.Time = junitTime(total)
	if _, err := io.WriteString(x.W, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(x.W)
	e.Indent("", " ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(x.W, "\n")
	return err
}

func count1(x bool) int {
	if x {
		return 1
	}
	return 0
}
