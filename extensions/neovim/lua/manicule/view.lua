--- A list of items with actions, in a window of its own: the review
--- queue, the stale queue, the tree, the log, the versions of a memory.
local client = require('manicule.client')

local M = {}

local namespace = vim.api.nvim_create_namespace('manicule.view')

--- A piece of a line: a text and its highlight group.
---@alias manicule.Chunk { [1]: string, [2]?: string }

--- An item of a view, with its lines.
---@class manicule.Block
---@field lines manicule.Chunk[][]
---@field item? table what the keys act on; without it the block is a heading
---@field id? string keeps the cursor where it is when the view is drawn again

--- A key of a view.
---@class manicule.Key
---@field [1] string the key
---@field [2] string what it does, for the help
---@field [3] fun(item: table, view: manicule.View) gets the item at the cursor
---@field any? boolean works without an item too

--- What a view shows.
---@class manicule.ViewSpec
---@field name string the buffer is manicule://NAME
---@field title string
---@field empty string the line that is shown when there is nothing
---@field keys manicule.Key[]
---@field load fun(view: manicule.View, show: fun(blocks: manicule.Block[])) asks the server
---@field split? boolean in a split beside the text instead of a floating window

--- An open view.
---@class manicule.View
---@field spec manicule.ViewSpec
---@field buf integer
---@field win integer
---@field from integer the window that it was opened from
---@field blocks manicule.Block[]
---@field starts integer[] the first line of each block, from 1
---@field help boolean
---@field asked integer how often the server was asked
---@field drawn? integer the question whose answer is shown

---@type table<string, manicule.View>
local open = {}

---@param view manicule.View
local function is_open(view)
  return vim.api.nvim_buf_is_valid(view.buf)
    and vim.api.nvim_win_is_valid(view.win)
    and vim.api.nvim_win_get_buf(view.win) == view.buf
end

