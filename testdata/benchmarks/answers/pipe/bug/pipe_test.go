package pipe

import (
	"context"
	"testing"
)

func TestFirst(t *testing.T) {
	for _, tt := range []struct {
		name         string
		n, min, want int
	}{{"first", 3, 1, 1}, {"second", 3, 3, 4}, {"none", 2, 5, 0}} {
		t.Run(tt.name, func(t *testing.T) {
			if x := First(context.Background(), tt.n, tt.min); x != tt.want {
				t.Errorf("First = %d, want %d", x, tt.want)
			}
		})
	}
}
