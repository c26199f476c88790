package load

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A bundle is everything that Load has read for a program: the answers of the go command, and files. Another
// machine that unpacks it loads the same program, without a Go installation and without the sources.
//
//	go.answers       gob of bundleInfo
//	root/...         files, below their absolute names
//
// The overlay of the standard library is part of hbcheck itself, and so both sides must be the same build. A
// program also reads files while it executes; the bundle has those in the folders of its packages, testdata
// included. A machine records each answer of the host (vm.HostLog), and the maker of the bundle compares
// these answers with those of its own host.

// GoAnswers are answers of the go command by its arguments.
type GoAnswers struct {
	mu      sync.Mutex
	replays bool // the go command is not asked
	reuses  bool // the go command is asked new questions only
	answers map[string]goAnswer
	tags    struct{ Releases, Tools []string } // tags of the process that asked, if replays is set
}

// goAnswer is an answer of the go command.
type goAnswer struct {
	Stdout []byte
	Stderr string
	Failed bool   // the command failed with Stderr as its error
	Other  string // another error of the command
}

// NewGoAnswers returns answers to which a Load adds those that it gets.
func NewGoAnswers() *GoAnswers { return &GoAnswers{answers: make(map[string]goAnswer)} }

// Reuse returns the same answers for another Load, which asks the go command only new questions. The caller
// promises that the go command would answer the old questions as before.
func (a *GoAnswers) Reuse() *GoAnswers {
	a.mu.Lock()
	defer a.mu.Unlock()
	return &GoAnswers{reuses: true, answers: maps.Clone(a.answers)}
}

// get returns the answer to args: the stored answer, or that of ask.
func (a *GoAnswers) get(args []string, ask func() goAnswer) (goAnswer, error) {
	key := strings.Join(args, "\x00")
	if a == nil {
		return ask(), nil
	}
	a.mu.Lock()
	known, ok := a.answers[key]
	a.mu.Unlock()
	switch {
	case ok && (a.replays || a.reuses):
		return known, nil
	case a.replays:
		return goAnswer{}, fmt.Errorf("the bundle has no answer to: go %s", strings.Join(args, " "))
	}
	fresh := ask()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers[key] = fresh
	return fresh, nil
}

// bundleInfo is the first file of a bundle.
type bundleInfo struct {
	Dir             string
	Patterns        []string
	Answers         map[string]goAnswer
	Releases, Tools []string // build tags
	Extra           []byte   // of the caller
}

// The names in a bundle.
const (
	bundleAnswers = "go.answers"
	bundleRoot    = "root"
)

// maxBundled is the largest size of files that only the program reads, and Load does not. Larger files are
// not bundled.
const maxBundled = 16 << 20

// Bundle writes the bundle of prog, with the caller's data. Config.Again and Config.GoAnswers must have
// been set.
func (prog *Program) Bundle(w io.Writer, extra []byte) error {
	l := prog.again.l
	a := l.cfg.GoAnswers
	info := bundleInfo{Dir: l.dir, Patterns: l.patterns, Answers: a.answers, Extra: extra,
		Releases: build.Default.ReleaseTags, Tools: build.Default.ToolTags}
	var head bytes.Buffer
	if err := gob.NewEncoder(&head).Encode(&info); err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	b := &bundler{tar: tar.NewWriter(z), seen: make(map[string]bool)}
	b.err = b.tar.WriteHeader(&tar.Header{Name: bundleAnswers, Mode: 0o644, Size: int64(head.Len())})
	b.write(head.Bytes())
	for _, lp := range l.listed {
		if lp.Standard && lp.DepOnly {
			continue
		}
		for _, f := range slices.Concat(lp.GoFiles, lp.IgnoredGoFiles, lp.SFiles, lp.EmbedFiles) {
			b.needed(l.choices.source(absolute(lp.Dir, f)))
		}
		if !lp.DepOnly {
			b.tree(lp.Dir, false)
			b.tree(filepath.Join(lp.Dir, "testdata"), true)
		}
	}
	for _, name := range l.read {
		b.needed(name)
	}
	for _, p := range prog.All {
		dir := filepath.Join(l.goEnv.GOROOT, "src", filepath.FromSlash(p.Path))
		if p.Std && (!p.Overlaid || p.Dir == dir) {
			b.sources(dir)
		}
	}
	if err := b.tar.Close(); b.err == nil {
		b.err = err
	}
	if err := z.Close(); b.err == nil {
		b.err = err
	}
	return b.err
}

