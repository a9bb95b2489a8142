-- Drives a real Neovim with the plugin and the real server, and asserts on its
-- screen. Run by run-nvim.sh: nvim -l nvim_e2e.lua.
local here = debug.getinfo(1, 'S').source:match('^@(.*)/[^/]*$')
local harness = dofile(here .. '/nvim_harness.lua')

local steps = {}
local parts = vim.env.MANICULE_E2E_PARTS or 'margin,acts,queues,lists,beside'
for _, part in ipairs(vim.split(parts, ',')) do
  vim.list_extend(steps, assert(loadfile(('%s/nvim_%s.lua'):format(here, part)))(harness))
end
harness.run(steps)
