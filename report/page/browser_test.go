//go:build browser

// The browser's protocol takes longer to compile than all of hbcheck: only .ci/run and .ci/deep do it.

package page

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/trace"
)

// A person has to inspect each page: -args -screenshots DIR writes screenshots.
var screenshots = flag.String("screenshots", "", "write screenshots to `dir`")

// A tab is a page in a browser.
type tab struct {
	*testing.T
	ctx    context.Context
	errors func() []string // exceptions, and errors written to the console
}

// browser starts a browser, or skips the test if there is none.
func browser(t *testing.T) context.Context {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			ctx, cancel := chromedp.NewExecAllocator(t.Context(), append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
				chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)...)
			t.Cleanup(cancel)
			ctx, cancel = chromedp.NewContext(ctx)
			t.Cleanup(cancel)
			return ctx
		}
	}
	t.Skip("there is no Chromium or Chrome in the path, in which pages are tested (apt-get install chromium)")
	return nil
}

// open shows a page, at the step of a fragment such as #step=3.
func open(t *testing.T, ctx context.Context, html []byte, fragment string, width, height int64) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, html, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	x := &tab{T: t, ctx: ctx}
	var thrown []string
	// The page itself keeps all exceptions, so none comes too late.
	x.do(chromedp.EmulateViewport(width, height), chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String()+fragment))
	console := chromedp.Console(ctx)
	x.errors = func() []string {
		x.eval(`console.log("the end")`)
		for m, err := range console {
			if err != nil || m.Text == "the end" {
				break
			}
			thrown = append(thrown, m.Text)
		}
		return thrown
	}
	return x
}

func (x *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	x.Helper()
	if err := chromedp.Do(x.ctx, steps...); err != nil {
		x.Fatal(err)
	}
}

