--- Manicule in Neovim: starts the language server and wires what the editor
--- leaves open. Everything else is the server's work.
local client = require('manicule.client')
local config = require('manicule.config')

local M = {}

local enabled = false

---@param bufnr integer
---@param key string|false
---@param run fun()
---@param about string
---@param over boolean take the key from what has it
local function map(bufnr, key, run, about, over)
  if not key or key == '' or (not over and vim.fn.maparg(key, 'n') ~= '') then return end
  vim.keymap.set('n', key, run, { buffer = bufnr, desc = 'Manicule: ' .. about })
end

---@param event { buf: integer, data: { client_id: integer } }
local function on_attach(event)
  local attached = vim.lsp.get_client_by_id(event.data.client_id)
  if attached and attached.name == client.name then
    local options = config.get()
    map(event.buf, options.hover_key, M.hover, 'memories at the cursor', false)
    if options.merge_hover then map(event.buf, 'K', M.hover_all, 'what all servers say', true) end
    require('manicule.lens').attach(attached, event.buf)
    if options.current_line then require('manicule.current_line').attach(event.buf) end
    require('manicule.status').refresh()
  end
  client.settle_hover()
end

---@param event { buf: integer, data: { client_id: integer } }
local function on_detach(event)
  local gone = vim.lsp.get_client_by_id(event.data.client_id)
  if gone and gone.name == client.name then require('manicule.signs').clear(event.buf) end
  vim.schedule(client.settle_hover) -- after the client is gone
end

---@param event { data: { client_id: integer } }
local function on_progress(event)
  local from = vim.lsp.get_client_by_id(event.data.client_id)
  if from and from.name == client.name then require('manicule.status').refresh() end
end

--- Opens the tree again that a session had, beside the text, as soon as a server runs.
local function on_session()
  if not require('manicule.view').leftovers().tree then return end
  local win = vim.api.nvim_get_current_win()
  local function reopen()
    require('manicule.tree').open()
    if vim.api.nvim_win_is_valid(win) then vim.api.nvim_set_current_win(win) end
  end
  if #client.running() > 0 then return reopen() end
  vim.api.nvim_create_autocmd('LspAttach', {
    group = 'manicule',
    callback = function(event)
      local attached = vim.lsp.get_client_by_id(event.data.client_id)
      if not attached or attached.name ~= client.name then return end
      vim.schedule(reopen)
      return true
    end,
  })
end

--- Starts the server for the files that are open and will be opened.
local function autostart()
  if vim.lsp.enable then
    vim.lsp.enable(client.name)
    return
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = 'manicule',
    callback = function(event) client.attach(event.buf) end,
  })
end

-- Sets up the autocommands, and starts the server unless `autostart` is false. Called with the
-- first file.
function M.enable()
  if enabled then return end
  enabled = true
  local group = vim.api.nvim_create_augroup('manicule', {})
  local function on(event, callback) vim.api.nvim_create_autocmd(event, { group = group, callback = callback }) end
  on('LspAttach', on_attach)
  on('LspDetach', on_detach)
  on('LspProgress', on_progress)
  on('BufEnter', function() client.settle_hover() end)
  on('BufFilePre', function(event) client.renaming(event.buf) end)
  on('WinEnter', function() require('manicule.hover').entered() end)
  on('SessionLoadPost', on_session)
  on('ColorScheme', function() require('manicule.item').define_highlights() end)
  require('manicule.item').define_highlights()
  if config.get().autostart then autostart() end
end

-- A server is there before the plugin was set up.
M.attached = on_attach

-- Runs :Manicule.
function M.command(call)
  M.enable()
  require('manicule.commands').run(call)
end

--- Shows the memories at the cursor in a window of their own, in every version
--- and beside every other server.
function M.hover() require('manicule.hover').memories() end

--- Shows what all servers of the buffer say at the cursor, in one window. In
--- 0.11 and newer |K| does that by itself.
function M.hover_all() require('manicule.hover').all() end

--- The text for a statusline: how many memories the open folders have, and what
--- waits for you ("☞ 12 · 3 to review · 1 stale"). Empty while no server runs.
--- It asks nobody, so it may be called as often as the statusline is drawn: >vim
---     set statusline+=%{v:lua.require'manicule'.status()}
--- <
---@return string
function M.status() return require('manicule.status').text() end

--- The numbers behind |manicule.status()|, for a statusline of your own; nil while
--- no server runs. `indexing` is how much of the code is read, in percent, and
--- absent when all is.
---@return { memories: integer, candidates: integer, stale: integer, orphaned: integer, invalid: integer, indexing?: integer }?
function M.numbers() return require('manicule.status').numbers() end

--- Opens the review queue.
function M.review() require('manicule.review').open() end

--- Opens the queue of memories that lost their code.
function M.stale() require('manicule.stale').open() end

--- Searches the memories.
---@param text? string asked for when missing
function M.search(text) require('manicule.find').search(vim.api.nvim_get_current_buf(), text) end

--- Lists all memories of a file.
---@param path? string default: the current file
function M.recall(path) require('manicule.find').recall(vim.api.nvim_get_current_buf(), path) end

return M
