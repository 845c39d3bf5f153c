//go:build linux

package nslab

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/stellarlab/stellarlab/faults/inject"
	"github.com/stellarlab/stellarlab/internal/netns"
	"github.com/stellarlab/stellarlab/internal/undo"
)

// Performers undo what a dead run of this lab recorded.
func Performers() map[string]undo.Performer {
	return map[string]undo.Performer{
		opNetns: func(h undo.Header, r undo.Record) error {
			var a netnsArgs
			if err := json.Unmarshal(r.Args, &a); err != nil {
				return fmt.Errorf("arguments: %w", err)
			}
			if !strings.HasPrefix(r.Identity, netns.Prefix+h.Run+"-") {
				return fmt.Errorf("%w: the name does not bear the run's id", netns.ErrForeign)
			}
			if h.Boot != "" && h.Boot != undo.BootID() { // "": the header was damaged; name and cookie still tell
				a.Cookie = 0 // names do not outlive a boot; one that is there now is judged by its name
				if _, err := os.Lstat(netns.Dir + "/" + r.Identity); err != nil {
					return undo.ErrGone
				}
				return fmt.Errorf("%w: the machine has been started since", netns.ErrForeign)
			}
			return deleteNetns(r.Identity, a.Cookie)
		},
		// A fault lies on links, pages and tables of namespaces and processes that the run owned: they went with it.
		inject.OpFault: func(undo.Header, undo.Record) error { return undo.ErrGone },
	}
}

// deleteNetns removes a namespace by name and cookie.
func deleteNetns(name string, cookie uint64) error {
	err := netns.Delete(name, cookie)
	if errors.Is(err, os.ErrNotExist) {
		return undo.ErrGone
	}
	return err
}

// Collect undoes what dead runs left in a state directory, and nothing else.
func Collect(stateDir string, dryRun bool) (*undo.Report, error) {
	return undo.Replay(stateDir, Performers(), dryRun)
}

// journalUndo is the lab's log as faults/inject sees it.
type journalUndo struct{ log *undo.Log }

// Record implements inject.Undo.
func (u journalUndo) Record(op, identity string, args any) (func() error, error) {
	id, err := u.log.Record(op, identity, args)
	if err != nil {
		return nil, err
	}
	return func() error { return u.log.Done(id) }, nil
}