// eval evaluates a script, which has a value that JSON has, and returns it as text.
func (x *tab) eval(script string) string {
	x.Helper()
	raw, err := chromedp.Run(x.ctx, chromedp.Evaluate[[]byte](script))
	if err != nil {
		x.Fatalf("%s: %v", script, err)
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// wants checks values of scripts.
func (x *tab) wants(pairs ...string) {
	x.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := x.eval(pairs[i]); got != pairs[i+1] {
			x.Errorf("%s is %s, want %s", pairs[i], got, pairs[i+1])
		}
	}
}

// key presses a key.
func (x *tab) key(k string) {
	x.Helper()
	x.do(chromedp.KeyEvent(k))
}

// shot writes a screenshot, if they are wanted.
func (x *tab) shot(name string) {
	x.Helper()
	if *screenshots == "" {
		return
	}
	png, err := chromedp.Run(x.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		x.Fatal(err)
	}
	if err := Write(filepath.Join(*screenshots, name+".png"), png); err != nil {
		x.Fatal(err)
	}
}

// media sets the colours and the medium that are asked for.
func (x *tab) media(medium, scheme string) {
	x.Helper()
	if _, err := chromedp.Call(x.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
		x.Fatal(err)
	}
}

const (
	selectedText = `document.querySelector(".row.sel").textContent`
	selectedStep = `L.step[selected]`
)

// TestBrowser: a page of each kind is opened, stepped through, filtered and printed.
func TestBrowser(t *testing.T) {
	ctx := browser(t)
	for _, file := range programs(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".go")
		t.Run(name, func(t *testing.T) {
			s := explored(t, file)
			html, err := HTML(s)
			if err != nil {
				t.Fatal(err)
			}
			x := open(t, ctx, html, "", 1300, 760)
			x.shot(name)
			steps := len(s.Bug.Observation.States) - 1
			x.wants(`steps`, fmt.Sprint(steps),
				// It opens at the place of the bug, or, if there is none, at the end.
				`selected === bugLine && document.querySelectorAll(".row.sel").length === 1`, "true",
				`document.querySelector(".row.sel").getAttribute("aria-selected")`, "true",
				`lanesBox.getAttribute("aria-activedescendant")`, x.eval(`document.querySelector(".row.sel").id`),
				// Keys.
				`D.files.every((f) => f.parts.length > 0)`, "true")
			x.key(kb.Home)
			x.wants(`selected`, "0", `location.hash`, x.eval(`L.step[0] > 0 ? "#step=1" : "#line=0"`), `slider.value`, "0")
			for n := 1; n <= steps; n++ {
				for x.eval(selectedStep) != fmt.Sprint(n) {
					x.key("j")
				}
				x.wants(`document.querySelector(".src.cur .ln").textContent`, x.eval(`String(D.sites[L.site[selected]][4])`),
					`stepBox.querySelector("h2").textContent.startsWith("Step `+fmt.Sprint(n)+` of ")`, "true",
					`document.querySelector(".row.sel .n").textContent`, fmt.Sprint(n))
			}
			if steps > 1 {
				before := x.eval(`selected`)
				x.key("k")
				x.wants(`selected === `+before+` - 1`, "true")
			}
			x.key("f")
			x.wants(`selected === bugLine`, "true")
			x.key("?")
			x.wants(`$("keys").hidden`, "false")
			x.key("?")
			// Filters: only one goroutine, then all.
			lane := x.eval(`L.lane[bugLine]`)
			x.eval(`$("goroutines").children[` + lane + `].dispatchEvent(new MouseEvent("click", {shiftKey: true})); 0`)
			x.wants(`shown.every((i) => L.lane[i] === `+lane+`) && shown.length === linesOf[`+lane+`].filter((i) => !onlyBox.checked || L.left[i] < 0).length`, "true",
				`[...$("goroutines").children].filter((b) => b.getAttribute("aria-pressed") === "true").length`, "1")
			x.eval(`D.lanes.forEach((_, g) => { if (hiddenLanes.has(g)) $("goroutines").children[g].click(); }); onlyBox.checked = false; filter(); 0`)
			x.wants(`shown.length === count`, "true")
			if x.eval(`D.objects.length`) != "0" {
				x.eval(`objectBox.value = "0"; objectBox.dispatchEvent(new Event("change")); 0`)
				x.wants(`shown.length > 0 && shown.every((i) => L.object[i] === 0 || L.wrong[i])`, "true")
				x.eval(`objectBox.value = "-1"; objectBox.dispatchEvent(new Event("change")); 0`)
			}
			// Nothing is cut off at the side, in small windows either.
			for _, width := range []int64{1300, 900, 500} {
				x.do(chromedp.EmulateViewport(width, 760))
				x.wants(`document.documentElement.scrollWidth <= innerWidth`, "true")
				x.shot(fmt.Sprintf("%s-%d", name, width))
			}
			x.do(chromedp.EmulateViewport(1300, 760))
			x.media("", "dark")
			x.shot(name + "-dark")
			x.media("print", "dark")
			x.eval(`dispatchEvent(new Event("beforeprint")); 0`)
			x.wants(`document.querySelectorAll(".row").length === shown.length`, "true",
				`getComputedStyle(document.body).backgroundColor`, "rgb(255, 255, 255)")
			x.shot(name + "-print")
			x.media("", "light")
			x.eval(`dispatchEvent(new Event("afterprint")); 0`)
			if list := x.errors(); len(list) > 0 {
				t.Errorf("the console has %q", list)
			}
		})
	}
}

