// Package reranktest makes a tiny cross-encoder for tests: a real BERT with a
// one-label head, in the layout of a published model. Its weights are chosen by hand,
// so that the logit falls with the share of the query's words that the text lacks. It
// has a vocabulary of a few dozen words. Only tests may import it.
package reranktest

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"manicule/memory/embed/onnx"
)

// MaxTokens is the maximum length of the model's input.
const MaxTokens = 64

// The ids of the special tokens.
const (
	pad = iota
	unk
	cls
	sep
	specials
)

// words is the vocabulary.
func words() []string {
	return strings.Fields("[PAD] [UNK] [CLS] [SEP] how long does a failed request wait ##s ##er before the next try longer icon in sidebar is blue " +
		"token refresh need redis cache server must answer anybody can log who where we handle expire ##d retry after with out back ##off one two three")
}

// Write writes the model into a folder as a checkpoint: config.json, tokenizer.json and
// model.safetensors.
func Write(dir string) error {
	return write(dir, map[string][]byte{"config.json": config(), "tokenizer.json": tokenizer(), "model.safetensors": checkpoint()})
}

// WriteONNX writes the model into a folder as an ONNX file: config.json, tokenizer.json and
// onnx/model.onnx.
func WriteONNX(dir string) error {
	data, err := onnx.Convert(checkpoint(), config(), onnx.Full)
	if err != nil {
		return err
	}
	return write(dir, map[string][]byte{"config.json": config(), "tokenizer.json": tokenizer(), "onnx/model.onnx": data})
}

func write(dir string, files map[string][]byte) error {
	var errs []error
	for name, data := range files {
		path := filepath.Join(dir, name)
		errs = append(errs, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600))
	}
	return errors.Join(errs...)
}

// hidden is the width: a pair of values for each word, one for the type, one
// for "nothing matches" and one for the share of such. All is written as +x, -x,
// so that the mean is 0 and layer normalisation does nothing but scale.
func hidden() int { return 2*len(words()) + 6 }

// Offsets of the pairs behind those of the words.
func typePair() int  { return 2 * len(words()) }
func alonePair() int { return typePair() + 2 }
func sharePair() int { return typePair() + 4 }

func config() []byte {
	return fmt.Appendf(nil, `{"architectures":["BertForSequenceClassification"],"model_type":"bert","hidden_act":"gelu","hidden_size":%d,`+
		`"num_hidden_layers":2,"num_attention_heads":1,"layer_norm_eps":1e-12,"max_position_embeddings":%d,"id2label":{"0":"LABEL_0"}}`, hidden(), MaxTokens)
}

