// Planets: floating-point numbers in structs.
package main

import "math"

type body struct{ x, y, z, vx, vy, vz, mass float64 }

func main() {
	b := []body{
		{0, 0, 0, 0, 0, 0, 39.4}, {4.8, -1.2, -0.1, 0.6, 2.8, -0.02, 0.037}, {8.3, 4.1, -0.4, -1, 1.8, 0.008, 0.011},
		{12.8, -15.1, -0.2, 1.08, 0.86, -0.01, 0.0017}, {15.3, -25.9, 0.17, 0.97, 0.59, -0.03, 0.002},
	}
	for range 100_000 {
		for i := range b {
			p := &b[i]
			for j := i + 1; j < len(b); j++ {
				q := &b[j]
				dx, dy, dz := p.x-q.x, p.y-q.y, p.z-q.z
				d := dx*dx + dy*dy + dz*dz
				mag := 0.001 / (d * math.Sqrt(d))
				p.vx, p.vy, p.vz = p.vx-dx*q.mass*mag, p.vy-dy*q.mass*mag, p.vz-dz*q.mass*mag
				q.vx, q.vy, q.vz = q.vx+dx*p.mass*mag, q.vy+dy*p.mass*mag, q.vz+dz*p.mass*mag
			}
		}
		for i := range b {
			p := &b[i]
			p.x, p.y, p.z = p.x+0.001*p.vx, p.y+0.001*p.vy, p.z+0.001*p.vz
		}
	}
	println(int(b[0].x*1e6), int(b[1].y*1e6))
}
