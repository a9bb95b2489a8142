// Package records owns what agents keep beside memories in a workspace: how a record is checked, stored as the next
// version of its lineage, and found by its id. It must not know agents' formats or SQL.
package records
