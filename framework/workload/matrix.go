package workload

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/stellarlab/stellarlab/internal/units"
)

// readMatrix reads htsim's connection-matrix text: "Nodes n", "Connections m", then m lines
// "src->dst [id k] start t size b", start in picoseconds. Lines that start with # are comments.
func readMatrix(r io.Reader, hosts int) ([]FlowSpec, error) {
	var flows []FlowSpec
	var errs []error
	nodes, connections := -1, -1
	sc := bufio.NewScanner(r)
	lines := 0
	for line := 1; sc.Scan(); line++ {
		lines = line
		words := strings.Fields(sc.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		var err error
		switch {
		case len(errs) > 20:
			return nil, errors.Join(append(errs, errors.New("and more"))...)
		case len(flows) > maxFlows:
			return nil, fmt.Errorf("line %d: more than %d connections", line, maxFlows)
		case words[0] == "Nodes" && len(words) == 2:
			nodes, err = strconv.Atoi(words[1])
		case words[0] == "Connections" && len(words) == 2:
			connections, err = strconv.Atoi(words[1])
		default:
			var f FlowSpec
			if f, err = matrixLine(words); err == nil {
				f.line = line
				flows = append(flows, f)
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", line, err))
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("line %d: cannot be read: %w", lines+1, err)
	}
	if nodes > hosts {
		errs = append(errs, fmt.Errorf("its Nodes is %d: the topology has %d hosts", nodes, hosts))
	}
	if connections >= 0 && len(errs) == 0 && connections != len(flows) {
		errs = append(errs, fmt.Errorf("its Connections is %d, but %d follow: is the file cut short?", connections, len(flows)))
	}
	if len(flows) == 0 && len(errs) == 0 {
		errs = append(errs, errors.New("no connection in it"))
	}
	return flows, errors.Join(errs...)
}

// matrixLine reads one connection.
func matrixLine(words []string) (f FlowSpec, err error) {
	const want = "want a line such as 35->25 id 1 start 0 size 2000000"
	src, dst, ok := strings.Cut(words[0], "->")
	from, err1 := strconv.ParseUint(src, 10, 31)
	to, err2 := strconv.ParseUint(dst, 10, 31)
	if !ok || err1 != nil || err2 != nil || len(words)%2 != 1 {
		return f, fmt.Errorf("%q: %s", strings.Join(words, " "), want)
	}
	f.From, f.To = fmt.Sprintf("host%d", from), fmt.Sprintf("host%d", to)
	sized := false
	for i := 1; i < len(words); i += 2 {
		n, err := strconv.ParseUint(words[i+1], 10, 62)
		if err != nil {
			return f, fmt.Errorf("%s %q is no number: %s", words[i], words[i+1], want)
		}
		switch words[i] {
		case "start":
			f.Start = units.Duration(n / 1000)
		case "size":
			if n > maxMessage {
				return f, fmt.Errorf("size %d: a message holds at most 2 GiB", n)
			}
			f.Bytes, sized = units.Size(n), true
		case "id":
		default:
			return f, fmt.Errorf("%q is not read here: %s", words[i], want)
		}
	}
	if !sized {
		return f, fmt.Errorf("no size: %s", want)
	}
	return f, nil
}