--- The lines that explain the keys.
---@param view manicule.View
---@return manicule.Chunk[][]
local function help_lines(view)
  local lines = {}
  for _, key in ipairs(view.spec.keys) do
    lines[#lines + 1] = { { ('  %-5s'):format(key[1]), 'ManiculeKey' }, { ' ' .. key[2], 'Comment' } }
  end
  lines[#lines + 1] = {}
  return lines
end

---@param view manicule.View
---@return manicule.Block?, integer?
local function at_cursor(view)
  local line = vim.api.nvim_win_get_cursor(view.win)[1]
  for index = #view.starts, 1, -1 do
    if view.starts[index] <= line then return view.blocks[index], index end
  end
end

---@param lines manicule.Chunk[][]
---@return string[] texts
---@return { [1]: integer, [2]: integer, [3]: integer, [4]: string }[] marks row, first and last column, group
local function flat(lines)
  local texts, marks = {}, {}
  for row, chunks in ipairs(lines) do
    local text = ''
    for _, chunk in ipairs(chunks) do
      local part = chunk[1]:gsub('[\r\n]+', ' ')
      if chunk[2] then marks[#marks + 1] = { row - 1, #text, #text + #part, chunk[2] } end
      text = text .. part
    end
    texts[row] = text
  end
  return texts, marks
end

---@param view manicule.View
---@return manicule.Chunk[][]
local function all_lines(view)
  local lines = view.help and help_lines(view) or {}
  view.starts = {}
  for index, block in ipairs(view.blocks) do
    view.starts[index] = #lines + 1
    vim.list_extend(lines, block.lines)
  end
  if #view.blocks == 0 then lines[#lines + 1] = { { view.spec.empty, 'Comment' } } end
  return lines
end

--- Gives a floating window the height of what it shows.
---@param view manicule.View
---@param height integer
local function resize(view, height)
  if view.spec.split then return end
  local shape = M.shape(height)
  vim.api.nvim_win_set_config(view.win, shape)
end

--- Draws a view, with new blocks if given. The cursor stays at its item, or goes to
--- the next one when that is gone.
---@param view manicule.View
---@param blocks? manicule.Block[]
local function draw(view, blocks)
  if not is_open(view) then return end
  local block, index = at_cursor(view) -- before the blocks change
  view.blocks = blocks or view.blocks
  local lines = all_lines(view)
  local texts, marks = flat(lines)
  vim.bo[view.buf].modifiable = true
  vim.api.nvim_buf_set_lines(view.buf, 0, -1, false, texts)
  vim.bo[view.buf].modifiable = false
  vim.api.nvim_buf_clear_namespace(view.buf, namespace, 0, -1)
  for _, mark in ipairs(marks) do
    vim.api.nvim_buf_set_extmark(view.buf, namespace, mark[1], mark[2], { end_col = mark[3], hl_group = mark[4] })
  end
  resize(view, #texts)
  local target
  for at, candidate in ipairs(view.blocks) do
    if block and block.id and candidate.id == block.id then target = at end
  end
  target = target or math.min(index or 1, #view.blocks)
  while target > 0 and target < #view.blocks and not view.blocks[target].item do
    target = target + 1
  end
  vim.api.nvim_win_set_cursor(view.win, { math.min(view.starts[target] or 1, #texts), 0 })
end

--- The place and size of a floating window for a number of lines.
---@param height integer
---@return vim.api.keyset.win_config
function M.shape(height)
  local width = math.max(20, math.min(100, vim.o.columns - 6))
  height = math.max(1, math.min(height, vim.o.lines - 8))
  return {
    relative = 'editor',
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 2),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = height,
  }
end

---@param spec manicule.ViewSpec
---@param buf integer
---@return integer window
local function open_window(spec, buf)
  if spec.split then
    vim.cmd('botright vertical 46split')
    vim.api.nvim_win_set_buf(0, buf)
    vim.wo.winfixwidth = true
  else
    local shape = M.shape(3)
    shape.style, shape.border, shape.title, shape.title_pos =
      'minimal', 'rounded', (' %s '):format(spec.title), 'center'
    shape.footer, shape.footer_pos = ' ? help  q close ', 'right'
    vim.api.nvim_open_win(buf, true, shape)
  end
  local win = vim.api.nvim_get_current_win()
  for option, value in pairs({
    wrap = not spec.split,
    linebreak = true,
    breakindent = true,
    cursorline = true,
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    list = false,
    spell = false,
  }) do
    vim.api.nvim_set_option_value(option, value, { win = win, scope = 'local' })
  end
  return win
end

--- Closes a view, and goes back to the window that it was opened from.
---@param view manicule.View
function M.close(view)
  if vim.api.nvim_win_is_valid(view.win) then
    if #vim.api.nvim_list_wins() > 1 then
      vim.api.nvim_win_close(view.win, true)
    else
      vim.cmd.enew()
    end
  end
  if vim.api.nvim_win_is_valid(view.from) then vim.api.nvim_set_current_win(view.from) end
end

---@param view manicule.View
local function map_keys(view)
  local function map(key, about, run)
    vim.keymap.set('n', key, run, { buffer = view.buf, nowait = true, silent = true, desc = 'Manicule: ' .. about })
  end
  for _, key in ipairs(view.spec.keys) do
    map(key[1], key[2], function()
      local block = at_cursor(view)
      local item = block and block.item
      if item or key.any then key[3](item or {}, view) end
    end)
  end
end

--- The keys that every view has.
---@type manicule.Key[]
M.common_keys = {
  { 'r', 'ask the server again', function(_, view) M.refresh(view) end, any = true },
  { 'q', 'close', function(_, view) M.close(view) end, any = true },
  {
    '?',
    'show or hide this help',
    function(_, view)
      view.help = not view.help
      draw(view)
    end,
    any = true,
  },
}

--- How many items a queue asks for: a person decides one after the other.
M.most = 300

--- Blocks of a queue's first items, with a line that says how many more there are.
---@param blocks manicule.Block[]
---@param total? integer
---@return manicule.Block[]
function M.rest(blocks, total)
  local more = (total or 0) - #blocks
  if more <= 0 then return blocks end
  blocks[#blocks + 1] = { lines = { {}, { { ('%d more, when these are decided'):format(more), 'Comment' } } } }
  return blocks
end

--- Requests the items of a view and draws them. An answer that comes after that of
--- a later request is dropped.
---@param view manicule.View
function M.refresh(view)
  if not is_open(view) then return end
  view.asked = view.asked + 1
  local turn = view.asked
  view.spec.load(view, function(blocks)
    if turn < (view.drawn or 0) then return end
    view.drawn = turn
    draw(view, blocks)
  end)
end

--- Refreshes every view that is open.
function M.refresh_all()
  for _, view in pairs(open) do
    M.refresh(view)
  end
end

--- Takes away the buffers that a session has in the place of views: they have their
--- names, and are empty.
---@return table<string, true> the names of the views that were open
function M.leftovers()
  local found = {}
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buf):match('^manicule://(.+)$')
    if name and vim.bo[buf].filetype ~= 'manicule' then
      found[name] = #vim.fn.win_findbuf(buf) > 0 or nil
      for _, win in ipairs(vim.fn.win_findbuf(buf)) do
        pcall(vim.api.nvim_win_close, win, true) -- not the last one
      end
      vim.api.nvim_buf_delete(buf, { force = true })
    end
  end
  return found
end

--- Opens a view, or goes to it when it is open.
---@param spec manicule.ViewSpec
---@return manicule.View
function M.open(spec)
  local known = open[spec.name]
  local current = vim.api.nvim_get_current_buf()
  if known and is_open(known) then
    client.follow(known.buf, current)
    vim.api.nvim_set_current_win(known.win)
    M.refresh(known)
    return known
  end
  spec.keys = vim.list_extend(vim.deepcopy(spec.keys), M.common_keys)
  local from = vim.api.nvim_get_current_win()
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, 'manicule://' .. spec.name)
  vim.bo[buf].bufhidden, vim.bo[buf].filetype = 'wipe', 'manicule'
  client.follow(buf, current)
  local view = { spec = spec, buf = buf, from = from, blocks = {}, starts = {}, help = false, asked = 0 }
  view.win = open_window(spec, buf)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, { '…' })
  vim.bo[buf].modifiable = false
  map_keys(view)
  open[spec.name] = view
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    callback = function()
      if open[spec.name] == view then open[spec.name] = nil end
    end,
  })
  M.refresh(view)
  return view
end

return M
