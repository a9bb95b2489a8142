// Package units owns the units of work of a workspace as they change: how one begins and ends, what belongs to it, and
// what becomes of its memories and drafts when it is over. Package work knows which one is under way. It must not know
// editors, agents or SQL.
package units
