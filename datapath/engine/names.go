package engine

import "fmt"

// String returns the state as ibverbs prints it: RESET, INIT, RTR, RTS, ERR.
func (s State) String() string {
	switch s {
	case Reset:
		return "RESET"
	case Init:
		return "INIT"
	case RTR:
		return "RTR"
	case RTS:
		return "RTS"
	case Err:
		return "ERR"
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// String returns the status without its IBV_WC_ prefix.
func (s Status) String() string {
	switch s {
	case Success:
		return "SUCCESS"
	case LocLenErr:
		return "LOC_LEN_ERR"
	case LocQPOpErr:
		return "LOC_QP_OP_ERR"
	case LocProtErr:
		return "LOC_PROT_ERR"
	case WRFlushErr:
		return "WR_FLUSH_ERR"
	case RemInvReqErr:
		return "REM_INV_REQ_ERR"
	case RemAccessErr:
		return "REM_ACCESS_ERR"
	case RemOpErr:
		return "REM_OP_ERR"
	case RetryExcErr:
		return "RETRY_EXC_ERR"
	case FatalErr:
		return "FATAL_ERR"
	case GeneralErr:
		return "GENERAL_ERR"
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}
