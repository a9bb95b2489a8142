--- Chooses one of a memory's anchors, and names places.
local client = require('manicule.client')

local M = {}

---@param memory manicule.Item
---@return table[]
local function read(memory)
  if not memory.uri then return {} end
  local ok, lines = pcall(vim.fn.readfile, vim.uri_to_fname(memory.uri))
  if not ok then return {} end
  local decoded, content = pcall(vim.json.decode, table.concat(lines, '\n'), { luanil = { object = true } })
  return decoded and type(content) == 'table' and content.anchors or {}
end

---@param anchor table
local function describe(anchor)
  local first = vim.tbl_get(anchor, 'lines', 'start')
  local place = first and ':' .. first or anchor.symbol and '#' .. anchor.symbol or ''
  return (anchor.path or '?') .. place
end

--- Gives the index of an anchor to a function, from 0. A person is asked when
--- a memory has several.
---@param memory manicule.Item
---@param done fun(index: integer)
function M.choose(memory, done)
  local all = read(memory)
  if #all < 2 then return done(0) end
  vim.ui.select(all, { prompt = 'Which place?', kind = 'manicule', format_item = describe }, function(_, index)
    if index then done(index - 1) end
  end)
end

--- The place of the cursor in the window that a list was opened from, as
--- FILE:LINE; empty when that is no file of the workspace.
---@param list manicule.View
---@return string
function M.here(list)
  if not vim.api.nvim_win_is_valid(list.from) then return '' end
  local buf = vim.api.nvim_win_get_buf(list.from)
  local root = client.root(buf)
  local path = vim.api.nvim_buf_get_name(buf)
  if not root or vim.bo[buf].buftype ~= '' or not vim.startswith(path, root .. '/') then return '' end
  return ('%s:%d'):format(path:sub(#root + 2), vim.api.nvim_win_get_cursor(list.from)[1])
end

return M
