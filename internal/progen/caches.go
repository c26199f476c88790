package progen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// cacheFamilies call functions of the library that keep tables or caches, which no program can see.
// They also call functions on files: a program can see the contents and names of files, but not the
// numbers of descriptors.
var cacheFamilies = []family{
	{name: "json", vars: []string{"value{}"},
		make: []string{"type value struct {\nA int `xml:\"a,attr\"`\nB []string\nNext *value\n}"},
		do: []string{"{\ntext, err := json.Marshal(value{A: K, B: []string{\"x\"}})\nOUT(string(text))\nOUT(err)\n}",
			"{\nvar v value\nOUT(json.Unmarshal([]byte(`{\"A\":K,\"Next\":{\"A\":1}}`), &v))\nOUT(v.A)\n}",
			"{\ntext, _ := json.Marshal(map[string]value{\"k\": {}})\nOUT(string(text))\n}",
			"{\nvar v value\nOUT(json.Unmarshal([]byte(`{\"A\":\"K\"}`), &v))\n}",
			"{\ntext, _ := json.Marshal(struct{ C *watched }{&watched{x: &x}})\nOUT(string(text))\n}",
			"{\nv := []watched{{x: &x}}\nOUT(json.Unmarshal([]byte(`[K,K]`), &v))\n}",
			"go func() {\ntext, _ := json.Marshal(value{A: K})\nx.Add(int32(len(text)))\n}()"}},
	{name: "xml", vars: []string{"value{}"},
		make: []string{"type value struct {\nA int `xml:\"a,attr\"`\nB string\n}"},
		do: []string{"{\ntext, err := xml.Marshal(value{K, \"b\"})\nOUT(string(text))\nOUT(err)\n}",
			"{\nvar v value\nOUT(xml.Unmarshal([]byte(`<value a=\"K\"/>`), &v))\nOUT(v.A)\n}",
			"OUT(binary.Size([]struct{ A, B uint16 }{{}, {}}))", "OUT(binary.Size(struct{ A uint32 }{}))"}},
	{name: "tables", vars: []string{"re", "when"},
		make: []string{"re := strings.NewReplacer(\"a\", \"b\")\nvar when time.Time", "re := strings.NewReplacer(\"ab\", \"b\", \"c\", \"dd\")\nvar when time.Time"},
		do: []string{"OUT(re.Replace(\"abcK\"))", "OUT(strings.NewReplacer(\"K\", \"x\").Replace(\"012\"))",
			"OUT(html.UnescapeString(\"&nbsp;&ltK;\"))", "OUT(textproto.CanonicalMIMEHeaderKey(\"content-type\"))",
			"OUT(int(crc32.ChecksumIEEE([]byte(\"K\"))))", "OUT(int(crc32.Checksum([]byte(\"K\"), crc32.MakeTable(crc32.Castagnoli))))",
			"{\nd, err := mail.ParseDate(\"Mon, 02 Jan 2006 15:04:05 -0K00\")\nOUT(int(d.Unix()))\nOUT(err)\n}",
			"OUT(new(big.Int).Lsh(big.NewInt(3), 700).String())", "OUT(new(big.Float).Sqrt(big.NewFloat(2)).Text('g', 5))",
			"{\nvar text strings.Builder\nOUT(template.Must(template.New(\"t\").Parse(\"{{len .}}\")).Execute(&text, \"K\"))\nOUT(text.String())\n}",
			"{\nvar text bytes.Buffer\nw := gzip.NewWriter(&text)\nw.Write([]byte(\"K\"))\nw.Close()\nr, _ := gzip.NewReader(&text)\nall, err := io.ReadAll(r)\nOUT(string(all))\nOUT(err)\n}"}},
	{name: "files", vars: []string{"dir"},
		make: []string{"dir := fmt.Sprint(os.TempDir(), \"/hb\", os.Getpid(), \"NAME\")\nos.RemoveAll(dir)\nos.Mkdir(dir, 0o700)",
			"dir := fmt.Sprint(os.TempDir(), \"/hb\", os.Getpid(), \"NAME\")\nos.RemoveAll(dir)\nos.Mkdir(dir, 0o700)\nos.WriteFile(dir+\"/0\", []byte(\"old\"), 0o600)"},
		do: []string{"OUT(os.WriteFile(dir+\"/K\", []byte(\"K\"), 0o600) == nil)", "{\ntext, err := os.ReadFile(dir + \"/K\")\nOUT(string(text))\nOUT(err == nil)\n}",
			"OUT(os.Remove(dir+\"/K\") == nil)", "{\n_, err := os.Stat(dir + \"/K\")\nOUT(err == nil)\n}",
			"{\nlist, _ := os.ReadDir(dir)\nfor _, e := range list {\nOUT(e.Name())\n}\n}", "OUT(os.Rename(dir+\"/K\", dir+\"/K\") == nil)",
			"{\nf, err := os.OpenFile(dir+\"/K\", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)\nOUT(err == nil)\nx.Add(1)\nif err == nil {\nf.Write([]byte(\"new\"))\nf.Close()\n}\n}",
			"{\nf, err := os.Open(dir + \"/K\")\nif err == nil {\ntext := make([]byte, 2)\nn, _ := f.Read(text)\nOUT(string(text[:n]))\nn, _ = f.Read(text)\nOUT(string(text[:n]))\nf.Close()\n}\n}",
			"OUT(os.Mkdir(dir+\"/K\", 0o700) == nil)"},
		last: []string{"os.RemoveAll(dir)"}},
}

// Cached returns the program of a seed that calls functions with caches.
func Cached(name string, seed uint64) LibraryProgram {
	l := &library{rng: rand.New(rand.NewPCG(seed, 0xcac4e))}
	p := LibraryProgram{Name: name}
	visible := family{name: "visible", make: []string{""}, do: []string{"OUT(x.Add(1))", "OUT(x.Load())", "x.Store(K)", "mu.Lock()\nx.Add(1)\nmu.Unlock()"}}
	chosen := []family{cacheFamilies[l.rng.IntN(len(cacheFamilies))], visible}
	for _, f := range chosen {
		p.Families = append(p.Families, f.name)
	}
	chosen[0].make, chosen[0].do = slices.Clone(chosen[0].make), slices.Clone(chosen[0].do)
	for _, list := range [][]string{chosen[0].make, chosen[0].do} {
		for i, s := range list {
			list[i] = strings.NewReplacer("NAME", name, "watched", "watched"+name).Replace(s)
		}
	}
	p.Source = l.program(p, chosen)
	if strings.Contains(p.Source, "watched") {
		p.Source = strings.Replace(p.Source, "package main\n", "package main\n\nimport \"os\"\n", 1) + fmt.Sprintf(watched, name)
	}
	return p
}

// watched has methods that encoding/json calls, and that other goroutines notice.
const watched = `
type watched%[1]s struct{ x *atomic.Int32 }

func (w *watched%[1]s) MarshalJSON() ([]byte, error) {
	return []byte(number(uint64(w.x.Add(1)))), nil
}

func (w *watched%[1]s) UnmarshalJSON(b []byte) error {
	if w.x != nil && w.x.Add(1) > 1 {
		return os.ErrExist
	}
	return nil
}
`
