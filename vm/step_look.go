package vm

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Reading the clock. A clock read is called a look here. Between two looks at least a nanosecond
// passes, and at each look time may pass while goroutines are busy, by the rules of step_time.go:
//
//	4. A look may make time pass by any d for which debt + d <= Slack, if no timer is due, and not
//	   to the first deadline or beyond it; debt grows by d.
//
// A program can notice the shown time only where it compares times (compareTimes, bytecode.Clock), or
// makes numbers of them, which the verdict names (ClockCounted). So looks are explored only as far as
// comparisons need them:
//
//  1. A comparison shows how much time would have to pass for another outcome. If all goroutines have
//     waited n times on a path, its delays together are at most n+1 times Slack (reaches). If that is
//     too little for every comparison, all outcomes are those without delays. (Consider the first
//     comparison with another outcome: before it, nothing has changed.)
//  2. Otherwise the search begins again, and each look is a visible operation with alternatives: no time
//     passes, or the amount that one of the comparisons needs, or all that is left (Config.jumps). If
//     comparisons then need other amounts, the search begins again with these. A comparison after a look
//     at which time has passed may need more of it at the same look: the sum is an amount, too. The search
//     ends when there are no new amounts.
//  3. There are at most maxJumps amounts. The verdict names further ones (ClockSome).
//
// Amounts are rounded up to a tenth of a microsecond, to ignore the nanoseconds that looks take. Looks are
// only a nanosecond apart here, so the verdict names comparisons of durations that need a few more.

// moves reports whether time passes on g's clock while goroutines execute.
func (m *Machine) moves(g *goroutine) bool {
	return g.bubble == 0 && !m.auto && (!m.cfg.OrderedTime || m.cfg.Slack > 0)
}

// reaches reports whether the time on the present path could be later by d. Once reaches was called, the
// number of times that all goroutines have waited is a part of states: see state_time.go. By rule 3 debt is
// at most Slack, and it begins at 0 each time that all goroutines wait.
func (m *Machine) reaches(d int64) bool {
	if !m.cfg.OrderedTime || m.cfg.Slack > math.MaxInt64/4/(m.rests+1) {
		return d <= math.MaxInt64/2
	}
	if d > m.cfg.Slack && m.relativeTimes() {
		if m.allPasses() || m.cfg.CountRests && m.rests >= maxRests {
			return true
		}
		m.cfg.absolute.rests.Store(true)
	}
	return d <= m.cfg.Slack*(m.rests+1)
}

// peekLook is the Peek of a look.
//
// A look of a waiting loop is a Sleep. Otherwise, a look on which nothing depends, or at which time cannot
// pass, is local work. All other looks are visible, with an alternative for each amount of time.
func peekLook(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	if g.status == gRunning && !m.auto && g.bubble == 0 {
		m.arriveAtLook(g)
	}
	if g.looked.waits {
		op.Kind = trace.Sleep
		m.noteWaiting(g)
		return int(b2u(!m.spent(g)))
	}
	if !g.looked.woken && (!m.cfg.VisibleLooks || !m.moves(g) || !m.observed(g)) {
		return 1
	}
	op.Kind = trace.Clock
	if m.lookWord != 0 {
		op.Access[0] = accessOf(m.lookWord, 8, true)
		op.N = 1
	}
	n := 1
	for m.jump(g, n) > 0 {
		n++
	}
	return n
}

// jump returns the time that passes at a look of g that is executed with alternative choice; 0 if it
// has no such alternative.
func (m *Machine) jump(g *goroutine, choice int) int64 {
	room := int64(math.MaxInt64 / 2)
	if m.cfg.OrderedTime {
		room = m.cfg.Slack - m.debt
		for _, s := range m.living() {
			if q := m.gs[s]; timed(q) && m.bounded(q) && m.numAlternatives(q) > 0 {
				room = min(room, m.deadline(q)-m.clock-1)
			}
		}
	}
	for _, j := range m.cfg.jumps {
		// If an amount is too large, all the remaining time may pass instead.
		if choice--; choice == 0 || j >= room {
			return max(0, min(j, room)) * int64(b2u(choice == 0))
		}
	}
	return 0
}

// passesAtLooks reports whether time may pass at looks, unless a timer prevents it.
func (m *Machine) passesAtLooks() bool {
	return len(m.cfg.jumps) > 0 && (!m.cfg.OrderedTime || m.debt < m.cfg.Slack)
}

