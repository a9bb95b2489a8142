; The parameters of a function whose types stand behind the list.

(parameter_list (identifier) @bind)