// absolute returns the name of a file in dir; the go command names some by their whole path.
func absolute(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// A bundler writes files into a bundle, each once, until there is an error.
type bundler struct {
	tar  *tar.Writer
	seen map[string]bool
	err  error
}

func (b *bundler) write(data []byte) {
	if b.err == nil {
		_, b.err = b.tar.Write(data)
	}
}

// inBundle returns the name in a bundle of a file of the host.
func inBundle(name string) string {
	name = filepath.ToSlash(name)
	return bundleRoot + "/" + strings.TrimPrefix(strings.Replace(name, ":", "", 1), "/")
}

// add adds a file, directory or link, unless it cannot be read, or is a file of more than most bytes.
func (b *bundler) add(name string, most int64) {
	if b.err != nil || b.seen[name] {
		return
	}
	b.seen[name] = true
	info, err := os.Lstat(name)
	if err != nil {
		return
	}
	//mutant: a bundle has no directories above its packages [test ./load TestBundle]: "dir != name" -> "dir != name && false"
	if dir := filepath.Dir(name); dir != name {
		b.above(dir)
	}
	target := ""
	var data []byte
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		// A link that leads elsewhere would show a file of another host.
		if target, err = os.Readlink(name); err != nil || !filepath.IsLocal(target) {
			return
		}
	case mode.IsRegular():
		if info.Size() > most {
			return
		}
		if data, err = os.ReadFile(name); err != nil {
			return
		}
	case !mode.IsDir():
		return
	}
	h, err := tar.FileInfoHeader(info, filepath.ToSlash(target))
	if err != nil {
		b.err = err
		return
	}
	h.Name, h.Format, h.Size = inBundle(name), tar.FormatPAX, int64(len(data))
	h.Uid, h.Gid, h.Uname, h.Gname = 0, 0, "", ""
	b.err = b.tar.WriteHeader(h)
	b.write(data)
}

// above adds a directory and its parents without their contents, because opening a file inspects each of
// them.
func (b *bundler) above(dir string) {
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		b.add(dir, 0)
	}
}

// needed adds a file that Load reads.
func (b *bundler) needed(name string) { b.add(name, 1<<62) }

// tree adds the files of a directory and, if deep is set, those of the directories below it.
func (b *bundler) tree(dir string, deep bool) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	b.add(dir, 0)
	for _, e := range list {
		name := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() && deep:
			b.tree(name, true)
		case !e.IsDir():
			b.add(name, maxBundled)
		}
	}
}

// sources adds the Go files of a package of the standard library.
func (b *bundler) sources(dir string) {
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") && !e.IsDir() {
			b.needed(filepath.Join(dir, e.Name()))
		}
	}
}

// Unpack unpacks a bundle into the directory to, and returns the data of Bundle's caller. Afterwards
// Bundled loads the program.
func Unpack(r io.Reader, to string) (extra []byte, err error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	type dir struct {
		name string
		h    *tar.Header
	}
	var dirs []dir
	var info bundleInfo
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if !filepath.IsLocal(filepath.FromSlash(h.Name)) {
			return nil, fmt.Errorf("bundle: bad name %q", h.Name)
		}
		name := filepath.Join(to, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return nil, err
		}
		switch h.Typeflag {
		case tar.TypeDir:
			if err := os.MkdirAll(name, 0o777); err != nil {
				return nil, err
			}
			dirs = append(dirs, dir{name, h})
		case tar.TypeSymlink:
			if !filepath.IsLocal(h.Linkname) {
				return nil, fmt.Errorf("bundle: bad link %q", h.Name)
			}
			if err := os.Symlink(h.Linkname, name); err != nil && !os.IsExist(err) {
				return nil, err
			}
		default:
			data, err := io.ReadAll(t)
			if err != nil {
				return nil, err
			}
			if err := os.WriteFile(name, data, h.FileInfo().Mode().Perm()|0o600); err != nil {
				return nil, err
			}
			os.Chmod(name, h.FileInfo().Mode().Perm()) // a file that the program could not read there is unreadable here
			os.Chtimes(name, h.ModTime, h.ModTime)
			if h.Name == bundleAnswers {
				if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&info); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, d := range slices.Backward(dirs) {
		os.Chmod(d.name, d.h.FileInfo().Mode()&(fs.ModePerm|fs.ModeSticky|fs.ModeSetgid|fs.ModeSetuid)|0o700)
		os.Chtimes(d.name, d.h.ModTime, d.h.ModTime)
	}
	if info.Answers == nil {
		return nil, fmt.Errorf("bundle: no %s", bundleAnswers)
	}
	return info.Extra, nil
}

// Bundled changes cfg so that it loads the program of the bundle that was unpacked into dir.
func (cfg *Config) Bundled(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, bundleAnswers))
	if err != nil {
		return err
	}
	var info bundleInfo
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&info); err != nil {
		return err
	}
	cfg.Dir, cfg.Patterns, cfg.Root = info.Dir, info.Patterns, filepath.Join(dir, bundleRoot)
	cfg.GoAnswers = &GoAnswers{replays: true, answers: info.Answers}
	cfg.GoAnswers.tags.Releases, cfg.GoAnswers.tags.Tools = info.Releases, info.Tools
	return nil
}

// Rooted returns the path of the named file in a bundle that was unpacked into root. If root is empty, it
// returns name, a file of the host.
func Rooted(root, name string) string {
	if root == "" || strings.HasPrefix(name, root+string(filepath.Separator)) {
		return name
	}
	name = filepath.Clean(string(filepath.Separator) + strings.Replace(filepath.ToSlash(name), ":", "", 1))
	return filepath.Join(root, name)
}

// host returns the path at which the named file is read, and records the name for Bundle.
func (l *loader) host(name string) string {
	if l.cfg.Root == "" && l.cfg.GoAnswers != nil {
		l.readMu.Lock()
		l.read = append(l.read, name)
		l.readMu.Unlock()
	}
	return Rooted(l.cfg.Root, name)
}
