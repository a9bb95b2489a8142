--- The lens: switched on in 0.12, where the editor keeps it up to date; asked
--- for and shown by us in 0.10 and 0.11, where the editor leaves that to the caller.
local M = {}

local method = 'textDocument/codeLens'

--- Resolves the lenses without a title, then calls done.
---@param request function sends a request to the server
---@param lenses table[]
---@param done fun()
local function resolve(request, lenses, done)
  local open = 1
  local function one_less()
    open = open - 1
    if open == 0 then done() end
  end
  for _, lens in ipairs(lenses) do
    if not lens.command then
      open = open + 1
      local sent = request('codeLens/resolve', lens, function(_, resolved)
        lens.command = resolved and resolved.command
        one_less()
      end)
      if not sent then one_less() end
    end
  end
  one_less()
end

--- Puts signs at the lines of lenses, whatever requested them.
---@param uri string
---@param lenses table[]
local function show_signs(uri, lenses)
  local client = require('manicule.client')
  local bufnr = client.loaded(vim.uri_to_fname(uri))
  if bufnr and client.of(bufnr) then require('manicule.signs').show(bufnr, lenses) end
end

--- What the editor was told last about a buffer.
---@type table<integer, { version: integer?, lenses: table[] }>
local told = {}
--- The clients whose lenses are about to be drawn anew.
---@type table<integer, true?>
local drawing = {}

--- Has lenses drawn anew that changed while the text did not. 0.12 does so when the server tells it to ask,
--- and not when it asks by itself: what it asked after a text was loaded again would stay unseen till somebody types.
---@param uri string
---@param lenses table[]
local function drawn(uri, lenses)
  local client = require('manicule.client')
  local bufnr = client.loaded(vim.uri_to_fname(uri))
  local own = bufnr and client.of(bufnr)
  if not own or not vim.lsp.codelens.enable then return end
  local before, version = told[bufnr], vim.lsp.util.buf_versions[bufnr]
  told[bufnr] = { version = version, lenses = lenses }
  if drawing[own.id] or not before or before.version ~= version or vim.deep_equal(before.lenses, lenses) then return end
  drawing[own.id] = true -- once for all that changed at the same time
  vim.defer_fn(function()
    drawing[own.id] = nil
    vim.lsp.handlers['workspace/codeLens/refresh'](nil, nil, { client_id = own.id })
  end, 50)
end

--- Resolves lenses before the editor sees them, whatever requested them.
---
--- 0.12 asks more than once for the lenses of one version of a text: twice when
--- a client is attached, and whenever the server tells it to. It asks for a title
--- when it first draws the line, throws the title away when other lenses came
--- meanwhile, and looks at the line again only in another version of the text:
--- till somebody types, an empty line would stand in the place of the lens.
--- 0.10 would show "Unresolved lens ..." until the last title is there.
---@param rpc vim.lsp.rpc.PublicClient the connection to the server
---@return vim.lsp.rpc.PublicClient
function M.with_titles(rpc)
  local request = rpc.request
  rpc.request = function(asked, params, callback, ...)
    if asked ~= method then return request(asked, params, callback, ...) end
    return request(asked, params, function(err, lenses, id)
      local all = type(lenses) == 'table' and lenses or {}
      resolve(request, all, function()
        if not err then
          vim.schedule(function()
            show_signs(params.textDocument.uri, all)
            drawn(params.textDocument.uri, all)
          end)
        end
        callback(err, lenses, id)
      end)
    end, ...)
  end
  return rpc
end

--- Puts the lenses before the texts of diagnostics in the same line. Of equal
--- priority, the one that came last would be pushed off the screen.
---@param client_id integer
---@param bufnr integer
local function lenses_first(client_id, bufnr)
  local ns = vim.api.nvim_get_namespaces()['vim_lsp_codelens:' .. client_id]
  if not ns then return end
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, ns, 0, -1, { details = true })) do
    local id, row, col, details = unpack(mark)
    vim.api.nvim_buf_set_extmark(bufnr, ns, row, col, {
      id = id,
      virt_text = details.virt_text,
      hl_mode = 'combine',
      priority = 1,
    })
  end
end

--- Asks the server for the lenses of a buffer and shows them, unless the text
--- changed meanwhile: then a later event asks again.
---@param client vim.lsp.Client
---@param bufnr integer
local function refresh(client, bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then return end
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  require('manicule.client').request(client, method, params, function(err, lenses, ctx)
    if err or not lenses or not vim.api.nvim_buf_is_loaded(bufnr) then return end
    if vim.api.nvim_buf_get_changedtick(bufnr) ~= tick then return end
    if not require('manicule.config').get().code_lens or vim.lsp.codelens.enable then return end
    vim.lsp.codelens.on_codelens(nil, lenses, ctx)
    lenses_first(client.id, bufnr)
  end, bufnr)
end

--- Refreshes the lenses of every buffer of a client, as the server asks for
--- when memories changed.
---@param client_id integer
function M.refresh_all(client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  for bufnr in pairs(client and client.attached_buffers or {}) do
    refresh(client, bufnr)
  end
end

--- Shows the lenses and signs of a buffer from now on.
---@param client vim.lsp.Client
---@param bufnr integer
function M.attach(client, bufnr)
  local options = require('manicule.config').get()
  if options.code_lens and vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = bufnr })
    return
  end
  if not options.code_lens and not options.signs then return end
  refresh(client, bufnr)
  local group = vim.api.nvim_create_augroup('manicule.lens.' .. bufnr, {})
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged', 'BufWritePost' }, {
    group = group,
    buffer = bufnr,
    callback = function()
      local now = require('manicule.client').of(bufnr)
      if not now then return true end
      refresh(now, bufnr)
    end,
  })
end

return M
