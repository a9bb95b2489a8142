package onnx

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The field numbers and types of onnx.proto3 (ONNX 1.12, opset 17) that a transformer needs. The
// schema never reuses numbers.
const (
	modelIRVersion, modelProducer, modelGraph, modelOpset = 1, 2, 7, 8
	opsetVersion                                          = 2

	graphNode, graphName, graphInitializer, graphInput, graphOutput = 1, 2, 5, 11, 12

	nodeInput, nodeOutput, nodeName, nodeOp, nodeAttribute = 1, 2, 3, 4, 5

	attrName, attrFloat, attrInt, attrInts, attrType = 1, 2, 3, 8, 20
	attrIsFloat, attrIsInt, attrIsInts               = 1, 2, 7

	tensorDims, tensorType, tensorName, tensorRaw = 1, 2, 8, 9
)

// elem is an ONNX element type.
type elem int64

const (
	elemFloat elem = 1
	elemInt8  elem = 3
	elemInt64 elem = 7
	elemHalf  elem = 10
)

// irVersion and opset declare ONNX 1.12, the first with a LayerNormalization operator.
const (
	irVersion = 8
	opset     = 17
)

// message is a protobuf message under construction.
type message []byte

func (m message) text(field protowire.Number, s string) message {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), s)
}

func (m message) bytes(field protowire.Number, b []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), b)
}

func (m message) int(field protowire.Number, v int64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(v))
}

func (m message) float(field protowire.Number, v float32) message {
	return protowire.AppendFixed32(protowire.AppendTag(m, field, protowire.Fixed32Type), math.Float32bits(v))
}

// graph is an ONNX graph under construction. It keeps the order of the calls, so the same calls
// give the same bytes.
type graph struct {
	nodes, weights, inputs, outputs []message
}

// attr is an attribute of a node: an int64, a float32 or an []int64.
type attr struct {
	name  string
	value any
}

// op adds a node with one output and returns the output's name.
func (g *graph) op(kind, out string, in []string, attrs ...attr) string {
	g.node(kind, []string{out}, in, attrs...)
	return out
}

func (g *graph) node(kind string, out, in []string, attrs ...attr) {
	var n message
	for _, name := range in {
		n = n.text(nodeInput, name)
	}
	for _, name := range out {
		n = n.text(nodeOutput, name)
	}
	n = n.text(nodeName, fmt.Sprintf("%s_%d", kind, len(g.nodes)+1)).text(nodeOp, kind)
	for _, a := range attrs {
		n = n.bytes(nodeAttribute, a.encode())
	}
	g.nodes = append(g.nodes, n)
}

func (a attr) encode() message {
	m := message(nil).text(attrName, a.name)
	switch v := a.value.(type) {
	case int64:
		return m.int(attrInt, v).int(attrType, attrIsInt)
	case float32:
		return m.float(attrFloat, v).int(attrType, attrIsFloat)
	case []int64:
		for _, x := range v {
			m = m.int(attrInts, x)
		}
		return m.int(attrType, attrIsInts)
	}
	panic(fmt.Sprintf("attribute %s of type %T", a.name, a.value)) // this package's own call
}

// weight adds a constant from raw little-endian bytes. Without dims it is a scalar.
func (g *graph) weight(name string, kind elem, dims []int64, raw []byte) string {
	var t message
	for _, d := range dims {
		t = t.int(tensorDims, d)
	}
	g.weights = append(g.weights, t.int(tensorType, int64(kind)).text(tensorName, name).bytes(tensorRaw, raw))
	return name
}

func (g *graph) floats(name string, dims []int64, values ...float32) string {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return g.weight(name, elemFloat, dims, raw)
}

func (g *graph) ints(name string, values ...int64) string {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return g.weight(name, elemInt64, []int64{int64(len(values))}, raw)
}

// value describes an input or output. A dimension is a name or a number.
func value(name string, kind elem, dims ...any) message {
	var shape message
	for _, d := range dims {
		var dim message
		switch v := d.(type) {
		case string:
			dim = dim.text(2, v)
		case int64:
			dim = dim.int(1, v)
		}
		shape = shape.bytes(1, dim)
	}
	tensorType := message(nil).int(1, int64(kind)).bytes(2, shape)
	return message(nil).text(1, name).bytes(2, message(nil).bytes(1, tensorType))
}

// encode returns the model file.
func (g *graph) encode(producer string) []byte {
	var m message
	all := func(field protowire.Number, list []message) {
		for _, x := range list {
			m = m.bytes(field, x)
		}
	}
	all(graphNode, g.nodes)
	m = m.text(graphName, "encoder")
	all(graphInitializer, g.weights)
	all(graphInput, g.inputs)
	all(graphOutput, g.outputs)
	system := message(nil).text(1, "").int(opsetVersion, opset)
	return message(nil).int(modelIRVersion, irVersion).text(modelProducer, producer).bytes(modelGraph, m).bytes(modelOpset, system)
}
