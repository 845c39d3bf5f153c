package scenario

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/stellarlab/stellarlab/faults"
	"github.com/stellarlab/stellarlab/framework/expect"
	"github.com/stellarlab/stellarlab/framework/topology"
	"github.com/stellarlab/stellarlab/framework/workload"
	"github.com/stellarlab/stellarlab/internal/units"
)

// schema is a JSON Schema, or a part of one.
type schema map[string]any

// Schema returns the JSON Schema of a scenario file, made from the types and catalogues that decode it. It knows
// the shape of a file; names, ranges and what one field demands of another are checked by Load alone.
func Schema() ([]byte, error) {
	file := object(reflect.TypeFor[File]())
	file["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	file["title"] = "Stellarlab scenario"
	file["required"] = []string{"apiVersion", "kind", "metadata", "spec"}
	properties := file["properties"].(schema)
	properties["apiVersion"] = schema{"const": Version}
	properties["kind"] = schema{"const": Kind}
	b, err := json.MarshalIndent(file, "", "  ")
	return append(b, '\n'), err
}

var textType = reflect.TypeFor[encoding.TextUnmarshaler]()

// schemaOf returns what a value of type t looks like in the file.
func schemaOf(t reflect.Type) schema {
	switch t {
	case reflect.TypeFor[Topology]():
		return topologySchema()
	case reflect.TypeFor[Device]():
		return deviceSchema()
	case reflect.TypeFor[Workload]():
		return workloadSchema()
	case reflect.TypeFor[Fault]():
		return faultSchema()
	case reflect.TypeFor[Expectation]():
		return expectationSchema()
	case reflect.TypeFor[units.Duration]():
		return schema{"type": "string", "examples": []string{"250us", "10ms"}}
	case reflect.TypeFor[units.Size]():
		return schema{"type": "string", "examples": []string{"4096B", "64MiB"}}
	case reflect.TypeFor[units.Rate]():
		return schema{"type": "string", "examples": []string{"400Gbps"}}
	}
	if reflect.PointerTo(t).Implements(textType) {
		return schema{"type": []string{"string", "number"}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Struct:
		return object(t)
	case reflect.Map:
		return schema{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.Slice:
		list := schema{"type": "array", "items": schemaOf(t.Elem())}
		if t.Elem().Kind() == reflect.String {
			return schema{"anyOf": []schema{{"type": "string"}, list}} // one host stands for a list of one
		}
		return list
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return schema{"type": "number"}
	case reflect.String:
		return schema{"type": "string"}
	case reflect.Interface:
		return schema{"type": "object"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return schema{"type": "integer", "minimum": 0}
	}
	return schema{"type": "integer"}
}

// object returns the schema of a struct: its fields and no others.
func object(t reflect.Type) schema {
	properties := schema{}
	eachField(t, nil, func(name string, _ []int, f reflect.StructField) {
		s := schemaOf(f.Type)
		if doc := f.Tag.Get("doc"); doc != "" {
			s["description"] = doc
		}
		if def := f.Tag.Get("default"); def != "" {
			s["x-default"] = def // as it would be written
		}
		properties[name] = s
	})
	return schema{"type": "object", "properties": properties, "additionalProperties": false}
}

// params returns the schema of a kind's parameters.
func params(p any) schema { return object(reflect.TypeOf(p).Elem()) }

// oneOf returns the schema of an entry: the fields of its frame and exactly one of the kinds.
func oneOf(frame, kinds schema, required ...string) schema {
	properties, one := schema{}, []schema{}
	for _, m := range []schema{frame, kinds} {
		for name, s := range m {
			properties[name] = s
		}
	}
	for _, name := range sortedKeys(kinds) {
		one = append(one, schema{"required": []string{name}})
	}
	s := schema{"type": "object", "properties": properties, "additionalProperties": false, "oneOf": one}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func topologySchema() schema {
	kinds := schema{}
	for _, k := range topology.Catalogue() {
		kinds[k.Name] = params(k.New())
	}
	return oneOf(nil, kinds)
}

func deviceSchema() schema {
	device, override := object(reflect.TypeFor[DeviceSettings]()), object(reflect.TypeFor[DeviceSettings]())
	override["properties"].(schema)["host"] = schema{"type": "string"}
	override["required"] = []string{"host"}
	device["properties"].(schema)["overrides"] = schema{"type": "array", "items": override}
	return device
}

func workloadSchema() schema {
	kinds := schema{}
	for _, k := range workload.Catalogue() {
		kinds[k.Name] = params(k.New())
	}
	return oneOf(schema{"name": schema{"type": "string"}}, kinds, "name")
}

func faultSchema() schema {
	duration := schemaOf(reflect.TypeFor[units.Duration]())
	selector := schema{"anyOf": []schema{{"type": "string"}, object(reflect.TypeFor[Selector]())}}
	kinds := schema{}
	for _, k := range faults.Catalogue() {
		s := params(k.New())
		if properties := s["properties"].(schema); k.Aim == faults.AtDevice {
			properties["device"], s["required"] = selector, []string{"device"}
		} else {
			properties["link"], s["required"] = selector, []string{"link"}
			properties["direction"] = schema{"type": "string", "x-default": "both"}
		}
		kinds[k.Name] = s
	}
	return oneOf(schema{
		"name": schema{"type": "string"}, "at": duration, "for": duration, "every": duration,
		"times": schema{"type": "integer"}, "optional": schema{"type": "boolean"},
	}, kinds, "name", "at", "for")
}

func expectationSchema() schema {
	kinds := schema{}
	for _, name := range invariants {
		kinds[name] = schema{"type": "object", "maxProperties": 0}
	}
	for _, k := range expect.Catalogue() {
		kinds[k.Name] = params(k.New())
	}
	return oneOf(nil, kinds)
}

// sortedKeys returns the keys in order.
func sortedKeys(m schema) []string { return slices.Sorted(maps.Keys(m)) }
