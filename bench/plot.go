package bench

import (
	"fmt"
	"html"
	"io"
	"math"
)

// The picture's measures, in pixels.
const (
	plotLeft   = 150 // of the axis
	plotDecade = 75  // between powers of ten
	plotTop    = 60
	plotRow    = 40 // between programs
)

// The columns' colours, from left to right: distinct for colour-blind people,
// too (Okabe and Ito).
var plotColours = []string{"#000000", "#E69F00", "#0072B2", "#009E73", "#CC79A7"}

// PlotSpin14 draws the suite spin14 as an SVG picture: for each program there is a line for the choices here
// and a line for the paper's, with a dot for each column of the table, on a logarithmic scale.
func PlotSpin14(w io.Writer, programs [][]*Spin14Row) error {
	if len(programs) == 0 {
		return nil
	}
	most := uint64(1)
	for _, columns := range programs {
		for _, r := range columns {
			p, _ := r.Published()
			most = max(most, r.Result.Stats.Choices, p.Choices)
		}
	}
	decades := int(math.Ceil(math.Log10(float64(most))))
	width, height := plotLeft+decades*plotDecade+30, plotTop+len(programs)*plotRow+30
	bottom := height - 30

	var err error
	out := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format+"\n", args...)
		}
	}
	text := func(x, y int, anchor, s string) {
		out(`<text x="%d" y="%d" text-anchor="%s">%s</text>`, x, y, anchor, html.EscapeString(s))
	}
	at := func(n uint64) float64 {
		return plotLeft + plotDecade*math.Log10(float64(max(n, 1)))
	}
	out(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`, width, height, width, height)
	out(`<title>Scheduling choices, by static facts</title>`)
	out(`<rect width="%d" height="%d" fill="#ffffff"/>`, width, height)
	for i, r := range programs[0] {
		x := plotLeft + 70*i
		out(`<circle cx="%d" cy="16" r="5" fill="%s"/>`, x, plotColours[i%len(plotColours)])
		text(x+9, 20, "start", string(r.Result.Hybrid))
	}
	text(plotLeft, 40, "start", "choices: ● here   ○ in the paper (Java Pathfinder)")
	for d := range decades + 1 {
		x := plotLeft + d*plotDecade
		out(`<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#dddddd"/>`, x, plotTop-8, x, bottom)
		label := "1"
		if d > 0 {
			label = "10" + superscript(d)
		}
		text(x, bottom+16, "middle", label)
	}
	for i, columns := range programs {
		y := plotTop + i*plotRow + plotRow/4
		text(plotLeft-10, y+10, "end", columns[0].Title)
		var here, there []float64
		for _, r := range columns {
			here = append(here, at(r.Result.Stats.Choices))
			if p, ok := r.Published(); ok {
				there = append(there, at(p.Choices))
			}
		}
		plotDots(out, here, y, true)
		plotDots(out, there, y+13, false)
	}
	out(`</svg>`)
	return err
}

// plotDots draws a line through xs at height y and a dot for each. Dots become smaller to the right, so
// that dots in one place stay visible.
func plotDots(out func(string, ...any), xs []float64, y int, filled bool) {
	if len(xs) == 0 {
		return
	}
	out(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#aaaaaa"/>`, xs[0], y, xs[len(xs)-1], y)
	for i, x := range xs {
		colour := plotColours[i%len(plotColours)]
		fill := "#ffffff"
		if filled {
			fill = colour
		}
		out(`<circle cx="%.1f" cy="%d" r="%.1f" fill="%s" stroke="%s" stroke-width="1.5"/>`, x, y, max(2, 5.5-float64(i)), fill, colour)
	}
}

// superscript writes a number of one or two digits as an exponent.
func superscript(n int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	if n < 10 {
		return string(digits[n])
	}
	return superscript(n/10) + string(digits[n%10])
}