func tokenizer() []byte {
	type object = map[string]any
	vocab := object{}
	var added []object
	for i, w := range words() {
		vocab[w] = i
		if i < specials {
			added = append(added, object{"id": i, "content": w, "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false})
		}
	}
	special := func(name string, kind int) object { return object{"SpecialToken": object{"id": name, "type_id": kind}} }
	text := func(name string, kind int) object { return object{"Sequence": object{"id": name, "type_id": kind}} }
	data, err := json.Marshal(object{
		"version": "1.0", "added_tokens": added,
		"normalizer":    object{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer": object{"type": "BertPreTokenizer"},
		"post_processor": object{
			"type": "TemplateProcessing", "single": []any{special("[CLS]", 0), text("A", 0), special("[SEP]", 0)},
			"pair": []any{special("[CLS]", 0), text("A", 0), special("[SEP]", 0), text("B", 1), special("[SEP]", 1)},
			"special_tokens": object{
				"[CLS]": object{"id": "[CLS]", "ids": []int{cls}, "tokens": []string{"[CLS]"}},
				"[SEP]": object{"id": "[SEP]", "ids": []int{sep}, "tokens": []string{"[SEP]"}},
			},
		},
		"decoder": object{"type": "WordPiece", "prefix": "##", "cleanup": true},
		"model":   object{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab},
	})
	if err != nil {
		panic(err) // constants
	}
	return data
}

// Scores before softmax in the first layer. A word of the query looks at the
// text: at the same word if it is there (match+far), else at [CLS] (sink-far),
// which says that nothing matches; never at other words (far) or at its own
// side (match-far).
const (
	match = 20.0
	far   = 10.0
	sink  = 30.0
	// inSecond makes [CLS] look at the query's side alone in the second layer.
	inSecond = 10.0
	// The logit is bias - slope·tanh(share of words that match nothing).
	bias  = 11.0
	slope = 20.0
)

// Score is the model's approximate score if alone of the query's tokens, including [CLS] and [SEP],
// are not in the text. It is exact to about a hundredth.
func Score(alone, tokens int) float64 {
	// Where a pair comes in, normalisation makes all values a little smaller,
	// and so the weight of the token in the second layer.
	norm := func(x float64) float64 { return 1 / math.Sqrt(1+2*x*x/float64(hidden())) }
	weight := float64(alone) * math.Exp(inSecond*(norm(1)-1))
	share := weight / (weight + float64(tokens-alone)) * norm(1)
	return 1 / (1 + math.Exp(slope*math.Tanh(share*norm(share))-bias))
}

// weights are tensors under construction. Linear layers are [out, in].
type weights struct {
	shapes map[string][]int
	data   map[string][]float32
}

func (w *weights) add(name string, shape ...int) []float32 {
	n := 1
	for _, d := range shape {
		n *= d
	}
	w.shapes[name], w.data[name] = shape, make([]float32, n)
	return w.data[name]
}

func (w *weights) linear(name string, out, in int) (weight, biases []float32) {
	return w.add(name+".weight", out, in), w.add(name+".bias", out)
}

func (w *weights) norm(name string) {
	h := hidden()
	for i := range w.add(name+".weight", h) {
		w.data[name+".weight"][i] = 1
	}
	w.add(name+".bias", h)
}

func checkpoint() []byte {
	h, n := hidden(), len(words())
	w := &weights{map[string][]int{}, map[string][]float32{}}
	pass := func(m []float32, to, from int, gain float64) { // a pair
		m[to*h+from], m[(to+1)*h+from+1] = float32(gain), float32(gain)
	}
	set := func(v []float32, at int, x float64) { v[at], v[at+1] = float32(x), float32(-x) }

	table := w.add("bert.embeddings.word_embeddings.weight", n, h)
	for i := range n {
		set(table[i*h:], 2*i, 1)
	}
	kinds := w.add("bert.embeddings.token_type_embeddings.weight", 2, h)
	set(kinds, typePair(), 1)
	set(kinds[h:], typePair(), -1)
	w.add("bert.embeddings.position_embeddings.weight", MaxTokens, h)
	w.norm("bert.embeddings.LayerNorm")

	// After normalisation a value of 1 is root/2: four values are not 0. The
	// product of two pairs, divided by root as attention does, is root/2.
	root := math.Sqrt(float64(h))
	for l := range 2 {
		p := fmt.Sprintf("bert.encoder.layer.%d.", l)
		q, qb := w.linear(p+"attention.self.query", h, h)
		k, _ := w.linear(p+"attention.self.key", h, h)
		v, _ := w.linear(p+"attention.self.value", h, h)
		o, _ := w.linear(p+"attention.output.dense", h, h)
		if l == 0 {
			for i := range n {
				if i >= specials {
					pass(q, 2*i, 2*i, 2*match/root)
				}
				pass(k, 2*i, 2*i, 1)
			}
			pass(q, typePair(), typePair(), -2*far/root)
			pass(k, typePair(), typePair(), 1)
			set(qb, 2*cls, sink)
			pass(v, alonePair(), 2*cls, 2/root)
			pass(o, alonePair(), alonePair(), 1)
		} else {
			set(qb, typePair(), inSecond)
			pass(k, typePair(), typePair(), 1)
			pass(v, sharePair(), alonePair(), 1)
			pass(o, sharePair(), sharePair(), 1)
		}
		w.norm(p + "attention.output.LayerNorm")
		w.linear(p+"intermediate.dense", 8, h) // zeros: the feed-forward part adds nothing
		w.linear(p+"output.dense", h, 8)
		w.norm(p + "output.LayerNorm")
	}
	pooler, _ := w.linear("bert.pooler.dense", h, h)
	pooler[sharePair()] = 1
	classifier, cb := w.linear("classifier", 1, h)
	classifier[0], cb[0] = -slope, bias
	return w.encode()
}

// encode returns the safetensors file.
func (w *weights) encode() []byte {
	header, data := map[string]any{}, []byte{}
	var names []string
	for name := range w.data {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		from := len(data)
		for _, x := range w.data[name] {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		header[name] = map[string]any{"dtype": "F32", "shape": w.shapes[name], "data_offsets": []int{from, len(data)}}
	}
	head, err := json.Marshal(header)
	if err != nil {
		panic(err) // maps of strings
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	return append(append(out, head...), data...)
}
