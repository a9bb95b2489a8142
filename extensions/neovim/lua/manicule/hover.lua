--- Hovers: the memories alone, or the hovers of all servers, one below the other.
local client = require('manicule.client')

local M = {}

---@param hover table?
---@return string[]
local function lines_of(hover)
  local contents = hover and hover.contents
  if not contents or contents == '' then return {} end
  if type(contents) == 'table' and contents.kind == 'plaintext' then
    return contents.value == '' and {}
      or vim.list_extend(vim.list_extend({ '```' }, vim.split(contents.value, '\n')), { '```' })
  end
  local lines = vim.lsp.util.convert_input_to_markdown_lines(contents)
  return table.concat(lines) == '' and {} or lines
end

---@param lines string[]
---@param focus_id string a second call goes into the window
local function show(lines, focus_id)
  vim.lsp.util.open_floating_preview(lines, 'markdown', { focus_id = focus_id, focusable = true, border = 'rounded' })
end

--- Shows the memories at the cursor in a window of their own, in every version
--- and beside every other server.
function M.memories()
  local bufnr = vim.api.nvim_get_current_buf()
  client.ask(bufnr, 'textDocument/hover', client.cursor(bufnr), function(result)
    local lines = lines_of(result)
    if #lines == 0 then return client.none_here() end
    show(lines, 'manicule.hover')
  end)
end

--- The clients to ask: all that answer hovers, and ours in any case (in
--- 0.10 it does not offer them beside another, see client.settle_hover).
---@param bufnr integer
---@return vim.lsp.Client[]
local function asked(bufnr)
  local found = {}
  for _, each in ipairs(vim.lsp.get_clients({ bufnr = bufnr })) do
    if each.name == client.name or each.server_capabilities.hoverProvider then found[#found + 1] = each end
  end
  table.sort(found, function(a, b) -- the language first, the margin below it
    if (a.name == client.name) ~= (b.name == client.name) then return b.name == client.name end
    return a.id < b.id
  end)
  return found
end

---@param clients vim.lsp.Client[]
---@param answers table<integer, string[]>
---@return string[]
local function merged(clients, answers)
  local with = vim.tbl_filter(function(each) return #(answers[each.id] or {}) > 0 end, clients)
  local lines = {}
  for index, each in ipairs(with) do
    if #with > 1 then lines[#lines + 1] = '# ' .. each.name end
    vim.list_extend(lines, answers[each.id])
    if index < #with then lines[#lines + 1] = '---' end
  end
  return lines
end

--- Shows what all servers say at the cursor in one window, as 0.11 and newer do
--- by themselves. Before, the answers fight for one window: the second is never
--- shown, and the cursor jumps into the first.
function M.all()
  local bufnr, win = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  local at, tick = vim.api.nvim_win_get_cursor(win), vim.api.nvim_buf_get_changedtick(bufnr)
  local clients, answers = asked(bufnr), {}
  local open = #clients
  local function one_less()
    open = open - 1
    if open > 0 or vim.api.nvim_get_current_win() ~= win or vim.api.nvim_get_current_buf() ~= bufnr then return end
    if not vim.deep_equal(at, vim.api.nvim_win_get_cursor(win)) then return end
    if tick ~= vim.api.nvim_buf_get_changedtick(bufnr) then return end
    local lines = merged(clients, answers)
    if #lines == 0 then return vim.notify('No information available') end
    show(lines, 'manicule.hover_all')
  end
  if open == 0 then return vim.notify('No information available') end
  for _, each in ipairs(clients) do
    local params = vim.lsp.util.make_position_params(win, each.offset_encoding)
    local sent = client.request(each, 'textDocument/hover', params, function(_, result)
      answers[each.id] = lines_of(result)
      one_less()
    end, bufnr)
    if not sent then one_less() end
  end
end

return M