// TestStory: the page's texts about the steps of one bug.
func TestStory(t *testing.T) {
	ctx := browser(t)
	html, err := HTML(explored(t, "testdata/bugs/failure.go"))
	if err != nil {
		t.Fatal(err)
	}
	x := open(t, ctx, html, "#step=3", 1300, 760)
	x.wants(selectedStep, "3", `document.querySelector(".src.cur .who").textContent`, "▸g2",
		// g1 has read and could write; an update is lost because it does not.
		`stepBox.textContent.includes("could move: atomic-store n")`, "true",
		`stepBox.textContent.includes("conflicts with step 3")`, "true",
		`stepBox.textContent.includes("blocked: wg-wait wg")`, "true")
	x.eval(`location.hash = "#step=6"; 0`)
	x.do(chromedp.Poll[chromedp.Void](`L.step[selected] === 6`))
	x.wants(`stepBox.querySelector(".value").textContent`, "n: 1 → 1",
		`[...stepBox.querySelectorAll("a")].some((a) => a.hash === "#step=4")`, "true",
		`document.querySelectorAll("svg .pair").length > 0`, "true",
		`document.querySelectorAll("#why a").length`, "5")
	x.eval(`document.querySelector("#why a").click(); 0`)
	x.do(chromedp.Poll[chromedp.Void](`L.step[selected] === 2`))
	x.wants(`stepBox.querySelector("button").textContent`, "replay from here with g2 first",
		`stepBox.querySelector("button").title`, "hbcheck replay --until 1 --then g2 x/main.1.hbr")
	x.eval(`stepBox.querySelector("button").click(); 0`)
	x.do(chromedp.Poll[chromedp.Void](`$("toast").textContent === "copied: hbcheck replay --until 1 --then g2 x/main.1.hbr"`))
	x.key("c")
	x.wants(selectedStep, "4")
	x.key("l") // g2 has one more step
	x.wants(selectedStep, "5", `D.lanes[L.lane[selected]]`, "g2")
	x.key("h")
	x.wants(selectedStep, "4")
	x.do(chromedp.SetAttributeValue(chromedp.ID("slider"), "data-test", "1"))
	x.eval(`slider.value = 0; slider.dispatchEvent(new Event("input")); 0`)
	x.wants(`selected`, "0", `slider.getAttribute("aria-valuetext")`, "step 1, main, wg-add, wg, failure.go:13")

	// The program of waits has a lock that is held, and clocks.
	if html, err = HTML(explored(t, "testdata/bugs/deadlock.go")); err != nil {
		t.Fatal(err)
	}
	x = open(t, ctx, html, "", 1300, 760)
	x.wants(`JSON.stringify(held(steps).map((l) => l.map((h) => D.locks[h[0]])))`, `[[],["from.mu"],["from.mu (2)"]]`,
		`JSON.stringify(knows(3))`, "[1,0,3]", `shown.length`, "6")
}

// TestHostilePage: no text of a program is executed, or becomes an element.
func TestHostilePage(t *testing.T) {
	ctx := browser(t)
	html, err := HTML(hostileSchedule(t))
	if err != nil {
		t.Fatal(err)
	}
	x := open(t, ctx, html, "", 1300, 760)
	x.eval(`for (let i = 0; i < count; i++) select(i); 0`)
	x.wants(`document.scripts.length`, "2", `document.querySelectorAll("a[href]:not([href^='#step='])").length`, "0",
		`document.body.textContent.includes("</script><script>alert(1)</script>")`, "true")
	x.shot("hostile")
	if list := x.errors(); len(list) > 0 {
		t.Errorf("the console has %q", list)
	}
}

// TestLongPage: for a long schedule the document has only the visible part.
func TestLongPage(t *testing.T) {
	ctx := browser(t)
	const steps = 100_000
	html, err := HTML(long(steps))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d steps: %d bytes", steps, len(html))
	if max := steps * 150; len(html) > max {
		t.Errorf("the page has %d bytes, more than %d", len(html), max)
	}
	x := open(t, ctx, html, "", 1300, 760)
	t.Logf("loaded after %s ms", x.eval(`Math.round(performance.timing.loadEventEnd - performance.timing.navigationStart)`))
	few := `document.getElementsByTagName("*").length < 3000`
	x.wants(`steps`, fmt.Sprint(steps), few, "true", selectedStep, fmt.Sprint(steps))
	x.eval(`location.hash = "#step=50000"; 0`)
	x.do(chromedp.Poll[chromedp.Void](`L.step[selected] === 50000`))
	x.wants(few, "true", `document.querySelector(".row.sel .n").textContent`, "50000",
		`(() => { const r = document.querySelector(".row.sel").getBoundingClientRect(), b = lanesBox.getBoundingClientRect(); return r.top >= b.top && r.bottom <= b.bottom; })()`, "true")
	x.shot("long")
	x.eval(`onlyBox.checked = false; filter(); lanesBox.scrollTop = 24 * 70000; 0`)
	x.do(chromedp.Poll[chromedp.Void](`[...document.querySelectorAll(".row .n")].some((n) => n.textContent === "70000")`))
	x.wants(few, "true")
	t.Logf("a hundred steps take %s ms", x.eval(`(() => { const t = performance.now(); for (let i = 0; i < 100; i++) move(1); return String(Math.round(performance.now() - t)); })()`))
	x.eval(`dispatchEvent(new Event("beforeprint")); 0`)
	x.wants(`document.querySelectorAll(".row").length === mostPrinted`, "true")
	if list := x.errors(); len(list) > 0 {
		t.Errorf("the console has %q", list)
	}
}

