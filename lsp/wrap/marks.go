package wrap

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// mark is the member of an item's data that says that the item is ours. Its
// value is the data that our server gave it, null for none.
const mark = "$manicule"

// prefix begins the names of our commands and methods' folder.
const prefix = "manicule."

// marked returns a list of our items whose data name their owner, so that each
// goes back to it when it is resolved.
func marked(list []byte) []byte {
	items, ok := parseArray(list)
	if !ok {
		return list
	}
	for i, item := range items {
		items[i] = markedItem(item)
	}
	return array(items)
}

func markedItem(item jsontext.Value) jsontext.Value {
	o, ok := parseObject(item)
	if !ok {
		return item
	}
	if command, bare := text(o.get("command")); bare && strings.HasPrefix(command, prefix) {
		return item // a bare command, which is not resolved and may not carry data
	}
	data := o.get("data")
	if data == nil {
		data = jsontext.Value("null")
	}
	return o.with("data", object{{mark, data}}.json()).json()
}

// unmarked returns an item as our server made it, and whether it is ours.
func unmarked(item []byte) (jsontext.Value, bool) {
	o, ok := parseObject(item)
	if !ok {
		return nil, false
	}
	data, ok := parseObject(o.get("data"))
	if ok && len(data) == 1 && data[0].name == mark {
		if isNull(data[0].value) {
			return o.without("data").json(), true
		}
		return o.with("data", data[0].value).json(), true
	}
	// A client that drops data still sends the command.
	name, _ := text(o.object("command").get("command"))
	return item, strings.HasPrefix(name, prefix)
}
