package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// directory is the run directory. The zero value writes nothing.
type directory string

// path is the place of a file of the run.
func (d directory) path(name string) string { return filepath.Join(string(d), name) }

// write stores a file so that a crash leaves either the old one or the new one, whole, and syncs it to disk.
func (d directory) write(name string, data []byte) (err error) {
	if d == "" {
		return nil
	}
	f, err := os.CreateTemp(string(d), "."+name+"-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), d.path(name))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, os.Remove(f.Name())))
	}
	return d.sync()
}

// sync makes the names in the directory last.
func (d directory) sync() error {
	f, err := os.Open(string(d))
	if err != nil {
		return fmt.Errorf("sync run directory: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("sync run directory: %w", err)
	}
	return nil
}

// writeJSON stores a value as indented JSON.
func (d directory) writeJSON(name string, v any) error {
	if d == "" {
		return nil
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return d.write(name, append(b, '\n'))
}