// look returns the time that g reads on its clock.
func (m *Machine) look(g *goroutine) int64 {
	if !m.cfg.VisibleLooks || !m.moves(g) || !m.observed(g) {
		if g.bubble == 0 {
			m.noteLook(m.clock)
		}
		return m.clockOf(g)
	}
	m.idleLooks++
	if g.Choice > 0 {
		m.idleLooks, m.idleRounds = 0, 0
		d := m.jump(g, int(g.Choice))
		if i, found := slices.BinarySearch(m.jumped, d); !found {
			m.jumped = slices.Insert(slices.Clone(m.jumped), i, d)
		}
		m.clock += d
		m.debt += d
		m.observeLate()
	}
	//mutant: the clock stands still between looks [env TestPrograms/clockmoves]: "shown) + 1" -> "shown)"
	m.shown = max(m.clock, m.shown) + 1
	m.noteLook(m.shown)
	return m.shown
}

// noteLook records that a look has returned t.
func (m *Machine) noteLook(t int64) {
	if n := len(m.looks); n == 0 || m.looks[n-1] != t {
		m.looks = append(m.looks, t)
	}
}

// observed reports whether the time that g reads may matter, because it is not only logged.
func (m *Machine) observed(g *goroutine) bool {
	p := m.timesCaller(g)
	return p == nil || !p.Std || p.Path != "log" && p.Path != "log/slog" && p.Path != "testing"
}

// The layout of a Time in package time: nanosecond, second since year 1, location. A Time with a
// monotonic reading, as the clock shows, has in timeWall a flag, 33 bits of seconds since 1885, and
// the nanosecond; timeExt is the reading.
const (
	timeWall  = 0
	timeExt   = 1
	timeWords = 3

	timeNanos = 1<<30 - 1
	timeMono  = 1 << 63
	since1885 = (1884*365 + 1884/4 - 1884/100 + 1884/400) * 86400 // from year 1
	since1970 = (1969*365 + 1969/4 - 1969/100 + 1969/400) * 86400
)

// timeOf returns the first words of the Time that is unix nanoseconds after 1970, with a monotonic
// reading if mono is not 0.
func timeOf(unix, mono int64) (wall, ext uint64) {
	sec := unix/1e9 + since1970 - since1885
	if mono == 0 || sec>>33 != 0 {
		return uint64(unix % 1e9), uint64(sec + since1885)
	}
	return timeMono | uint64(sec)<<30 | uint64(unix%1e9), uint64(mono)
}

// timeSecond returns the second since year 1 of a Time.
func timeSecond(wall, ext uint64) int64 {
	if wall&timeMono != 0 {
		return since1885 + int64(wall<<1>>31)
	}
	return int64(ext)
}

// farTime is the limit up to which instants are distinguished.
const farTime = math.MaxInt64 / 4

// instant returns a Time as a time on the machine's clock, limited to farTime.
func instant(wall, ext uint64) int64 {
	const far = farTime / 1_000_000_000
	sec := min(max(timeSecond(wall, ext)-since1970-startTime/1e9, -far), far)
	return sec*1e9 + int64(wall&timeNanos) - startTime%1e9
}

// compareTimes compares the two Times at r.
func (m *Machine) compareTimes(g *goroutine, r Regs) int {
	a, b := [2]uint64{r.U(timeWall), r.U(timeExt)}, [2]uint64{r.U(timeWords + timeWall), r.U(timeWords + timeExt)}
	x, y := instant(a[0], a[1]), instant(b[0], b[1])
	m.observeOdd(a, b)
	//mutant: dates are not named [env TestPrograms/clockdate$]
	m.comparesDate(g, a, b)
	m.comparesTicks(g, x, y)
	m.comparesEarly(g, x, y)
	if (x >= 0 || y >= 0) && m.compares(g) {
		if x == y || !m.settled(max(x, y)) {
			m.compared(g, max(x, y)-min(x, y), 0, m.passedAt(min(x, y)))
		}
	}
	if a[0]&b[0]&timeMono != 0 {
		return cmp.Compare(int64(a[1]), int64(b[1]))
	}
	return cmp.Or(cmp.Compare(timeSecond(a[0], a[1]), timeSecond(b[0], b[1])), cmp.Compare(a[0]&timeNanos, b[0]&timeNanos))
}

