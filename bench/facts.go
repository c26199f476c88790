package bench

import (
	"path"
	"strings"
)

// Facts returns the programs of the suite facts whose names are wanted. The suite consists of the main
// functions of the other suites, in the smaller sizes of their tables, and of the tests of answers.
func (w *Workspace) Facts(wanted func(name string) bool) ([]AnswerProgram, error) {
	list, err := w.Answers(func(name string) bool {
		return !strings.HasPrefix(name, "cdpor/") && !strings.HasPrefix(name, "jpf/") && wanted(name)
	})
	if err != nil {
		return nil, err
	}
	sizes, err := factsSizes()
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for _, s := range sizes {
		t := AnswerProgram{Program: s.suite + "/" + s.program, Args: s.args}
		if seen[t.Name()] || !wanted(t.Name()) {
			continue
		}
		seen[t.Name()] = true
		if t.Prog, err = w.loadAll(s.suite); err != nil {
			return nil, err
		}
		for _, e := range t.Prog.Entries {
			if path.Base(e.Path) == s.program {
				t.Entry = e
				list = append(list, t)
			}
		}
	}
	return list, nil
}

type factsSize struct{ suite, program, args string }

func factsSizes() (sizes []factsSize, err error) {
	for _, p := range JPFPrograms() {
		sizes = append(sizes, factsSize{"jpf", p.Program, p.Args})
	}
	for _, p := range RealisticPrograms() {
		if !p.Large {
			sizes = append(sizes, factsSize{"realistic", p.Program, p.Args})
		}
	}
	for _, p := range Spin14Programs() {
		sizes = append(sizes, factsSize{"spin14", p.Program, p.Small})
	}
	for _, suite := range []string{"smc", "cdpor", "clockvector", "dporengine", "await"} {
		programs, err := CountedPrograms(suite)
		if err != nil {
			return nil, err
		}
		for _, p := range programs {
			if !p.Large {
				sizes = append(sizes, factsSize{suite, p.Program, p.Args})
			}
		}
	}
	return sizes, nil
}
