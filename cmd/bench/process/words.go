package process

import "strings"

// Words for the generated sources and memories.

func services() []string {
	return []string{"auth", "billing", "cart", "catalog", "checkout", "inventory", "mail", "orders", "pricing", "search"}
}

func packages() []string {
	return []string{"api", "cache", "events", "jobs", "queue", "store", "sync"}
}

func verbs() []string {
	return []string{"Load", "Save", "Refresh", "Validate", "Expire", "Merge", "Replay", "Publish"}
}

func nouns() []string {
	return []string{"Token", "Invoice", "Basket", "Order", "Price", "Stock", "Session", "Receipt", "Customer", "Refund", "Coupon"}
}

func beginnings() []string {
	return []string{
		"Refreshing a token", "Saving an invoice", "Replaying the queue", "The nightly export", "A cancelled request",
		"Closing the pool", "The price cache", "A retried webhook", "Merging two baskets", "The stock counter",
		"An expired session", "The first request after a deploy", "A refund in another currency", "The search index",
	}
}

func middles() []string {
	return []string{
		"fails silently when Redis is unreachable", "holds the row lock until the transaction ends", "is not idempotent",
		"counts twice when the broker redelivers", "rounds to cents before the tax is added", "ignores the context's deadline",
		"must run before the migration of the same release", "returns stale rows for up to a minute",
		"needs the tenant in the context", "never goes through the public API", "deadlocks if the callback writes",
		"allocates a buffer for every row",
	}
}

func ends() []string {
	return []string{
		"seen in the incident of May", "the test only covers the happy path", "use the wrapper in store instead",
		"decided with the payments team", "a timeout of two seconds is enough", "the vendor's client retries on its own",
		"tried with a mutex, it was slower", "the old path stays until the mobile app is gone",
	}
}

// sentence returns a sentence that a person might write.
func (w *workspace) sentence() string {
	pick := func(list []string) string { return list[w.rng.IntN(len(list))] }
	return pick(beginnings()) + " " + pick(middles()) + ": " + pick(ends())
}

// vocabulary lists the words of the sentences that are worth a search.
func vocabulary() []string {
	var out []string
	for _, list := range [][]string{beginnings(), middles(), ends()} {
		for word := range strings.FieldsSeq(strings.Join(list, " ")) {
			if len(word) > 4 {
				out = append(out, strings.Trim(word, ",'"))
			}
		}
	}
	return out
}
