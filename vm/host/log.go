// Package host is the program's view of the computer that hbcheck runs on: files as they were at
// their first read (view.go), with paths (path.go) and attributes (stat.go) as on Linux. A log
// records the program's questions and their answers, on which cached verdicts depend (log.go).
package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
)

// A Log collects the facts that executions of a program have read from the host of hbcheck:
// files, directories and environment variables. Findings about the program stay true as long as all
// of these facts hold. Several machines may share one; the zero value is empty.
type Log struct {
	mu    sync.Mutex
	facts map[question]string // by question: the answer
}

// A question is a question of the program to the host.
type question struct {
	ask  Ask
	name string // a path, or the name of a variable
}

// An Ask is the kind of a question about a name.
type Ask string

const (
	AskVariable    Ask = "env"      // the value of a variable
	AskEnvironment Ask = "environ"  // all variables; the name is empty
	AskKind        Ask = "kind"     // the kind of file at a path, without following symbolic links
	AskStat        Ask = "stat"     // the same with size and times
	AskTarget      Ask = "target"   // the same for the target of a symbolic link
	AskContent     Ask = "content"  // of a file
	AskNames       Ask = "names"    // of a directory
	AskLink        Ask = "readlink" // the target of a symbolic link
)

// A Fact is an answer of the host.
type Fact struct{ Ask, Name, Answer string }

// maxHostFile is the largest size of a file whose content is compared. unknown is the answer to
// questions about larger files and about devices. A fact with this answer never holds again.
const (
	maxHostFile = 64 << 20
	unknown     = "unknown"
)

// pwd is the variable with the name of the working directory.
const pwd = "PWD"

// Note adds a question to l, and v's answer if the question is new.
func (l *Log) Note(v *View, env []string, ask Ask, name string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	q := question{ask, name}
	if _, known := l.facts[q]; known {
		return
	}
	if l.facts == nil {
		l.facts = make(map[question]string)
	}
	//mutant: host facts have the memory of the program as their names [test ./vm/host TestHostName]: remove 1
	q.name = strings.Clone(name) // name may be in the machine's memory, which changes
	l.facts[q] = v.answer(env, ask, q.name)
}

// Add adds facts of earlier executions.
func (l *Log) Add(facts []Fact) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.facts == nil {
		l.facts = make(map[question]string)
	}
	for _, f := range facts {
		l.facts[question{Ask(f.Ask), f.Name}] = f.Answer
	}
}

// Learn adds the facts of o that l lacks.
func (l *Log) Learn(o *Log) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.facts == nil {
		l.facts = make(map[question]string)
	}
	for q, a := range o.facts {
		if _, known := l.facts[q]; !known {
			l.facts[q] = a
		}
	}
}

// Facts returns the facts, in order.
func (l *Log) Facts() []Fact {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]Fact, 0, len(l.facts))
	for q, a := range l.facts {
		list = append(list, Fact{string(q.ask), q.name, a})
	}
	slices.SortFunc(list, func(a, b Fact) int {
		if c := strings.Compare(a.Ask, b.Ask); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list
}

// Holds reports whether the host still gives the same answer. env has the variables of the program.
func (f Fact) Holds(env []string) bool {
	return f.Answer != unknown && new(View).answer(env, Ask(f.Ask), f.Name) == f.Answer
}

// answer asks the host. PWD is no fact of the host, because it names the directory of the package.
func (v *View) answer(env []string, ask Ask, name string) string {
	switch ask {
	case AskVariable:
		if name == pwd {
			return "the package's"
		}
		for _, s := range env {
			if key, value, ok := strings.Cut(s, "="); ok && key == name {
				return digest([]byte(value))
			}
		}
		return "unset"
	case AskEnvironment:
		env = slices.DeleteFunc(slices.Clone(env), func(s string) bool { return strings.HasPrefix(s, pwd+"=") })
		return digest([]byte(strings.Join(env, "\x00")))
	case AskKind, AskStat:
		info, err := v.Stat(name, false)
		return described(info, err, ask == AskStat)
	case AskTarget:
		info, err := v.Stat(name, true)
		return described(info, err, true)
	case AskContent:
		if c := v.Content(name); c.Data != nil {
			return digest(c.Data)
		}
		d, err := kept(v, &v.digests, name, onHost(v, digestOf))
		if err != nil {
			return described(nil, err, false)
		}
		return d
	case AskNames:
		list, err := v.Names(name)
		if err != nil {
			return described(nil, err, false)
		}
		return digest([]byte(list))
	case AskLink:
		target, err := v.Target(name)
		if err != nil {
			return described(nil, err, false)
		}
		return digest([]byte(target))
	}
	return unknown
}

// described describes a file, including size and time if whole is set.
func described(info fs.FileInfo, err error, whole bool) string {
	switch {
	case err != nil:
		return fmt.Sprintf("errno %d", Errno(err))
	case whole:
		return fmt.Sprintf("%v %d %d", info.Mode(), info.Size(), info.ModTime().UnixNano())
	}
	return info.Mode().String()
}

// digestOf returns the digest of a file, or unknown if that takes too long.
func digestOf(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxHostFile {
		return unknown, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
