package run

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// Environment is environment.json: what the run ran on.
type Environment struct {
	Kernel       string            `json:"kernel"`
	Architecture string            `json:"architecture"`
	CPU          string            `json:"cpu"`
	CPUs         int               `json:"cpus"`
	MaxProcs     int               `json:"maxProcs"`
	User         int               `json:"user"`
	Capabilities string            `json:"capabilities"` // effective set, hexadecimal, as the kernel prints it
	Go           string            `json:"go"`
	Version      string            `json:"version"`  // of the main module
	Revision     string            `json:"revision"` // of its source; with "-dirty" where it was changed
	Modules      map[string]string `json:"modules"`
}

// Surroundings reads the environment. What the system does not tell stays empty.
func Surroundings() Environment {
	e := Environment{
		Kernel:       strings.TrimSpace(text("/proc/sys/kernel/osrelease")),
		Architecture: runtime.GOARCH,
		CPU:          field("/proc/cpuinfo", "model name"),
		CPUs:         runtime.NumCPU(),
		MaxProcs:     runtime.GOMAXPROCS(0),
		User:         os.Geteuid(),
		Capabilities: field("/proc/self/status", "CapEff"),
		Go:           runtime.Version(),
		Modules:      map[string]string{},
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return e
	}
	e.Version = info.Main.Version
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			e.Revision = s.Value + e.Revision
		case s.Key == "vcs.modified" && s.Value == "true":
			e.Revision += "-dirty"
		}
	}
	for _, m := range info.Deps {
		e.Modules[m.Path] = m.Version
	}
	return e
}

// text is the content of a file, empty where it cannot be read.
func text(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}

// field is the value of the first line "name : value" of a file.
func field(path, name string) string {
	for line := range strings.Lines(text(path)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
