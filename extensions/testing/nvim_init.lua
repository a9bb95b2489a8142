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

-- Servers that answer hover, to see that ours does not stand in their way. They run
-- inside the editor: only their answers matter.
local function start(name, text, answer)
  local function server()
    local closing = false
    return {
      request = function(method, _, callback)
        local results = {
          initialize = { capabilities = { hoverProvider = true } },
          ['textDocument/hover'] = { contents = { kind = 'markdown', value = text } },
        }
        answer(method, function() callback(nil, results[method]) end)
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
  vim.lsp.start({ name = name, cmd = server, root_dir = vim.fn.getcwd() })
end

vim.api.nvim_create_user_command('OtherServer', function()
  start('other', 'Answer of the other server', function(_, done) vim.schedule(done) end)
end, {})

-- One whose hovers wait for answer_hovers().
local waiting = {}
vim.api.nvim_create_user_command('SlowServer', function()
  start('slow', 'Answer of the slow server', function(method, done)
    if method ~= 'textDocument/hover' then return vim.schedule(done) end
    waiting[#waiting + 1] = done
  end)
end, {})

function _G.answer_hovers()
  for _, done in ipairs(waiting) do
    vim.schedule(done)
  end
  waiting = {}
end
