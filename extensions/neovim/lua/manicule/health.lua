--- :checkhealth manicule
local M = {}

local function check_editor()
  local version = vim.version()
  local text = ('Neovim %d.%d.%d'):format(version.major, version.minor, version.patch)
  if vim.fn.has('nvim-0.10') == 1 then
    vim.health.ok(text)
  else
    vim.health.error(text .. ': 0.10 or newer is needed')
  end
  if vim.fn.has('nvim-0.11') == 0 then
    vim.health.info(
      'before 0.11, K shows memories only where no other server answers it; use gK there, or set merge_hover = true'
    )
  end
end

local function check_options()
  local problems = require('manicule.config').problems()
  for _, problem in ipairs(problems) do
    vim.health.warn(problem, ':help manicule-options')
  end
  if #problems == 0 then vim.health.ok('the options in vim.g.manicule are understood') end
end

local function check_picker()
  local name = require('manicule.pick').backend()
  vim.health.ok(('lists are shown by %s'):format(name == 'select' and 'vim.ui.select' or name))
end

local function check_server()
  local path, problem = require('manicule.config').server()
  if not path then
    vim.health.error(problem, {
      'Put the manicule program into a folder of $PATH, or',
      "set vim.g.manicule = { server_path = '/path/to/manicule' }",
    })
    return
  end
  local output = vim.fn.systemlist({ path, 'version' })
  if vim.v.shell_error ~= 0 then
    vim.health.error(('%s version ended with code %d'):format(path, vim.v.shell_error), output)
    return
  end
  local text = output[1] or 'no version'
  vim.health.ok(('%s (%s)'):format(path, text))
  local own, program = require('manicule.version'), text:match('%d+%.%d+%.%d+')
  if program and program ~= own then
    vim.health.warn(
      ('the plugin is version %s, the program is %s'):format(own, program),
      'Update the older one. They work together as far as the older one goes.'
    )
  end
end

local function check_clients()
  local clients = vim.lsp.get_clients({ name = 'manicule' })
  for _, client in ipairs(clients) do
    local count = vim.tbl_count(client.attached_buffers)
    vim.health.ok(('the server runs for %s (%d open file%s)'):format(client.root_dir, count, count == 1 and '' or 's'))
  end
  local text = require('manicule').status()
  if text ~= '' then vim.health.info('in the statusline: ' .. text) end
  if #clients == 0 then
    vim.health.info('the server does not run; it starts with a file below a folder with .manicule or .git')
  end
end

--- Called by :checkhealth.
function M.check()
  vim.health.start('manicule')
  check_editor()
  check_options()
  check_picker()
  check_server()
  check_clients()
end

return M