// comparesEarly names a comparison, or the difference, of two times of the clock in an initialiser, where
// only one outcome is tried.
func (m *Machine) comparesEarly(g *goroutine, x, y int64) {
	//mutant: the clock of initialisers is not named [env TestPrograms/clockinit]: " && m.initialising()" -> " && false"
	if min(x, y) >= 0 && m.initialising() {
		m.assume(g, ClockSome)
	}
}

// settled reports whether no time earlier than t can become later than t if time passes at looks. That holds
// if a look has returned t, because each earlier time was returned before t, or is a duration after such a
// time. But the program may have computed times that lie before a time that a look has returned, and that
// grow with it (cutoffs). Then only the time shown now is settled.
func (m *Machine) settled(t int64) bool {
	if now := max(m.clock, m.shown); t == now || m.times.holds(&m.times.cutoffs) {
		return t == now
	}
	_, ok := slices.BinarySearch(m.looks, t)
	if ok { // the shown times are not part of states
		m.observeTime()
	}
	return ok
}

// addToTime is (time.Time).Add: the code of package time, with records about the clock. Adding a negative
// duration makes a time that lies before a time that a look has returned (settled).
func (m *Machine) addToTime(r Regs) {
	d := r.I(timeWords)
	if d < 0 {
		m.times.note(&m.times.cutoffs)
	}
	from := [2]uint64{r.U(timeWall), r.U(timeExt)}
	m.moveTime(r, d)
	//mutant: what is added to a date is none [env TestPrograms/clockdateadd]: false
	if m.isDate(from) {
		m.made(r.U(timeWall), r.U(timeExt))
	}
	m.observeMoved(from, [2]uint64{r.U(timeWall), r.U(timeExt)})
}

// moveTime adds d to the Time in r.
func (m *Machine) moveTime(r Regs, d int64) {
	wall, ext := r.U(timeWall), r.U(timeExt)
	nsec, sec := int64(wall&timeNanos)+d%1e9, d/1e9
	switch {
	case nsec >= 1e9:
		sec++
		nsec -= 1e9
	case nsec < 0:
		sec--
		nsec += 1e9
	}
	if wall&timeMono != 0 {
		reading := int64(ext) + d
		second := int64(wall<<1>>31) + sec
		if fits := (reading > int64(ext)) == (d > 0); second == second&(1<<33-1) && (fits || d == 0) {
			r.Set(timeWall, timeMono|uint64(second)<<30|uint64(nsec))
			r.Set(timeExt, uint64(reading))
			return
		}
		wall, ext = 0, uint64(timeSecond(wall, ext)) // the reading is dropped
	}
	now := int64(ext)
	switch sum := now + sec; {
	case (sum > now) == (sec > 0):
		now = sum
	case sec > 0:
		now = math.MaxInt64
	default:
		now = -math.MaxInt64
	}
	r.Set(timeWall, wall&^timeNanos|uint64(nsec))
	r.Set(timeExt, uint64(now))
}

