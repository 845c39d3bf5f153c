package host

import (
	"github.com/stellarlab/stellarlab/datapath/engine"
	"github.com/stellarlab/stellarlab/internal/event"
	"github.com/stellarlab/stellarlab/internal/mem"
	"github.com/stellarlab/stellarlab/internal/vtime"
)

// requesterFlow is the state of one running flow at the host that writes.
type requesterFlow struct {
	flow   Flow
	local  Endpoint
	peer   Endpoint
	posted uint64 // messages, over all runs
	polled uint64 // completions, over all runs

	first     uint64     // value of posted at the start of this run
	begin     vtime.Time // of this run
	until     vtime.Time // no message is posted from here on; Never: by count
	next      vtime.Time // the pace allows the next message here
	announced bool
	bytes     uint64
	failed    uint64
	broken    bool // the queue pair is in ERR: nothing more is posted
	done      bool
}

// app is the program of a host: it posts the messages of its flows, takes the completions, has the target
// memory verified, and posts again.
type app struct {
	d        *Device
	flows    []*requesterFlow
	byQP     map[uint32]*requesterFlow
	verify   Verifier
	running  int // flows that are started and not done
	deadline vtime.Time
	wcs      [64]engine.WC
}

// start releases the flows at now, lab time 0 of a run.
func (a *app) start(now vtime.Time, v Verifier) {
	a.verify = v
	a.running = len(a.flows)
	for _, r := range a.flows {
		r.begin = now.Add(r.flow.Start)
		r.next = r.begin
		r.until = vtime.Never
		if r.flow.For > 0 {
			r.until = r.begin.Add(r.flow.For)
		}
		r.first, r.bytes, r.failed, r.done, r.announced = r.posted, 0, 0, false, false
	}
	a.wake(now)
}

// stop ends posting; what is outstanding still completes.
func (a *app) stop(now vtime.Time) {
	for _, r := range a.flows {
		r.until = min(r.until, now)
		a.settle(now, r)
	}
}

// wake posts what is due at now and recomputes the deadline.
func (a *app) wake(now vtime.Time) {
	a.deadline = vtime.Never
	for _, r := range a.flows {
		if !r.done {
			a.post(now, r)
		}
	}
}

// post posts as many messages of r as its depth, count, time and pace allow.
func (a *app) post(now vtime.Time, r *requesterFlow) {
	if now < r.begin {
		a.deadline = min(a.deadline, r.begin)
		return
	}
	if !r.announced {
		r.announced = true
		a.d.emit(event.Event{At: now, Kind: event.FlowStart, QP: r.local.QP, A: uint64(r.flow.Index)})
	}
	for !r.ended(now) && r.posted-r.polled < r.flow.Slots() {
		if now < r.next {
			a.deadline = min(a.deadline, r.next)
			return
		}
		if !a.postOne(now, r) {
			break
		}
	}
	if r.until != vtime.Never && now < r.until {
		a.deadline = min(a.deadline, r.until)
	}
	a.settle(now, r)
}

// ended says that r posts nothing more in this run.
func (r *requesterFlow) ended(now vtime.Time) bool {
	return r.broken || now >= r.until || r.flow.Count > 0 && r.posted-r.first >= r.flow.Count
}

// postOne fills the next slot with its message's pattern and posts the write.
func (a *app) postOne(now vtime.Time, r *requesterFlow) bool {
	msn := r.posted
	off := msn % r.flow.Slots() * r.flow.Stride()
	if r.flow.Size > 0 {
		tag := mem.Tag(a.d.cfg.Run, r.local.QP, uint32(r.local.Generation), msn)
		if err := a.d.guest.Fill(r.local.GPA+mem.GPA(off), uint64(r.flow.Size), tag); err != nil {
			a.fail(now, r)
			return false
		}
	}
	wr := engine.WR{
		ID:    msn,
		Local: r.local.VA + mem.VA(off), LKey: r.local.Key,
		Remote: r.peer.VA + mem.VA(off), RKey: r.peer.Key,
		Len: r.flow.Size,
	}
	if err := a.d.engine.Post(now, r.local.QP, wr); err != nil {
		a.fail(now, r)
		return false
	}
	r.posted++
	if r.flow.Rate > 0 {
		r.next = max(r.next, now).Add(vtime.Bits(uint64(r.flow.Size)*8, r.flow.Rate))
	}
	a.d.emit(event.Event{
		At: now, Kind: event.Posted, QP: r.local.QP,
		A: wr.ID, B: msn, C: uint64(wr.Len), D: uint64(r.peer.GPA) + off,
	})
	return true
}

// fail gives a flow up that can post no more; the messages that it would still have posted count as failed.
func (a *app) fail(now vtime.Time, r *requesterFlow) {
	r.broken = true
	r.failed++
	a.settle(now, r)
}

// settle marks r done when nothing is outstanding and nothing more will be posted.
func (a *app) settle(now vtime.Time, r *requesterFlow) {
	if r.done || !r.announced && now < r.until || r.posted != r.polled || !r.ended(now) {
		return
	}
	r.done = true
	a.running--
	a.d.emit(event.Event{
		At: now, Kind: event.FlowDone, QP: r.local.QP,
		A: uint64(r.flow.Index), B: r.bytes, C: r.failed,
	})
}

// poll takes the completions of the device and lets each flow go on.
func (a *app) poll(now vtime.Time) {
	for {
		n := a.d.engine.Poll(a.wcs[:])
		for i := range a.wcs[:n] {
			a.complete(now, &a.wcs[i])
		}
		if n < len(a.wcs) {
			return
		}
	}
}

func (a *app) complete(now vtime.Time, wc *engine.WC) {
	r := a.byQP[wc.QP]
	if r == nil {
		return
	}
	a.d.emit(event.Event{
		At: now, Kind: event.Completed, QP: wc.QP,
		A: wc.ID, B: uint64(wc.Status), C: uint64(wc.Len), D: r.polled,
	})
	if wc.Status == engine.Success {
		off := wc.ID % r.flow.Slots() * r.flow.Stride()
		tag := mem.Tag(a.d.cfg.Run, r.local.QP, uint32(r.local.Generation), wc.ID)
		if a.verify != nil {
			a.verify.Verify(now, &r.flow, &r.peer, wc, r.peer.GPA+mem.GPA(off), tag)
		}
		r.bytes += uint64(wc.Len)
	} else {
		r.failed++
		r.broken = true
	}
	r.polled++
	a.post(now, r)
}
