if vim.g.loaded_manicule then return end
vim.g.loaded_manicule = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify('manicule: Neovim 0.10 or newer is needed', vim.log.levels.WARN)
  return
end

-- Nothing else of the plugin is loaded until a file is opened or a command is used.
vim.api.nvim_create_user_command('Manicule', function(call) require('manicule').command(call) end, {
  nargs = '+',
  range = true,
  complete = function(...) return require('manicule.commands').complete(...) end,
  desc = 'Manicule: memories in the margin',
})

for _, name in ipairs({
  'correct',
  'dispute',
  'edit',
  'history',
  'hover',
  'impact',
  'menu',
  'recall',
  'remember',
  'review',
  'search',
  'show',
  'stale',
  'teach',
  'threads',
  'tree',
}) do
  vim.keymap.set('n', ('<Plug>(manicule-%s)'):format(name), ('<Cmd>Manicule %s<CR>'):format(name))
end
vim.keymap.set('x', '<Plug>(manicule-remember)', ':Manicule remember<CR>')

-- A plugin manager may load it late.
local late = vim.v.vim_did_enter == 1
for _, buf in ipairs(vim.api.nvim_list_bufs()) do
  late = late or vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf) ~= ''
end
if late then
  require('manicule').enable()
else
  vim.api.nvim_create_autocmd({ 'BufReadPre', 'BufNewFile', 'LspAttach' }, {
    group = vim.api.nvim_create_augroup('manicule', {}),
    callback = function(event)
      require('manicule').enable()
      if event.event == 'LspAttach' then require('manicule').attached(event) end
    end,
  })
end
