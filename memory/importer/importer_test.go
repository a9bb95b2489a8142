package importer

import "time"

var day = time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
