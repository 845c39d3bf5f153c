# Stellarlab. `make demo` shows it, `make test` proves it; both do all the set-up that they need.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := help

GO       ?= go
BIN      := bin/stellarlab
OUT      := out
STATE    ?= $(if $(filter 0,$(shell id -u)),/run/stellarlab,$(CURDIR)/$(OUT)/state)
SCENARIO ?= suites/scenarios/dead-spine.yaml
PACKAGES := tshark python3-scapy iproute2
SUITES   := ./suites/...
MUTANTS  := ./internal/mutants/...
REST      = $$($(GO) list ./... | grep -v -e /suites/ -e /internal/mutants)

.PHONY: help build demo test deps lint bench mutants schema clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

build: ## build bin/stellarlab
	$(GO) build -o $(BIN) ./tools/stellarlab

demo: build ## run the first scenario: on the simulator, and in namespaces where this user may
	@echo "== simulator =="
	@$(BIN) run $(SCENARIO) --lab sim --out $(OUT) --state-dir $(STATE)
	@if [ "$$(id -u)" = 0 ]; then \
		echo "== namespaces =="; \
		$(BIN) run $(SCENARIO) --lab netns --out $(OUT) --state-dir $(STATE); \
	else \
		echo "== namespaces: skipped, they need root: sudo make demo =="; \
	fi
	@echo "run directories, each with its verdict.json, are in $(OUT)/"

test: deps lint ## everything that this machine can run; STRICT=1: a promised ability (.ci/abilities) may not be missing
	@{ $(GO) test -json -timeout 10m -p 2 $(REST) ; \
	   $(GO) test -json -timeout 10m -p 1 $(SUITES) ; \
	   $(GO) test -json -timeout 10m -p 1 $(MUTANTS) ; \
	} 2>&1 | $(GO) run ./internal/testgate

deps: ## install the test tools that are missing, or say which
	@missing=""; for p in $(PACKAGES); do dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "installing$$missing"; \
		export DEBIAN_FRONTEND=noninteractive; \
		apt-get update -qq >/dev/null && apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	else \
		echo "some tests will be skipped; for all of them install:$$missing (Debian: apt-get install$$missing)"; \
	fi

lint: ## formatting, vet and staticcheck
	@test -z "$$(gofmt -l .)" || { echo "not formatted, run gofmt -w on:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

bench: ## the figures that are published, each with its yardstick beside it
	$(GO) test -run '^$$' -bench . -benchtime 1s -timeout 30m -p 1 ./... | grep -v -e '^ok' -e 'no test files'

mutants: ## build the known-bad variants and show that the suites catch each
	$(GO) test -v -timeout 20m $(MUTANTS)

schema: ## write docs/scenario.schema.json, docs/cli.md and docs/faults.md anew
	$(GO) generate ./framework/scenario/... ./tools/stellarlab

clean: ## remove what was built and what runs left in out/
	rm -rf bin $(OUT)
