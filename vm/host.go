package vm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
)

// A HostLog collects the facts that executions of a program have read from the host of hbcheck:
// files, directories and environment variables. Findings about the program stay true as long as all
// of these facts hold. Several machines may share one; the zero value is empty.
type HostLog struct {
	mu    sync.Mutex
	facts map[hostQuestion]string // to the answer
}

// hostQuestion is a question of a program to the host.
type hostQuestion struct {
	ask  hostAsk
	name string // a path, or that of a variable
}

// A hostAsk is the kind of a question about a name.
type hostAsk string

const (
	askVariable    hostAsk = "env"      // the value of a variable
	askEnvironment hostAsk = "environ"  // all variables; there is no name
	askKind        hostAsk = "kind"     // the kind of file at a path, without following symbolic links
	askStat        hostAsk = "stat"     // the same with size and times
	askTarget      hostAsk = "target"   // the same for the target of a symbolic link
	askContent     hostAsk = "content"  // of a file
	askNames       hostAsk = "names"    // of a directory
	askLink        hostAsk = "readlink" // the target of a symbolic link
)

// A HostFact is an answer of the host.
type HostFact struct{ Ask, Name, Answer string }

// maxHostFile is the largest size of a file whose content is compared. unknown is the answer to
// questions about larger ones, and about devices: it never holds again.
const (
	maxHostFile = 64 << 20
	unknown     = "unknown"
)

// pwd is the variable with the name of the working directory.
const pwd = "PWD"

// note adds a question to l, and if it is new the answer of v.
func (l *HostLog) note(v *hostView, env []string, ask hostAsk, name string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	q := hostQuestion{ask, name}
	if _, known := l.facts[q]; known {
		return
	}
	if l.facts == nil {
		l.facts = make(map[hostQuestion]string)
	}
	//mutant: host facts have the memory of the program as their names [test ./vm TestHostName]: remove 1
	q.name = strings.Clone(name) // the memory of the machine has it, and that changes
	l.facts[q] = v.answer(env, ask, q.name)
}

// Add adds facts of earlier executions.
func (l *HostLog) Add(facts []HostFact) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.facts == nil {
		l.facts = make(map[hostQuestion]string)
	}
	for _, f := range facts {
		l.facts[hostQuestion{hostAsk(f.Ask), f.Name}] = f.Answer
	}
}

// learn adds the facts of o that l lacks.
func (l *HostLog) learn(o *HostLog) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.facts == nil {
		l.facts = make(map[hostQuestion]string)
	}
	for q, a := range o.facts {
		if _, known := l.facts[q]; !known {
			l.facts[q] = a
		}
	}
}

// Facts returns the facts, in order.
func (l *HostLog) Facts() []HostFact {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]HostFact, 0, len(l.facts))
	for q, a := range l.facts {
		list = append(list, HostFact{string(q.ask), q.name, a})
	}
	slices.SortFunc(list, func(a, b HostFact) int {
		if c := strings.Compare(a.Ask, b.Ask); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list
}

// Holds reports whether the host still gives the same answer. env has the variables of the program.
func (f HostFact) Holds(env []string) bool {
	return f.Answer != unknown && new(hostView).answer(env, hostAsk(f.Ask), f.Name) == f.Answer
}

// answer asks the host. PWD does not come from the host: it names the directory of the package.
func (v *hostView) answer(env []string, ask hostAsk, name string) string {
	switch ask {
	case askVariable:
		if name == pwd {
			return "the package's"
		}
		for _, s := range env {
			if key, value, ok := strings.Cut(s, "="); ok && key == name {
				return digest([]byte(value))
			}
		}
		return "unset"
	case askEnvironment:
		env = slices.DeleteFunc(slices.Clone(env), func(s string) bool { return strings.HasPrefix(s, pwd+"=") })
		return digest([]byte(strings.Join(env, "\x00")))
	case askKind, askStat:
		info, err := v.stat(name, false)
		return described(info, err, ask == askStat)
	case askTarget:
		info, err := v.stat(name, true)
		return described(info, err, true)
	case askContent:
		if c := v.content(name); c.data != nil {
			return digest(c.data)
		}
		info, err := os.Stat(v.path(name))
		if err != nil {
			return described(nil, err, false)
		}
		if !info.Mode().IsRegular() || info.Size() > maxHostFile {
			return unknown
		}
		data, err := os.ReadFile(v.path(name))
		if err != nil {
			return described(nil, err, false)
		}
		return digest(data)
	case askNames:
		list, err := v.names(name)
		if err != nil {
			return described(nil, err, false)
		}
		return digest([]byte(list))
	case askLink:
		target, err := v.target(name)
		if err != nil {
			return described(nil, err, false)
		}
		return digest([]byte(target))
	}
	return unknown
}

// described describes a file; with whole, by size and time, too.
func described(info fs.FileInfo, err error, whole bool) string {
	switch {
	case err != nil:
		return fmt.Sprintf("errno %d", errno(err))
	case whole:
		return fmt.Sprintf("%v %d %d", info.Mode(), info.Size(), info.ModTime().UnixNano())
	}
	return info.Mode().String()
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
