package wrap

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ownerTag is the member of an item's data that says that the item is ours. Its value
// is the data that our server gave the item, null for none.
const ownerTag = "$manicule"

// prefix begins the names of our commands.
const prefix = "manicule."

// tagItems tags each of our items with its owner, so that the item goes back to it when
// it is resolved.
func tagItems(list []byte) []byte {
	items, ok := parseArray(list)
	if !ok {
		return list
	}
	for i, item := range items {
		items[i] = tagItem(item)
	}
	return array(items)
}

func tagItem(item jsontext.Value) jsontext.Value {
	o, ok := parseObject(item)
	if !ok {
		return item
	}
	if command, bare := text(o.get("command")); bare && strings.HasPrefix(command, prefix) {
		return item // a plain command is not resolved and can't carry data
	}
	data := o.get("data")
	if data == nil {
		data = jsontext.Value("null")
	}
	return o.with("data", object{{ownerTag, data}}.json()).json()
}

// untagItem returns an item as our server made it, and whether it is ours.
func untagItem(item []byte) (jsontext.Value, bool) {
	o, ok := parseObject(item)
	if !ok {
		return nil, false
	}
	data, ok := parseObject(o.get("data"))
	if ok && len(data) == 1 && data[0].name == ownerTag {
		if isNull(data[0].value) {
			return o.without("data").json(), true
		}
		return o.with("data", data[0].value).json(), true
	}
	// A client that drops the data still sends the command.
	name, _ := text(o.object("command").get("command"))
	return item, strings.HasPrefix(name, prefix)
}