// TestManyGoroutines: if there are too many goroutines for lanes, all steps are in one lane, with names.
func TestManyGoroutines(t *testing.T) {
	s := long(300)
	for i := range s.Bug.Events {
		e := &s.Bug.Events[i]
		e.G = trace.GID(i % 60)
		if e.Name = fmt.Sprintf("g%d", i%60); i%60 == 0 {
			e.Name = "main"
		}
		s.Bug.Observation.Names[e.G] = e.Name
		s.Bug.Observation.States[i].Arrived = []describe.Event{*e}
	}
	html, err := HTML(s)
	if err != nil {
		t.Fatal(err)
	}
	x := open(t, browser(t), html, "#step=9", 1300, 760)
	x.shot("many")
	x.eval(`onlyBox.checked = false; filter(); 0`)
	x.wants(`laneCount`, "60", `document.querySelector(".row.sel .name").textContent.trim()`, "g8", `document.querySelectorAll("svg .lane").length`, "0")
	x.eval(`(() => { const b = $("goroutines").firstChild; b.value = "7"; b.dispatchEvent(new Event("change")); })(); 0`)
	x.wants(`shown.length`, "5", `new Set(shown.map((i) => D.lanes[L.lane[i]])).size`, "1")
	x.eval(`select(lineOf[100]); 0`)
	x.wants(`shown.length === count`, "true", selectedStep, "100", `$("goroutines").firstChild.value`, "-1")
	if list := x.errors(); len(list) > 0 {
		t.Errorf("the console has %q", list)
	}
}

// long returns a schedule of that number of steps, of goroutines that take turns at a lock.
func long(steps int) *Schedule {
	b := &bug.Bug{Kind: bug.Panic, Detail: bug.Crashed{Text: "panic: after a long time"}, G: "main", Loop: -1, Observation: &describe.Observation{}}
	b.Pos.Filename, b.Pos.Line = "testdata/bugs/race.go", 9
	o := b.Observation
	o.Names = map[trace.GID]string{0: "main", 1: "g1", 2: "g2", 3: "g3"}
	enabled := [][]trace.GID{{0, 1, 2, 3}, {0}, {1}, {2}, {3}}
	for i := range steps {
		g := trace.GID(i / 5 % 4)
		e := describe.Event{G: g, Name: o.Names[g], Func: "main.work", Loc: uint64(1 + i%5/3), What: []string{"mu", "x", "y", "x", "mu"}[i%5],
			Kind: []trace.Kind{trace.Lock, trace.Read, trace.Write, trace.Write, trace.Unlock}[i%5]}
		e.Pos.Filename, e.Pos.Line, e.Pos.Column = "testdata/bugs/race.go", 10+i%5, 1
		e.Touches = []uint64{e.Loc}
		if e.Kind == trace.Write {
			e.Effect = fmt.Sprintf("= %d", i)
		}
		b.Events = append(b.Events, e)
		s := describe.State{Arrived: []describe.Event{e}, Enabled: enabled[0]}
		switch i % 5 {
		case 0:
			s.Acquired = 1
			if i > 0 {
				s.After = []int{i - 1}
			}
		case 4:
			s.Released = 1
			fallthrough
		default:
			s.Enabled = enabled[1+g]
		}
		o.States = append(o.States, s)
	}
	o.States = append(o.States, describe.State{})
	return &Schedule{Package: "example.com/long", Entry: "TestLong", Bug: b, Replay: "x.hbr"}
}

