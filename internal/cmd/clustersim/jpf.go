package main

// A search that stores states, in the rounds of por/stateful/rounds.go with workers on several machines, each
// of which has the whole table: after a round all get the new states of the others.

// inRounds has measured values. They come from 142 rounds of four walkers in a search of 219,305
// states; back and shown come from 203 parcels of a search of 304,658 states.
var inRounds = struct {
	step, merge float64 // seconds for a step, and for storing a state
	steps       float64 // the most steps of a walker in a round
	used        float64 // the part of steps that a walker makes on average
	states      float64 // new states of a walker in a round
	twice       float64 // factor of steps, because walkers meet the same states (docs/research/parallel.md)
	back, shown float64 // bytes for a state: returned to the owner, and sent by the owner to all others
}{step: 1e-6, merge: 0.8e-6, steps: 7560, used: 0.90, states: 362, twice: 1.085, back: 39, shown: 25}

// Walkers double from these numbers of steps on (stateful.Rounds).
const (
	firstWalkers, mostWalkers = 4, 64
	moreWalkers, eachWalkers  = 1 << 24, 1 << 3
)

// A roundsOutcome is the result of a simulated search in rounds.
type roundsOutcome struct {
	times  float64 // speed divided by that of one worker
	rounds float64
	bytes  float64 // bytes that a worker gets
	waits  float64 // share of the time that is not spent on exploring
}

// searchInRounds simulates a search of that number of states with workers of one processor each.
func searchInRounds(states float64, workers int) (o roundsOutcome) {
	m := &inRounds
	one := states * m.steps * m.used / m.states * m.step
	seconds, explored := 0.0, 0.0
	walkers, more := float64(firstWalkers), float64(moreWalkers)
	for done, steps := 0.0, 0.0; done < states*m.twice; {
		if steps >= more && walkers < mostWalkers {
			walkers, more = 2*walkers, more*eachWalkers
		}
		n := float64(workers)
		turns := float64((int(walkers) + workers - 1) / workers)
		explore := turns * m.steps * m.step
		found := walkers * m.states
		sent := found * m.shown
		seconds += explore + found*m.merge
		explored += walkers * m.steps * m.used * m.step / n
		if workers > 1 {
			// All of these bytes leave the server.
			seconds += (found*m.back*(n-1)/n+(n-1)*sent)/bandwidth + 4*latency + n*measured.server
		}
		o.bytes += sent
		o.rounds++
		done, steps = done+found, steps+walkers*m.steps*m.used
	}
	o.times, o.waits = one/seconds, 1-explored/seconds
	return o
}
