-- luacheck: what Neovim's Lua has, and what the plugin may leave alone.
std = 'luajit'
read_globals = { 'MiniPick', 'Snacks', 'vim' }
globals = { 'vim.b', 'vim.bo', 'vim.g', 'vim.o', 'vim.opt', 'vim.ui', 'vim.wo' }
max_line_length = 140
ignore = { '631' } -- the formatter owns the length of lines