// TestIndexPage: the index of a run leads to its pages.
func TestIndexPage(t *testing.T) {
	dir := t.TempDir()
	s := explored(t, "testdata/bugs/race.go")
	pageName := filepath.Join(dir, "a b.html")
	html, err := HTML(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(pageName, html); err != nil {
		t.Fatal(err)
	}
	x := &Index{Name: filepath.Join(dir, "index.html")}
	for _, r := range []*explore.Result{
		{Package: "example.com/a", Entry: "TestFine", Verdict: explore.OK, POR: "optimal"},
		{Package: "example.com/a", Entry: "TestRace <b>", Verdict: explore.Fail, POR: "optimal", Bugs: []*bug.Bug{s.Bug}},
		{Package: "example.com/a", Entry: "TestLong", Verdict: explore.Incomplete, POR: "jpf", Incomplete: []explore.Reason{{Cause: explore.CauseStopped, Text: "timeout after 1s (--timeout)"}}},
	} {
		if err := x.Result(r, []report.Files{{Page: pageName}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Failed("example.com/b", "", "build failed"); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(x.Name)
	if err != nil {
		t.Fatal(err)
	}
	valid(t, index)
	for _, want := range []string{"4 entries: 1 not explored · 1 FAIL · 1 incomplete · 1 ok", `<a href="./a%20b.html">`, "TestRace &lt;b&gt;", "timeout after 1s"} {
		if !bytes.Contains(index, []byte(want)) {
			t.Errorf("the index has no %q", want)
		}
	}
	b := open(t, browser(t), index, "", 1100, 500)
	b.shot("index")
	b.wants(`rows.length`, "4", `rows[0].className`, "error")
	b.eval(`verdict.value = "fail"; verdict.dispatchEvent(new Event("change")); 0`)
	b.wants(`rows.filter((r) => !r.hidden).map((r) => r.querySelector("a").textContent).join()`, "HB002 "+firstLine(report.Message(s.Bug)), `found.textContent`, "1 of 4")
	b.eval(`verdict.value = ""; find.value = "testlong"; find.dispatchEvent(new Event("input")); 0`)
	b.wants(`found.textContent`, "1 of 4")
	b.media("", "dark")
	b.shot("index-dark")
	if list := b.errors(); len(list) > 0 {
		t.Errorf("the console has %q", list)
	}
}

// TestHistoryInBrowser: the picture is a list of links to steps, which keys reach and which has texts for
// readers who do not see it.
func TestHistoryInBrowser(t *testing.T) {
	ctx := browser(t)
	html, err := HTML(explored(t, "./testdata/history"))
	if err != nil {
		t.Fatal(err)
	}
	x := open(t, ctx, html, "", 1300, 760)
	x.shot("history")
	x.wants(`document.querySelectorAll(".history a.op").length`, "3",
		`document.querySelectorAll(".history a.not").length`, "1",
		`[...document.querySelectorAll(".history a")].every((a) => a.getAttribute("aria-label").includes("called in step"))`, "true",
		`[...document.querySelectorAll(".history a")].every((a) => a.querySelector("rect").getBBox().width >= a.querySelector("text").getBBox().width + 10)`, "true")
	x.eval(`document.querySelector(".history a.not").focus(); 0`)
	x.key("\r")
	for range 100 { // the page is notified of its new address later
		if x.eval(`String(location.hash !== "" && L.step[selected] === Number(location.hash.slice(6)))`) == "true" {
			break
		}
	}
	x.wants(`L.step[selected] === Number(document.querySelector(".history a.not").getAttribute("href").slice(6))`, "true",
		`D.texts[L.what[selected]].startsWith("Get()")`, "true")
	x.media("screen", "dark")
	x.shot("history-dark")
	x.media("print", "light")
	x.shot("history-print")
	for _, e := range x.errors() {
		t.Error(e)
	}
}
