package main

import (
	"bytes"
	"flag"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table and the picture")

// TestDocument: the tables of the documents, the picture and the simulation are the same. -update rewrites
// them.
func TestDocument(t *testing.T) {
	const document, picture = "../../../docs/cluster.md", "../../../docs/cluster.svg"
	var table, svg bytes.Buffer
	if err := writeTables(&table); err != nil {
		t.Fatal(err)
	}
	if err := writePlot(&svg); err != nil {
		t.Fatal(err)
	}
	same(t, document, `(?m)^\| \| workers \|.*\n(?:\|.*\n)+`, table.Bytes())
	table.Reset()
	if err := writeRounds(&table); err != nil {
		t.Fatal(err)
	}
	same(t, "../../../docs/dev/cluster.md", `(?m)^\| machines \|.*\n(?:\|.*\n)+`, table.Bytes())
	if *update {
		if err := os.WriteFile(picture, svg.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if drawn, err := os.ReadFile(picture); err != nil || !bytes.Equal(drawn, svg.Bytes()) {
		t.Errorf("%s is another picture (-update draws it again): %v", picture, err)
	}
}

// same compares a table of a document.
func same(t *testing.T, document, rows string, want []byte) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	table := regexp.MustCompile(rows)
	if *update {
		text = table.ReplaceAllLiteral(text, want)
		if err := os.WriteFile(document, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got := table.Find(text); !bytes.Equal(got, want) {
		t.Errorf("%s has the table\n%swant\n%s(-update rewrites it)", document, got, want)
	}
}

// TestMedians: the times of entries are those that were measured.
func TestMedians(t *testing.T) {
	text, err := os.ReadFile("../../../docs/research/real.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 12 || !strings.Contains(cells[1], " v") {
			continue
		}
		d, err := strconv.ParseFloat(strings.TrimSpace(cells[10]), 64)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, d)
	}
	if !slices.Equal(medians, want) {
		t.Errorf("%v, want %v", medians, want)
	}
}

// TestModel checks the results that can also be computed without the simulation.
func TestModel(t *testing.T) {
	m := asItIs
	m.work = 100
	for _, n := range []int{1, 2, 16, 400} {
		m.workers = n
		o := m.run(7)
		explored := o.seconds * float64(n) * (1 - o.idle)
		if math.Abs(explored-m.work) > 1e-6 {
			t.Errorf("%d workers have explored %v, want %v", n, explored, m.work)
		}
		if least := m.work / float64(min(n, m.most+1)); o.seconds < least {
			t.Errorf("%d workers take %v s, which is less than %v", n, o.seconds, least)
		}
		if n == 1 && (o.pieces != 0 || math.Abs(o.seconds-m.work) > 1e-6) {
			t.Errorf("one worker: %+v", o)
		}
	}
	m.workers, m.most = 16, 0
	if o := m.run(7); math.Abs(o.seconds-m.work) > 1e-6 {
		t.Errorf("no pieces: %v s", o.seconds)
	}
	one, many := runEntries(1, 1), runEntries(1, 1000)
	if one.tasks != many.tasks || one.work != many.work || many.seconds < 60+firstPass {
		t.Errorf("%+v, %+v", one, many)
	}
}