// subtractTimes is (time.Time).Sub. If the first time is in the future, the difference shrinks as
// time passes. It saturates, as package time's does.
func (m *Machine) subtractTimes(g *goroutine, r Regs) int64 {
	x := instant(r.U(timeWall), r.U(timeExt))
	if x > max(m.clock, m.shown) && x < farTime {
		m.times.note(&m.times.shrinks)
	}
	y := instant(r.U(timeWords+timeWall), r.U(timeWords+timeExt))
	aged := m.comparesDate(g, [2]uint64{r.U(timeWall), r.U(timeExt)}, [2]uint64{r.U(timeWords + timeWall), r.U(timeWords + timeExt)})
	m.comparesEarly(g, x, y)
	//mutant: what lies before ticks is exact [env TestPrograms/clocktick$]
	m.times.sinceTick(x, y)
	//mutant: what lies between two times is not of the clock [env TestPrograms/clockelapsed$]
	m.noteElapsed(g)
	wall, from := r.U(timeWall), r.U(timeWords+timeWall)
	d := new(big.Int)
	if wall&from&timeMono != 0 {
		d.Sub(big.NewInt(r.I(timeExt)), big.NewInt(r.I(timeWords+timeExt)))
	} else {
		d.Sub(big.NewInt(timeSecond(wall, r.U(timeExt))), big.NewInt(timeSecond(from, r.U(timeWords+timeExt))))
		d.Add(d.Mul(d, big.NewInt(1e9)), big.NewInt(int64(wall&timeNanos)-int64(from&timeNanos)))
	}
	m.observeDistance([2]uint64{wall, r.U(timeExt)}, [2]uint64{from, r.U(timeWords + timeExt)}, d)
	switch {
	case d.IsInt64():
		//mutant: the time until a date is not named [env TestPrograms/clockdateage]: "if aged " -> "if aged && false "
		if aged {
			m.times.note(&m.times.aged)
		}
		return d.Int64()
	case d.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// compares reports whether the outcome of a comparison of times matters.
func (m *Machine) compares(g *goroutine) bool {
	return m.facts.ClockUsed && m.clockRead() && !m.auto && g.bubble == 0 && !m.isStd(m.callerOf(g))
}

// callerOf returns the function that has called the native that g executes.
func (m *Machine) callerOf(g *goroutine) *bytecode.Func {
	if _, native := m.numberOf[g.Fn.Name]; !native {
		return g.Fn
	}
	link, ra := g.Stack[g.FP-hdrLink], g.Stack[g.FP-hdrReturn]
	if link>>32&frBottom != 0 {
		return g.Fn
	}
	return m.link.Code[ra>>32]
}

// compared records that a comparison of times would have another outcome after more than d, and at most d +
// unit. The compared time or duration contains at most passed of the time that has passed at looks.
func (m *Machine) compared(g *goroutine, d, unit, passed int64) {
	m.noteWaiting(g)
	m.needsTime(g, max(m.clock, m.shown)+d+unit+1)
	if d < sameLook && g.bubble == 0 && !m.auto && !m.moves(g) {
		m.cfg.late.stand()
	}
	if !m.moves(g) || !m.reaches(d) {
		return
	}
	d += unit
	switch {
	case m.cfg.OrderedTime && d > m.cfg.Slack:
		d = allLeft
	}
	if !m.cfg.late.note(d) {
		m.assume(g, ClockSome)
	}
	for _, j := range m.jumped {
		//mutant: one look needs no sum of amounts [test ./cmd/hbcheck TestScripts/readings]: "j > passed" -> "true"
		if j > passed || d == allLeft || m.cfg.OrderedTime && d+j > m.cfg.Slack {
			continue
		}
		if !m.cfg.late.note(d + j) {
			m.assume(g, ClockSome)
		}
	}
}

// tracks reports whether an operand of in is symbolic.
func (m *Machine) tracks(g *goroutine, in *bytecode.Instr) bool {
	sh := g.Shadow
	a, b := int(g.FP)+int(in.A), int(g.FP)+int(in.B)
	return a < len(sh) && sh[a] != nil || b < len(sh) && sh[b] != nil
}

// noteClock executes bytecode.Clock.
//
//	ClockOfTime     a number is made of a Time: named, if the clock may have shown the Time
//	ClockSpan,
//	ClockFlow       a Duration is in memory: see step_spans.go
//	ClockNumber     a number is made of a Duration: named
//	ClockSeed       a source of random numbers is made: draws from it are named (noteSeed)
//	ClockCompared   a and b are compared: how much more time would change the outcome?
//	                No time does, if the difference changes away from zero (ClockGrows, ClockShrinks);
//	                otherwise the difference itself, in units of the numbers
//	ClockDate...    a or b is a time of day: is the other one a date?
func (m *Machine) noteClock(g *goroutine, in *bytecode.Instr, a *uint64, b uint64, unit int64) Ctl {
	if in.C&bytecode.ClockCompared != 0 && in.C&bytecode.ClockFloat == 0 && unit == 1 {
		m.comparesSpans(g, int64(*a), int64(b))
	}
	if !m.clockRead() || g.bubble != 0 {
		return Next
	}
	switch {
	case in.C&bytecode.ClockCompared != 0:
	case in.C&bytecode.ClockFlow != 0:
		return m.spanFlows(g, in.C, int64(*a), int64(b), unit)
	case in.C&bytecode.ClockSpan != 0:
		if in.C&bytecode.ClockNumber == 0 {
			//mutant: durations that leave a function are not kept [env TestPrograms/spanstored]
			m.noteSpan(int64(*a), 1)
			//mutant: any duration is one of the clock's [env TestPrograms/spanprinted]: true
		} else if m.spanOf(int64(*a)) > 0 {
			return m.counts(g, in.C)
		}
		return Next
	case in.C&bytecode.ClockOfTime != 0:
		if m.ofClock([2]uint64(unsafe.Slice(a, 2))) {
			return m.counts(g, in.C)
		}
		return Next
	case in.C&bytecode.ClockNumber != 0:
		return m.counts(g, in.C)
	case in.C&bytecode.ClockSeed != 0:
		m.times.noteSeed(*a)
		return Next
	}
	//mutant: what is configured is of the clock [test ./cmd/hbcheck TestScripts/looks]: drop 2
	if m.auto || !m.comparesElapsed() {
		return Next
	}
	if !m.labeled() && m.tracks(g, in) {
		m.assume(g, ClockSome)
		return Next
	}
	x, y, diff := float64(int64(*a)), float64(int64(b)), float64(int64(*a-b))
	if in.C&bytecode.ClockFloat != 0 {
		x, y = math.Float64frombits(*a), math.Float64frombits(b)
		diff = x - y
	}
	//mutant: numbers of dates are not named [env TestPrograms/clockdatenumber]
	m.comparesUnix(g, x, y, float64(unit), in.C)
	m.comparesAges(g, x, y)
	if unit == 1 && in.C&bytecode.ClockFloat == 0 {
		//mutant: sums are compared as one duration [test ./cmd/hbcheck TestScripts/durations]
		m.comparesSums(g, int64(*a), int64(b))
	}
	//mutant: what is kept is not of the clock either [env TestPrograms/(span|clock)]: "&& m.spanOf(int64(*a)) == 0 && m.spanOf(int64(b)) == 0" -> ""
	if in.C&bytecode.ClockPerhaps != 0 && unit == 1 && m.spanOf(int64(*a)) == 0 && m.spanOf(int64(b)) == 0 {
		return Next // durations.go says why
	}
	if in.C&bytecode.ClockPhase != 0 {
		m.comparesPhase(g, diff)
	}
	grows, shrinks := in.C&bytecode.ClockGrows != 0, in.C&bytecode.ClockShrinks != 0
	left, right := in.C&bytecode.ClockLeft != 0, in.C&bytecode.ClockRight != 0
	if !grows && !shrinks && !m.times.holds(&m.times.shrinks) && (left || right) {
		grows, shrinks = left, !left
	}
	if diff > 0 && grows || diff < 0 && shrinks {
		return Next // more time does not change the outcome
	}
	d, rounded := math.Abs(diff), int64(0)
	if unit > 1 && in.C&bytecode.ClockFloat == 0 {
		// A number that is equal now is so for less than a unit.
		//mutant: equal rounded numbers stay equal [test ./cmd/hbcheck TestScripts/readings]: "rounded = unit" -> "rounded = int64(min(d, 1)) * unit"
		rounded = unit
		d = max(d-1, 0)
	}
	if d *= float64(unit); !(d < math.MaxInt64/4) {
		d = math.MaxInt64 / 4
	}
	//mutant: looks differ by more than a nanosecond [test ./cmd/hbcheck TestScripts/readings]: "m.cfg.VisibleLooks" -> "false"
	if m.cfg.VisibleLooks && m.moves(g) && in.C&bytecode.ClockPerhaps == 0 && d+float64(rounded) < sameLook {
		m.assume(g, ClockSome)
	}
	passed := max(math.Abs(x), math.Abs(y))
	switch {
	case left:
		passed = math.Abs(x)
	case right:
		passed = math.Abs(y)
	}
	m.compared(g, int64(d), rounded, int64(min((passed+1)*float64(unit), math.MaxInt64/4)))
	return Next
}

// arriveAtLook is called when g reaches a look; it decides whether the look waits.
func (m *Machine) arriveAtLook(g *goroutine) {
	if m.busy == nil {
		m.busy = &awaitElimination{m: m, loops: m.loopTable(true)}
		for _, q := range m.gs {
			m.noteLooker(q)
		}
	}
	g.looked.waits, g.looked.woken = false, false
	if m.roundOf(g) {
		m.waitAtLook(g)
		return
	}
	if !m.busy.inLoop(g) {
		g.looked = lookBack{}
		return
	}
	state, _ := m.busy.ownState(g, math.MaxInt)
	if l := &g.looked; l.state != state || l.out != len(m.out) || l.until == 0 || l.stale {
		*l = lookBack{state: state, out: len(m.out)}
		m.noteLooker(g)
		return
	}
	m.waitAtLook(g)
}
