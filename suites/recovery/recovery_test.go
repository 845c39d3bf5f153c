package recovery_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/labs"
	"github.com/stellarlab/stellarlab/framework/report"
	"github.com/stellarlab/stellarlab/internal/strict"
)

func TestRecovery(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "recovery")
}

// verdict runs a scenario of the suites in a lab.
func verdict(ctx SpecContext, lab, name string) *report.Verdict {
	strict.Need(GinkgoT(), lab, labs.Missing(lab))
	v, err := labs.File(ctx, "../scenarios/"+name+".yaml", lab, GinkgoT().TempDir())
	Expect(err).NotTo(HaveOccurred())
	return v
}

var _ = DescribeTableSubtree("what died comes back", func(lab string) {
	DescribeTable("when", func(ctx SpecContext, name string) {
		v := verdict(ctx, lab, name)
		Expect(v.Outcome).To(Equal(expect.Pass), v.Reason)
		Expect(v.Settled).To(BeTrue(), "the run ended by itself")
		for _, f := range v.Faults {
			Expect(f.Confirmation).To(Equal("confirmed"), "fault %s: %v", f.Name, f.Evidence)
			if lab == "sim" { // a busy machine may stay below the share that is not asked for; what is asked for is an expectation
				Expect(f.Effect.RecoveredAfter).NotTo(BeNil(), "fault %s: recovery was measured", f.Name)
			}
		}
		for _, i := range v.Invariants {
			Expect(i.Outcome).To(Equal(expect.Pass), "%s: %v", i.Name, i.Violations)
			Expect(i.Checked).NotTo(BeZero(), "%s had something to check", i.Name)
		}
		for _, w := range v.Workloads {
			Expect(w.Failures).To(BeZero(), "workload %s", w.Name)
		}
	},
		Entry("a spine forwards nothing", "dead-spine"),
		Entry("an uplink is cut", "uplink-cut"),
		Entry("pages are evicted under traffic", "page-eviction"),
		Entry("translations miss", "cold-translations"),
		Entry("faults overlap on a link", "overlapping"),
	)

	It("gives up with the ibverbs status when the retry budget is spent", func(ctx SpecContext) {
		v := verdict(ctx, lab, "retry-exceeded")
		Expect(v.Outcome).To(Equal(expect.Pass), v.Reason)
		Expect(v.Workloads).To(HaveLen(1))
		Expect(v.Workloads[0].Failures).To(BeEquivalentTo(4), "the failed request and the three flushed behind it")
	})
},
	Entry("in the simulator", Label("sim"), "sim"),
	Entry("in namespaces", Label("netns"), Serial, "netns"),
)
