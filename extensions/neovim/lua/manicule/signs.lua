--- Signs at the lines that memories are about. They come with the answers to
--- the requests for lenses, so that they are where the lenses are.
local M = {}

local namespace = vim.api.nvim_create_namespace('manicule.signs')

--- Below the priority of diagnostics (10), whose signs say more.
local priority = 9

--- Shows signs at the lenses of a buffer, in place of those it had.
---@param bufnr integer
---@param lenses table[]
function M.show(bufnr, lenses)
  if not vim.api.nvim_buf_is_loaded(bufnr) then return end
  local options = require('manicule.config').get()
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  if not options.signs then return end
  local count = vim.api.nvim_buf_line_count(bufnr)
  for _, lens in ipairs(lenses) do
    local line = lens.range.start.line
    if line < count then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, line, 0, {
        sign_text = options.sign_text,
        sign_hl_group = 'ManiculeSign',
        priority = priority,
      })
    end
  end
end

--- Takes the signs of a buffer away.
---@param bufnr integer
function M.clear(bufnr)
  if vim.api.nvim_buf_is_valid(bufnr) then vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1) end
end

return M
