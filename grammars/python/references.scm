; Uses of names.
