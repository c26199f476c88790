// Floating point: five bodies under gravity, 500,000 steps.
package main

import "math"

type body struct{ x, y, z, vx, vy, vz, mass float64 }

func energy(bodies []body) float64 {
	e := 0.0
	for i := range bodies {
		b := &bodies[i]
		e += b.mass * (b.vx*b.vx + b.vy*b.vy + b.vz*b.vz) / 2
		for j := i + 1; j < len(bodies); j++ {
			c := &bodies[j]
			dx, dy, dz := b.x-c.x, b.y-c.y, b.z-c.z
			e -= b.mass * c.mass / math.Sqrt(dx*dx+dy*dy+dz*dz)
		}
	}
	return e
}

func advance(bodies []body, dt float64) {
	for i := range bodies {
		b := &bodies[i]
		for j := i + 1; j < len(bodies); j++ {
			c := &bodies[j]
			dx, dy, dz := b.x-c.x, b.y-c.y, b.z-c.z
			d2 := dx*dx + dy*dy + dz*dz
			m := dt / (d2 * math.Sqrt(d2))
			b.vx -= dx * c.mass * m
			b.vy -= dy * c.mass * m
			b.vz -= dz * c.mass * m
			c.vx += dx * b.mass * m
			c.vy += dy * b.mass * m
			c.vz += dz * b.mass * m
		}
	}
	for i := range bodies {
		b := &bodies[i]
		b.x += dt * b.vx
		b.y += dt * b.vy
		b.z += dt * b.vz
	}
}

func main() {
	bodies := make([]body, 5)
	for i := range bodies {
		f := float64(i)
		bodies[i] = body{f * 5, f * f, -f, 0.1 * f, 0.3 - 0.1*f, 0.01 * f, 40 / (1 + f*f*10)}
	}
	before := energy(bodies)
	for range 500_000 {
		advance(bodies, 0.001)
	}
	println(int64(before*1e9), int64(energy(bodies)*1e6))
}
