package expect

// Kind describes one kind of expectation.
type Kind struct {
	Name    string
	Says    string // what it expects, in one sentence
	Unit    string // of the measured value and the limit in the verdict
	Example string // YAML of one entry
	New     func() Params
}

// Catalogue returns all kinds, sorted by name.
func Catalogue() []Kind {
	return []Kind{
		{"completion", "every flow of a workload ends, in time, with no more than so many failed messages", "ns",
			"completion: {workload: bulk, within: 20ms}", func() Params { return new(completion) }},
		{"error", "completions of a workload carry an ibverbs error status", "completions",
			"error: {workload: bulk, status: RETRY_EXC_ERR, count: 1}", func() Params { return new(failure) }},
		{"goodput", "a workload keeps a mean goodput over a window", "bit/s",
			"goodput: {workload: bulk, during: grey, atLeast: 80%}", func() Params { return new(goodput) }},
		{"pathUse", "the packets of a workload are spread over its paths", "max over mean",
			"pathUse: {workload: bulk, maxOverMean: 1.5, idle: 0}", func() Params { return new(pathUse) }},
		{"recovery", "a workload is back at a share of its baseline soon after every heal of a fault", "ns",
			"recovery: {workload: bulk, after: grey, to: 95%, within: 1ms}", func() Params { return &recovery{To: 0.95, Samples: 5} }},
		{"retransmits", "no more than so many packets of a workload are sent again", "share or packets",
			"retransmits: {workload: bulk, atMost: 1%}", func() Params { return new(retransmits) }},
		{"violation", "exactly one invariant is violated, by a fault that must break it", "violations",
			"violation: {invariant: integrity, by: stale}", func() Params { return new(violation) }},
	}
}

// Lookup returns the kind called name.
func Lookup(name string) (Kind, bool) {
	for _, k := range Catalogue() {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}
