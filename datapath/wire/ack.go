package wire

import (
	"fmt"

	"github.com/stellarlab/stellarlab/internal/vtime"
)

// appendAck appends BTH, AETH and extension of an acknowledgement; a NAK is one with another syndrome.
func (p *Packet) appendAck(b []byte) []byte {
	b = p.appendBTH(b, 0)
	b = append(b, byte(p.Syndrome), byte(p.AckMSN>>16), byte(p.AckMSN>>8), byte(p.AckMSN))
	b = p.appendHead(b, kindAck)
	b = be.AppendUint32(b, p.BitmapBase&0xffffff)
	b = be.AppendUint32(b, p.WindowEdge&0xffffff)
	b = be.AppendUint32(b, p.CECount)
	b = be.AppendUint32(b, p.AckedBytes)
	b = be.AppendUint16(b, p.EchoPath)
	b = append(b, p.Generation, 0)
	b = be.AppendUint32(b, p.EchoPathSeq)
	b = be.AppendUint64(b, uint64(p.EchoSent))
	for _, w := range p.Bitmap {
		b = be.AppendUint64(b, w)
	}
	return b
}

// decodeAck reads what follows the BTH of an acknowledgement: b ends before the ICRC.
func decodeAck(b []byte, padCount int, p *Packet) error {
	if len(b) != aethLen+ackExt || padCount != 0 {
		return fmt.Errorf("%w: acknowledgement of %d bytes after the BTH, pad count %d, want %d and 0", ErrMalformed, len(b), padCount, aethLen+ackExt)
	}
	ext := b[aethLen:]
	if err := decodeHead(ext, kindAck, p); err != nil {
		return err
	}
	p.Syndrome = Syndrome(b[0])
	p.AckMSN = be.Uint32(b) & 0xffffff
	p.BitmapBase = be.Uint32(ext[16:])
	p.WindowEdge = be.Uint32(ext[20:])
	p.CECount = be.Uint32(ext[24:])
	p.AckedBytes = be.Uint32(ext[28:])
	p.EchoPath = be.Uint16(ext[32:])
	p.Generation = ext[34]
	if ext[35] != 0 || (p.BitmapBase|p.WindowEdge)>>24 != 0 {
		return fmt.Errorf("%w: reserved bytes are not zero", ErrMalformed)
	}
	p.EchoPathSeq = be.Uint32(ext[36:])
	p.EchoSent = vtime.Time(be.Uint64(ext[40:]))
	for i := range p.Bitmap {
		p.Bitmap[i] = be.Uint64(ext[48+8*i:])
	}
	return nil
}
