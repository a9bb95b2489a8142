--- Manicule in Neovim: starts the language server and wires what the editor
--- leaves open. Everything else is the server's work.
local client = require('manicule.client')
local config = require('manicule.config')

local M = {}

---@param bufnr integer
local function map_hover_key(bufnr)
  local key = config.get().hover_key
  if not key or key == '' or vim.fn.maparg(key, 'n') ~= '' then return end
  vim.keymap.set('n', key, M.hover, { buffer = bufnr, desc = 'Manicule: memories at the cursor' })
end

---@param event { buf: integer, data: { client_id: integer } }
local function on_attach(event)
  local attached = vim.lsp.get_client_by_id(event.data.client_id)
  if attached and attached.name == client.name then
    map_hover_key(event.buf)
    if config.get().code_lens then require('manicule.lens').attach(attached, event.buf) end
  end
  client.settle_hover()
end

--- Sets up the autocommands and the :Manicule command, and starts the server
--- for the files that are open and will be opened.
function M.enable()
  local group = vim.api.nvim_create_augroup('manicule', {})
  vim.api.nvim_create_autocmd('LspAttach', { group = group, callback = on_attach })
  vim.api.nvim_create_autocmd('LspDetach', {
    group = group,
    callback = function() vim.schedule(client.settle_hover) end, -- after the client is gone
  })
  vim.api.nvim_create_autocmd('BufEnter', {
    group = group,
    callback = function() client.settle_hover() end,
  })
  require('manicule.commands').create()
  if not config.get().autostart then return end
  if vim.lsp.enable then
    vim.lsp.enable(client.name)
  else
    vim.api.nvim_create_autocmd('FileType', {
      group = group,
      callback = function(event) client.attach(event.buf) end,
    })
  end
end

--- Shows the memories at the cursor in a window of their own, in every version
--- and beside every other server.
function M.hover()
  local bufnr = vim.api.nvim_get_current_buf()
  local own = client.of(bufnr)
  if not own then
    vim.notify('manicule: the server does not run for this file. See :checkhealth manicule')
    return
  end
  local params = vim.lsp.util.make_position_params(0, own.offset_encoding)
  client.request(own, 'textDocument/hover', params, function(err, result)
    if err then
      vim.notify('manicule: ' .. err.message, vim.log.levels.ERROR)
    elseif not result or not result.contents then
      vim.notify('No memories here')
    else
      local lines = vim.lsp.util.convert_input_to_markdown_lines(result.contents)
      vim.lsp.util.open_floating_preview(lines, 'markdown', { focus_id = 'manicule.hover', border = 'rounded' })
    end
  end, bufnr)
end

return M
