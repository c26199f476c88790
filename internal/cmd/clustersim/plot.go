package main

import (
	"fmt"
	"html"
	"io"
	"math"
)

// The picture's measures, in pixels.
const (
	plotLeft   = 60
	plotTop    = 20
	plotDecade = 150 // between powers of ten, in both directions
	plotWide   = 3   // decades
)

// The lines' colours: distinct for colour-blind people, too (Okabe and Ito).
var plotColours = []string{"#000000", "#0072B2", "#009E73", "#E69F00"}

// writePlot draws how much faster runs are with more workers, on logarithmic scales.
func writePlot(w io.Writer) (err error) {
	out := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format+"\n", args...)
		}
	}
	text := func(x, y float64, anchor, s string) {
		out(`<text x="%.0f" y="%.0f" text-anchor="%s">%s</text>`, x, y, anchor, html.EscapeString(s))
	}
	bottom := float64(plotTop + plotWide*plotDecade)
	right := float64(plotLeft + plotWide*plotDecade)
	at := func(workers, times float64) (x, y float64) {
		return plotLeft + plotDecade*math.Log10(workers), bottom - plotDecade*math.Log10(max(times, 1))
	}
	out(`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="sans-serif" font-size="12">`, right+170, bottom+40)
	out(`<title>How much faster a run is with more workers (simulated)</title>`)
	out(`<rect width="%.0f" height="%.0f" fill="#ffffff"/>`, right+170, bottom+40)
	for d := range plotWide + 1 {
		n := math.Pow10(d)
		x, y := at(n, n)
		out(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%.1f" stroke="#dddddd"/>`, x, plotTop, x, bottom)
		out(`<line x1="%d" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#dddddd"/>`, plotLeft, y, right, y)
		text(x, bottom+16, "middle", fmt.Sprint(n))
		text(plotLeft-6, y+4, "end", fmt.Sprint(n))
	}
	text((plotLeft+right)/2, bottom+34, "middle", "workers")
	text(8, plotTop-6, "start", "times as fast as one")
	out(`<line x1="%d" y1="%.1f" x2="%.1f" y2="%d" stroke="#aaaaaa" stroke-dasharray="4"/>`, plotLeft, bottom, right, plotTop)
	lines := []struct {
		name  string
		times func(workers int) float64
	}{{fmt.Sprintf("%d entries", eachTime*len(medians)), func(n int) float64 {
		o := runEntries(eachTime, n)
		return o.work / o.seconds
	}}}
	for _, v := range variants {
		lines = append(lines, struct {
			name  string
			times func(workers int) float64
		}{"one entry, " + v.name, func(n int) float64 { return hours * 3600 / v.run(n).seconds }})
	}
	for i, l := range lines {
		points := ""
		for _, n := range plotWorkers {
			x, y := at(float64(n), l.times(n))
			points += fmt.Sprintf("%.1f,%.1f ", x, y)
			out(`<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, x, y, plotColours[i])
		}
		out(`<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>`, points, plotColours[i])
		y := float64(plotTop + 200 + 20*i)
		out(`<circle cx="%.0f" cy="%.0f" r="4" fill="%s"/>`, right+12, y-4, plotColours[i])
		text(right+22, y, "start", l.name)
	}
	out(`</svg>`)
	return err
}
