if vim.g.loaded_manicule then return end
vim.g.loaded_manicule = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify('manicule: Neovim 0.10 or newer is needed', vim.log.levels.WARN)
  return
end
require('manicule').enable()
