--- The lens: switched on in 0.12, where the editor keeps it up to date; asked
--- for and shown by us in 0.10 and 0.11, where the editor leaves that to the caller.
local M = {}

local method = 'textDocument/codeLens'

--- Fills in the lenses that came without a title, then calls done. (0.10 would
--- show "Unresolved lens ..." until the last one is there.)
---@param client vim.lsp.Client
---@param bufnr integer
---@param lenses table[]
---@param done fun()
local function resolve(client, bufnr, lenses, done)
  local open = 1
  local function one_less()
    open = open - 1
    if open == 0 then done() end
  end
  for _, lens in ipairs(lenses) do
    if not lens.command then
      open = open + 1
      require('manicule.client').request(client, 'codeLens/resolve', lens, function(_, resolved)
        lens.command = resolved and resolved.command
        one_less()
      end, bufnr)
    end
  end
  one_less()
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
    if err or not lenses then return end
    resolve(client, bufnr, lenses, function()
      if not vim.api.nvim_buf_is_loaded(bufnr) then return end
      if vim.api.nvim_buf_get_changedtick(bufnr) ~= tick then return end
      vim.lsp.codelens.on_codelens(nil, lenses, ctx)
      lenses_first(client.id, bufnr)
    end)
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

--- 0.12 marks a line for drawing when its lens got a title, and leaves the
--- drawing to whatever happens next: without this, the title appears with the
--- next key.
---@param client_id integer
local function draw_when_resolved(client_id)
  vim.api.nvim_create_autocmd('LspRequest', {
    group = vim.api.nvim_create_augroup('manicule.lens.drawing.' .. client_id, {}),
    callback = function(event)
      local data = event.data
      if data.client_id ~= client_id or data.request.type ~= 'complete' then return end
      if data.request.method == 'codeLens/resolve' then vim.schedule(vim.cmd.redraw) end
    end,
  })
end

--- Shows the lenses of a buffer from now on.
---@param client vim.lsp.Client
---@param bufnr integer
function M.attach(client, bufnr)
  if vim.lsp.codelens.enable then
    draw_when_resolved(client.id)
    vim.lsp.codelens.enable(true, { bufnr = bufnr })
    return
  end
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
