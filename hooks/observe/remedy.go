package observe

import (
	"fmt"
	"path"
	"strings"

	"manicule/hooks/observe/failures"
	"manicule/hooks/observe/wording"
	"manicule/memory/file"
)

func (d UnmetNeed) sentence(e extent) (what, why string, typ file.Type) {
	said := wording.OneLine(d.Message, 120)
	why = fmt.Sprintf("Without it, it failed with “%s” in %s; with it, it worked.", said, e.seen())
	switch d.Need {
	case failures.NeedsVariable:
		return fmt.Sprintf("`%s` needs the environment variable `%s`.", d.Command, d.Name), why, file.ErrorPattern
	case failures.NeedsService:
		return fmt.Sprintf("`%s` needs what `%s` starts.", d.Command, d.Name), why, file.ErrorPattern
	case failures.NeedsBefore:
		return fmt.Sprintf("`%s` needs `%s` before it.", d.Command, d.Name), fmt.Sprintf("Without it, it failed with “%s” in %s; after it, it worked, and nothing was edited.", said, e.seen()), file.ErrorPattern
	case failures.NeedsFolder:
		where := "in `" + d.Name + "/`"
		if d.Name == "." {
			where = "at the root"
		}
		return fmt.Sprintf("Run `%s` %s.", d.Command, where), fmt.Sprintf("Elsewhere it failed with “%s” in %s; there it worked.", said, e.seen()), file.Gotcha
	case failures.NeedsManager:
		return fmt.Sprintf("Use `%s` here, not `%s`.", d.Name, path.Base(strings.Fields(d.Command)[0])), fmt.Sprintf("`%s` failed with “%s” in %s; the same by the other worked.", d.Command, said, e.seen()), file.ErrorPattern
	}
	return "", "", ""
}
