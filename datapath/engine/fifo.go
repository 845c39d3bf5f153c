package engine

import "github.com/stellarlab/stellarlab/internal/vtime"

// sending names one transmission: a packet and when it left.
type sending struct {
	psn uint64
	at  vtime.Time
}

// fifo is a queue of transmissions that reuses its memory.
type fifo struct {
	items []sending
	head  int
}

func (f *fifo) push(s sending) {
	if f.head > 0 && f.head*2 >= len(f.items) {
		f.items = f.items[:copy(f.items, f.items[f.head:])]
		f.head = 0
	}
	f.items = append(f.items, s)
}

// reset empties the queue.
func (f *fifo) reset() { f.items, f.head = f.items[:0], 0 }

func (f *fifo) empty() bool { return f.head == len(f.items) }

func (f *fifo) first() sending { return f.items[f.head] }

func (f *fifo) pop() { f.head++ }
