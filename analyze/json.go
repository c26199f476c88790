package analyze

import (
	"bufio"
	"encoding/json"
	"go/types"
	"io"
)

// JSON writes one object per line, as the package comment describes.
type JSON struct {
	out *bufio.Writer
	enc *json.Encoder
	at  Positions
}

// NewJSON returns a writer that has written the first line.
func NewJSON(w io.Writer, at Positions, p *Program, sel Selection) (*JSON, error) {
	b := bufio.NewWriter(w)
	j := &JSON{b, json.NewEncoder(b), at}
	j.enc.SetEscapeHTML(false)
	head := struct {
		Action   string   `json:"action"`
		Schema   string   `json:"schema"`
		Packages []string `json:"packages"`
		Entries  []string `json:"entries"`
		Analyses []string `json:"analyses"`
		GaveUp   []string `json:"gave_up,omitempty"`
	}{"analyze", "hbcheck.analyze/1", p.paths(), []string{}, []string{}, p.GaveUp}
	for _, e := range p.Entries {
		head.Entries = append(head.Entries, e.String())
	}
	chosen, err := choose(Analyses(p), sel.Analyses)
	if err != nil {
		return nil, err
	}
	for _, a := range chosen {
		head.Analyses = append(head.Analyses, a.Name())
	}
	return j, j.enc.Encode(head)
}

type jsonFact struct {
	Action   string     `json:"action"`
	Pos      string     `json:"pos"`
	Func     string     `json:"func"`
	Analysis string     `json:"analysis"`
	Scope    string     `json:"scope"`
	Message  string     `json:"message"`
	Items    []string   `json:"items,omitempty"`
	Notes    []jsonNote `json:"notes,omitempty"`
}

type jsonNote struct {
	Pos     string `json:"pos"`
	Message string `json:"message"`
}

// Facts writes facts.
func (j *JSON) Facts(facts []Fact) error {
	for i := range facts {
		f := &facts[i]
		x := jsonFact{Action: "fact", Pos: j.at.Pos(f.Pos), Analysis: f.Analysis, Scope: "point", Message: f.Message(itemsInText)}
		if len(f.Items) > itemsInText {
			x.Items = f.Items
		}
		if f.Func != nil {
			x.Func = f.Func.String()
		}
		if f.Whole {
			x.Scope = "function"
		}
		for _, n := range f.Notes {
			x.Notes = append(x.Notes, jsonNote{j.at.Pos(n.Pos), n.Text})
		}
		if err := j.enc.Encode(x); err != nil {
			return err
		}
	}
	return nil
}

// Stats writes s.
func (j *JSON) Stats(s Stats) error {
	return j.enc.Encode(struct {
		Action string `json:"action"`
		Stats
	}{"stats", s})
}

// Close writes what is left.
func (j *JSON) Close() error { return j.out.Flush() }

// WritePointsToJSON writes answers, see the package comment.
func WritePointsToJSON(w io.Writer, at Positions, p *Program, answers []PointsTo) error {
	type label struct {
		Pos     string `json:"pos"`
		Kind    string `json:"kind"`
		Object  string `json:"object"`
		Path    string `json:"path"`
		Type    string `json:"type"`
		Context string `json:"context,omitempty"`
	}
	type answer struct {
		Action  string  `json:"action"`
		Schema  string  `json:"schema"`
		Pos     string  `json:"pos"`
		Func    string  `json:"func"`
		Expr    string  `json:"expr"`
		Type    string  `json:"type"`
		Context string  `json:"context,omitempty"`
		Unknown bool    `json:"unknown"`
		Labels  []label `json:"labels"`
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, a := range answers {
		x := answer{Action: "points-to", Schema: "hbcheck.analyze/1", Pos: at.Pos(a.Pos), Expr: a.Expr, Type: types.TypeString(a.Type, nil),
			Context: a.Context, Unknown: a.Unknown, Labels: []label{}}
		if a.Func != nil {
			x.Func = a.Func.String()
		}
		for _, l := range a.Labels {
			x.Labels = append(x.Labels, label{at.Pos(l.Pos), l.Kind, l.Object, l.Path, l.Type, l.Context})
		}
		if err := enc.Encode(x); err != nil {
			return err
		}
	}
	return nil
}
