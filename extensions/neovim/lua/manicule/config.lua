--- The options of the plugin: their defaults, and what is wrong with what the
--- person gave. Owns vim.g.manicule, and must not know the language server.
local M = {}

--- What a person may put into vim.g.manicule (a table, or a function that returns one).
---@class manicule.Opts
---@field autostart? boolean
---@field server_path? string
---@field server_args? string[]
---@field code_lens? boolean
---@field hover_key? string|false
---@field settings? table

--- The options with the defaults filled in.
---@class manicule.Config
---@field autostart boolean start the server by itself; false leaves it to vim.lsp.enable('manicule')
---@field server_path string the binary; '' looks in $MANICULE_SERVER and in $PATH
---@field server_args string[] more arguments for `manicule lsp`
---@field code_lens boolean show the lens
---@field hover_key string|false buffer-local key that shows the memories at the cursor
---@field settings table answers to the server's workspace/configuration requests
local defaults = {
  autostart = true,
  server_path = '',
  server_args = {},
  code_lens = true,
  hover_key = 'gK',
  settings = {},
}

---@type table<string, string[]>
local kinds = {
  autostart = { 'boolean' },
  server_path = { 'string' },
  server_args = { 'table' },
  code_lens = { 'boolean' },
  hover_key = { 'string', 'boolean' },
  settings = { 'table' },
}

---@return manicule.Opts
local function given()
  local opts = vim.g.manicule
  if type(opts) == 'function' then opts = opts() end
  return type(opts) == 'table' and opts or {}
end

--- The options now. Wrong ones are left out; see problems().
---@return manicule.Config
function M.get()
  local config = vim.deepcopy(defaults)
  for name, value in pairs(given()) do
    if kinds[name] and vim.tbl_contains(kinds[name], type(value)) then config[name] = value end
  end
  return config
end

--- Sentences about the options that were left out.
---@return string[]
function M.problems()
  local found = {}
  for name, value in pairs(given()) do
    if not kinds[name] then
      found[#found + 1] = ('vim.g.manicule.%s: there is no such option'):format(name)
    elseif not vim.tbl_contains(kinds[name], type(value)) then
      found[#found + 1] = ('vim.g.manicule.%s: a %s is needed, not a %s'):format(
        name,
        table.concat(kinds[name], ' or '),
        type(value)
      )
    end
  end
  table.sort(found)
  return found
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
    local name, path = place[1], vim.fn.expand(place[2])
    if path ~= '' then
      if vim.fn.executable(path) == 1 then return vim.fn.exepath(path) end
      return nil, ('%s names %s, which is not a program that can be run'):format(name, path)
    end
  end
  local path = vim.fn.exepath('manicule')
  if path ~= '' then return path end
  return nil,
    'the manicule program is not in $PATH; install it, or name it in vim.g.manicule.server_path or $MANICULE_SERVER'
end

return M
