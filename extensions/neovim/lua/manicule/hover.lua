--- Hovers: the memories alone, or the hovers of all servers, one below the other.
local client = require('manicule.client')

local M = {}

local method = 'textDocument/hover'
local own_focus, all_focus = 'manicule.hover', 'manicule.hover_all'
local asks_alone = false -- while |M.memories()| sends its request

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
  local border = vim.fn.exists('+winborder') == 1 and vim.o.winborder ~= '' and vim.o.winborder or 'rounded'
  vim.lsp.util.open_floating_preview(lines, 'markdown', { focus_id = focus_id, focusable = true, border = border })
end

--- The buffer that the hover of a window is about; nil for another window.
---@param win integer
---@return integer?
local function hover_of(win)
  if vim.api.nvim_win_get_config(win).relative == '' then return end
  return vim.w[win][method] or vim.w[win][own_focus] or vim.w[win][all_focus]
end

--- Gives the window of a hover the keys for its memories, when it is entered.
function M.entered()
  local win = vim.api.nvim_get_current_win()
  local bufnr = hover_of(win)
  if bufnr and client.of(bufnr) then require('manicule.acts').map(win, bufnr) end
end

--- Shows the memories at the cursor in a window of their own, in every version
--- and beside every other server.
function M.memories()
  local bufnr = vim.api.nvim_get_current_buf()
  asks_alone = true
  client.ask(bufnr, method, client.cursor(bufnr), function(result)
    local lines = lines_of(result)
    if #lines == 0 then return client.none_here() end
    show(lines, own_focus)
  end)
  asks_alone = false
end

--- The names of the servers that were asked for a hover of a buffer and did not answer yet.
---@param bufnr integer
---@return string[]
local function silent(bufnr)
  local names = {}
  for _, each in ipairs(vim.lsp.get_clients({ bufnr = bufnr })) do
    for _, sent in pairs(each.requests or {}) do
      if sent.type == 'pending' and sent.method == method and sent.bufnr == bufnr then names[#names + 1] = each.name end
    end
  end
  return names
end

--- Shows the memories while other servers still think, if the person waits at the
--- same place. What the editor shows when all have answered takes the window's place.
---@param bufnr integer
---@param at { [1]: integer, [2]: integer }
---@param result table?
local function show_meanwhile(bufnr, at, result)
  if vim.api.nvim_get_current_buf() ~= bufnr or not vim.deep_equal(vim.api.nvim_win_get_cursor(0), at) then return end
  local names, lines = silent(bufnr), lines_of(result)
  if #names == 0 or #lines == 0 then return end
  local open = vim.b[bufnr].lsp_floating_preview
  if open and vim.api.nvim_win_is_valid(open) and hover_of(open) then
    vim.api.nvim_set_current_win(open) -- asked again: the person wants to go there
    return
  end
  vim.list_extend(lines, { '---', ('*%s has not answered yet*'):format(table.concat(names, ', ')) })
  show(lines, own_focus)
end

--- Adds the keys to the memories of a hover, whatever asked for it, and shows them alone when
--- another server is slow: the editor waits for all.
---@param rpc vim.lsp.rpc.PublicClient the connection to the server
---@return vim.lsp.rpc.PublicClient
function M.with_keys(rpc)
  local request = rpc.request
  rpc.request = function(asked, params, callback, ...)
    if asked ~= method then return request(asked, params, callback, ...) end
    local wait = not asks_alone and require('manicule.config').get().hover_wait
    local bufnr, at, from = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0), vim.uv.hrtime()
    return request(asked, params, function(err, result, ...)
      local contents = result and result.contents
      if type(contents) == 'table' and contents.kind == 'markdown' then
        local conflict = contents.value:find(': a person decides', 1, true) ~= nil
        local acts = require('manicule.acts')
        contents.value = acts.with_short_links(contents.value:gsub('%s+$', '')) .. '\n\n' .. acts.footer(conflict)
        if type(wait) == 'number' then
          local passed = (vim.uv.hrtime() - from) / 1e6
          vim.defer_fn(function() show_meanwhile(bufnr, at, result) end, math.max(0, math.floor(wait - passed)))
        end
      end
      callback(err, result, ...)
    end, ...)
  end
  return rpc
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
    show(lines, all_focus)
  end
  if open == 0 then return vim.notify('No information available') end
  for _, each in ipairs(clients) do
    local params = vim.lsp.util.make_position_params(win, each.offset_encoding)
    local sent = client.request(each, method, params, function(_, result)
      answers[each.id] = lines_of(result)
      one_less()
    end, bufnr)
    if not sent then one_less() end
  end
end

return M
