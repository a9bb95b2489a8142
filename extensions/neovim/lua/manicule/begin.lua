--- What one begins with: the rule files that a folder has already, and the model for search by
--- meaning. Both are the program's work.
local client = require('manicule.client')
local config = require('manicule.config')

local M = {}

--- The last line of a text that says something, without the program's name.
---@param text string
---@return string?
local function last_line(text)
  local said
  for line in text:gmatch('[^\r\n]+') do
    if line:match('%S') then said = line end
  end
  return said and vim.trim((said:gsub('^manicule: ', '')))
end

--- Runs the program in the folder of a buffer, says what it says meanwhile, and passes its answer on.
---@param bufnr integer
---@param arguments string[]
---@param done fun(answer: table)
local function run(bufnr, arguments, done)
  local path, problem = config.server()
  if not path then return vim.notify('manicule: ' .. problem, vim.log.levels.WARN) end
  local root = client.root(bufnr) or vim.fn.getcwd()
  local argv = vim.list_extend(vim.list_extend({ path }, arguments), { '--json' })
  local function tell(_, text)
    local line = text and last_line(text)
    if line then vim.schedule(function() vim.notify('☞ ' .. line) end) end
  end
  vim.system(argv, { cwd = root, text = true, stderr = tell }, function(ended)
    vim.schedule(function()
      local ok, answer = pcall(vim.json.decode, ended.stdout or '')
      if ok and type(answer) == 'table' and ended.code == 0 then return done(answer) end
      local why = ok and type(answer) == 'table' and answer.error or 'the program ended without an answer'
      local hint = ok and type(answer) == 'table' and answer.hint
      vim.notify('manicule: ' .. why .. (hint and '. ' .. hint or ''), vim.log.levels.ERROR)
    end)
  end)
end

--- Imports the rule files of a folder as memories, after the person has seen how many they are.
---@param bufnr integer
function M.import(bufnr)
  run(bufnr, { 'import', '--dry-run' }, function(looked)
    if looked.new == 0 then
      return vim.notify(
        looked.known == 0 and '☞ No rule files were found here.' or '☞ The rules here are memories already.'
      )
    end
    local files = {}
    for _, rule in ipairs(looked.rules) do
      if rule.result == 'new' then files[rule.from] = (files[rule.from] or 0) + 1 end
    end
    local list = {}
    for _, name in ipairs(vim.fn.sort(vim.tbl_keys(files))) do
      list[#list + 1] = ('%s: %d'):format(name, files[name])
    end
    local question = ('Import the rules here as memories (%d)?\n%s'):format(looked.new, table.concat(list, '\n'))
    if vim.fn.confirm(question, '&Yes\n&No', 1) ~= 1 then return end
    run(bufnr, { 'import' }, function(done)
      vim.notify(('☞ Imported as memories: %d'):format(done.new))
      if client.near(bufnr) then
        client.execute(bufnr, 'manicule.sync', {}, function() require('manicule.events').changed() end)
      else
        client.restart()
      end
    end)
  end)
end

--- Downloads the model for search by meaning, if the person agrees.
---@param bufnr integer
function M.model(bufnr)
  local question =
    'Install the model for search by meaning?\nAbout 50 MB are downloaded once, and nothing later. It runs on this machine.'
  if vim.fn.confirm(question, '&Yes\n&No', 1) ~= 1 then return end
  run(bufnr, { 'model', 'install' }, function(done)
    vim.notify(('☞ %s is installed. Memories that can be found by meaning: %d'):format(done.model, done.embedded))
    client.restart()
  end)
end

return M
