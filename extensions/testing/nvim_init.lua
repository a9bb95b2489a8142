-- The set-up of the editor under test: what a person would have, and nothing else.
vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.termguicolors = true
vim.o.swapfile = false
vim.o.shadafile = 'NONE'
vim.o.showmode = false
vim.o.autoindent = false
vim.opt.runtimepath:prepend(vim.env.MANICULE_E2E_PLUGIN)
for _, lua in ipairs(vim.fn.glob((vim.env.MANICULE_E2E_PLUGINS or '') .. '/*/lua', false, true)) do
  vim.opt.runtimepath:append(vim.fs.dirname(lua))
end
vim.diagnostic.config({ virtual_text = true }) -- off by default since 0.11
vim.keymap.set('n', 'gl', vim.lsp.codelens.run)

-- A second server that answers hover, to see that ours does not stand in its
-- way. It runs inside the editor: only its answers matter.
vim.api.nvim_create_user_command('OtherServer', function()
  local function other()
    local closing = false
    return {
      request = function(method, _, callback)
        local results = {
          initialize = { capabilities = { hoverProvider = true } },
          ['textDocument/hover'] = { contents = { kind = 'markdown', value = 'Answer of the other server' } },
        }
        vim.schedule(function() callback(nil, results[method]) end)
        return true, 1
      end,
      notify = function(method)
        closing = closing or method == 'exit'
        return true
      end,
      is_closing = function() return closing end,
      terminate = function() closing = true end,
    }
  end
  vim.lsp.start({ name = 'other', cmd = other, root_dir = vim.fn.getcwd() })
end, {})
