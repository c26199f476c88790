package syscall

import (
	"internal/effect"
	"internal/godebug"
	"unsafe"
)

// The environment is one object. The real functions lock an RWMutex, so they order what the
// program does.

// envs holds "key=value" strings; of several with one key the first counts.
var envs []string = runtime_envs()

func runtime_envs() []string

// hbVariable notes that the program asks for the value of key, and hbVariables that it asks for all.
func hbVariable(key string)
func hbVariables()

func envRead() { effect.Ordered(unsafe.Pointer(&envs), false) }

// mutant: Setenv declares nothing [models TestModels/setenv]
// mutant: Setenv reads [models TestModels/setenv]: "envs), true" -> "envs), false"
func envWrite() { effect.Ordered(unsafe.Pointer(&envs), true) }

// envIndex returns where key is set in envs, or -1.
func envIndex(key string) int { return hbVariableIndex(envs, key) }

// hbVariableIndex returns the index of the first "key=value" string with that key, or -1. It is native, so
// that the number of instructions does not depend on the host's other variables.
func hbVariableIndex(list []string, key string) int

// Unsetenv removes key from the environment.
func Unsetenv(key string) error {
	if key == "GODEBUG" {
		keeps("")
	}
	envWrite()
	if key == "GODEBUG" {
		godebug.HbChange("")
	}
	for i := envIndex(key); i >= 0; i = envIndex(key) {
		envs = append(envs[:i:i], envs[i+1:]...)
	}
	return nil
}

// Getenv returns the value of key and whether it is set.
func Getenv(key string) (value string, found bool) {
	if len(key) == 0 {
		return "", false
	}
	envRead()
	//mutant: no program needs a variable [test ./cmd/hbcheck TestScripts/lacking]: "!found" -> "false"
	if value, found = envValue(key); !found {
		hbUnset()
	}
	return value, found
}

// hbUnset records that the program asks for a variable that is not set.
func hbUnset()

func envValue(key string) (value string, found bool) {
	hbVariable(key)
	i := envIndex(key)
	if i < 0 {
		return "", false
	}
	return envs[i][len(key)+1:], true
}

// HbZone returns TZ for package time. In programs that cannot change it this is not an operation.
func HbZone() (value string, found bool) {
	//mutant: the zone is no operation [models TestModels/localZone]: false
	if hbSets() {
		envRead()
	}
	return envValue("TZ")
}

// HbZoneChanges reports whether HbZone may return another value later.
func HbZoneChanges() bool { return hbSets() }

// hbSets reports whether the program can change the environment.
func hbSets() bool

// Setenv sets key to value.
func Setenv(key, value string) error {
	if len(key) == 0 {
		return EINVAL
	}
	for _, c := range []byte(key) {
		if c == '=' || c == 0 {
			return EINVAL
		}
	}
	for _, c := range []byte(value) {
		if c == 0 {
			return EINVAL
		}
	}
	if key == "GODEBUG" {
		keeps(value)
	}
	envWrite()
	if key == "GODEBUG" {
		godebug.HbChange(value)
	}
	if i := envIndex(key); i >= 0 {
		envs[i] = key + "=" + value
	} else {
		envs = append(envs, key+"="+value)
	}
	return nil
}

func init() { godebug.HbEnvs = unsafe.Pointer(&envs) }

// keeps refuses a value of GODEBUG that would change the machine's own behaviour while the program
// runs: how timers work, and the effect of panic(nil).
func keeps(settings string) {
	for _, name := range [...]string{"asynctimerchan", "panicnil"} {
		old, new := godebug.HbFirst(name), godebug.HbValue(name, settings)
		on := func(value string) bool { return value == "1" || value == "2" && name == "asynctimerchan" }
		if on(old) != on(new) {
			hbRefuse("construct", "setting "+name+" while the program runs")
		}
	}
}

// Clearenv empties the environment.
func Clearenv() {
	keeps("")
	envWrite()
	godebug.HbChange("")
	envs = nil
}

// Environ returns a copy of the environment without duplicates.
func Environ() []string {
	envRead()
	hbVariables()
	env := make([]string, 0, len(envs))
	for i, s := range envs {
		for j := range len(s) {
			if s[j] == '=' && j > 0 && envIndex(s[:j]) == i {
				env = append(env, s)
				break
			}
		}
	}
	return env
}
