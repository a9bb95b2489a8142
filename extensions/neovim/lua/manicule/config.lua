--- The options of the plugin: their defaults, and what is wrong with what the
--- person gave. Owns vim.g.manicule, and must not know the language server.
local M = {}

--- What a person may put into vim.g.manicule (a table, or a function that returns one).
---@class manicule.Opts
---@field autostart? boolean
---@field server_path? string
---@field server_args? string[]
---@field code_lens? boolean
---@field signs? boolean
---@field sign_text? string
---@field current_line? boolean
---@field hover_key? string|false
---@field hover_wait? integer|false
---@field merge_hover? boolean
---@field picker? string
---@field settings? table

--- The options with the defaults filled in.
---@class manicule.Config
---@field autostart boolean start the server by itself; false leaves it to `vim.lsp.enable('manicule')`
---@field server_path string the program, `~/` for the home folder; when empty, $MANICULE_SERVER, then $PATH
---@field server_args string[] more arguments for `manicule lsp`
---@field code_lens boolean show the lens. In 0.12 lenses are switched on for the buffer, and so also those of its other servers
---@field signs boolean show a sign at the lines that memories are about, where no diagnostic has one
---@field sign_text string the sign, of one or two cells
---@field current_line boolean show at the end of the line that the cursor rests in the memory that is about it, who wrote it and when
---@field hover_key string|false buffer-local key for |:Manicule-hover|; false for none. An existing mapping stays
---@field hover_wait integer|false milliseconds after which |K| shows the memories while another server has not answered yet; false waits for all
---@field merge_hover boolean map |K| in the buffers of the server to |manicule.hover_all()|. Only 0.10 needs it
---@field picker string where lists are shown: "auto", "select" (|vim.ui.select()|), "snacks", "telescope", "fzf-lua" or "mini"
---@field settings table the server's own settings, which docs/editors.md lists
M.defaults = {
  autostart = true,
  server_path = '',
  server_args = {},
  code_lens = true,
  signs = true,
  sign_text = '☞',
  current_line = false,
  hover_key = 'gK',
  hover_wait = 500,
  merge_hover = false,
  picker = 'auto',
  settings = {},
}

--- The types of value that an option takes.
---@type table<string, string[]>
local kinds = {
  autostart = { 'boolean' },
  server_path = { 'string' },
  server_args = { 'table' },
  code_lens = { 'boolean' },
  signs = { 'boolean' },
  sign_text = { 'string' },
  current_line = { 'boolean' },
  hover_key = { 'string', 'boolean' },
  hover_wait = { 'number', 'boolean' },
  merge_hover = { 'boolean' },
  picker = { 'string' },
  settings = { 'table' },
}

--- The values of options that take only some.
---@type table<string, string[]>
local choices = { picker = { 'auto', 'select', 'snacks', 'telescope', 'fzf-lua', 'mini' } }

--- What is wrong with an option's value; nil when nothing is.
---@param name string
---@param value any
---@return string?
local function wrong(name, value)
  if not kinds[name] then return 'there is no such option' end
  if not vim.tbl_contains(kinds[name], type(value)) then
    return ('a %s is needed, not a %s'):format(table.concat(kinds[name], ' or '), type(value))
  end
  if choices[name] and not vim.tbl_contains(choices[name], value) then
    return ('one of %s is needed, not "%s"'):format(table.concat(choices[name], ', '), value)
  end
end

---@return manicule.Opts
local function given()
  local opts = vim.g.manicule
  if type(opts) == 'function' then opts = opts() end
  return type(opts) == 'table' and opts or {}
end

--- The options now. Wrong ones are left out; see problems().
---@return manicule.Config
function M.get()
  local config = vim.deepcopy(M.defaults)
  for name, value in pairs(given()) do
    if not wrong(name, value) then config[name] = value end
  end
  return config
end

--- Sentences about the options that were left out.
---@return string[]
function M.problems()
  local found = {}
  for name, value in pairs(given()) do
    local problem = wrong(name, value)
    if problem then found[#found + 1] = ('vim.g.manicule.%s: %s'):format(name, problem) end
  end
  table.sort(found)
  return found
end

--- A path with ~ for the person's home folder. Nothing else in it has a meaning:
--- vim.fn.expand() would match its * with files and run what stands in backticks.
---@param path string
---@return string
local function from_home(path)
  local below = path:match('^~([/\\].*)$')
  local home = below and vim.uv.os_homedir()
  return home and home .. below or path
end

--- A program by its name in $PATH, except for its relative folders and, on Windows, the current one, which exepath() looks in
--- first: the current folder may be a clone that anybody has written.
---@param name string
---@return string?
local function from_path(name)
  local windows = vim.fn.has('win32') == 1
  for folder in vim.gsplit(vim.env.PATH or '', windows and ';' or ':', { plain = true }) do
    local absolute = folder:match(windows and '^%a:[/\\]' or '^/') or windows and folder:match('^\\\\')
    local path = folder .. '/' .. name
    if absolute and vim.fn.executable(path) == 1 then return vim.fn.exepath(path) end
  end
end

--- Where the server is, or a sentence that says where it was looked for.
---@return string? path
---@return string? problem
function M.server()
  local places = {
    { 'vim.g.manicule.server_path', M.get().server_path },
    { '$MANICULE_SERVER', vim.env.MANICULE_SERVER or '' },
  }
  for _, place in ipairs(places) do
    local name, path = place[1], from_home(place[2])
    if path ~= '' then
      if vim.fn.executable(path) == 1 then return vim.fn.exepath(path) end
      return nil, ('%s names %s, which is not a program that can be run'):format(name, path)
    end
  end
  local path = from_path('manicule')
  if path then return path end
  return nil,
    'the manicule program is not in $PATH; install it, or name it in vim.g.manicule.server_path or $MANICULE_SERVER'
end

return M
