--- The language client: what the server is started with, for which buffers,
--- and what differs between the versions of Neovim.
local config = require('manicule.config')

local M = {}

M.name = 'manicule'

--- Before 0.11 the hovers of two servers share one window:
--- the second is never shown, and the cursor jumps into the first.
local merges_hover = vim.fn.has('nvim-0.11') == 1

--- Sends a request; clients became objects with methods in 0.11.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param handler fun(err: table?, result: any, ctx: table)
---@param bufnr integer
function M.request(client, method, params, handler, bufnr)
  if vim.fn.has('nvim-0.11') == 1 then return client:request(method, params, handler, bufnr) end
  return client.request(method, params, handler, bufnr)
end

--- The clients that run, one a root.
---@return vim.lsp.Client[]
function M.running() return vim.lsp.get_clients({ name = M.name }) end

--- The client of a buffer, if the server runs for it.
---@param bufnr integer
---@return vim.lsp.Client?
function M.of(bufnr) return vim.lsp.get_clients({ name = M.name, bufnr = bufnr })[1] end

--- The client that answers for a buffer: its own, or for a buffer without one (a
--- list of ours, a new one) that of the buffer which a list was opened from, that
--- of the folder that the editor is in, or any.
---@param bufnr integer
---@return vim.lsp.Client?
function M.near(bufnr)
  local own = M.of(bufnr)
  if own then return own end
  local clients = vim.lsp.get_clients({ name = M.name })
  local from = vim.api.nvim_buf_is_valid(bufnr) and vim.b[bufnr].manicule_root
  for _, folder in ipairs({ from or nil, vim.fn.getcwd() }) do
    for _, client in ipairs(clients) do
      local root = client.root_dir
      if root and (folder == root or vim.startswith(folder, root .. '/')) then return client end
    end
  end
  return clients[1]
end

--- Makes a list of ours answer for the workspace of the buffer that it was opened from.
---@param list integer buffer
---@param from integer buffer
function M.follow(list, from)
  local near = list ~= from and M.near(from)
  if near then vim.b[list].manicule_root = near.root_dir end
end

--- The message for an error of the server.
---@param err { code?: integer, message: string }
local function refused(err)
  if err.code == vim.lsp.protocol.ErrorCodes.MethodNotFound then
    return err.message .. '\nThe manicule program is older than this plugin'
  end
  return err.message
end

--- Sends a request to the server and passes its result to a function. Errors are shown to the person.
---@param bufnr integer
---@param method string
---@param params table
---@param done? fun(result: any, client: vim.lsp.Client)
function M.ask(bufnr, method, params, done)
  local client = M.near(bufnr)
  if not client then
    vim.notify('manicule: the server is not running for this file. See :checkhealth manicule', vim.log.levels.WARN)
    return
  end
  M.request(client, method, params, function(err, result)
    if err then
      vim.notify('manicule: ' .. refused(err), vim.log.levels.ERROR)
    elseif done then
      done(result, client)
    end
  end, vim.api.nvim_buf_is_valid(bufnr) and bufnr or 0)
end

--- Runs a command on the server and passes its result to a function.
---@param bufnr integer
---@param command string with the "manicule." in front
---@param arguments any[]
---@param done? fun(result: any)
function M.execute(bufnr, command, arguments, done)
  M.ask(bufnr, 'workspace/executeCommand', { command = command, arguments = arguments }, done)
end

--- Why the server did not store what it was sent; nil when it did, be it as a
--- draft that waits for a person.
---@param result any what a command that writes answered
---@return string?
function M.refusal(result)
  if type(result) ~= 'table' or result.accepted ~= false or result.draft == true then return end
  return result.reason or 'the server refuses it'
end

--- The buffer of exactly this name, if one is loaded: vim.fn.bufnr() takes a
--- pattern, which a file like "[id].ts" is too.
---@param name string absolute path, or URL
---@return integer?
function M.loaded(name)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_name(bufnr) == name then return bufnr end
  end
end

--- The document and the position of the cursor, for a request.
---@param bufnr integer
---@return { textDocument: { uri: string }, position: { line: integer, character: integer } }
function M.cursor(bufnr)
  local client = M.near(bufnr)
  return vim.lsp.util.make_position_params(0, client and client.offset_encoding or 'utf-16')
end

--- The folder that a buffer's memories belong to: the nearest one upwards with
--- a .manicule folder, else the top of its git repository.
---@param bufnr integer
---@return string?
function M.root(bufnr) return vim.fs.root(bufnr, '.manicule') or vim.fs.root(bufnr, '.git') end

--- Whether a buffer is a file on disk (and not a terminal, a list or a URL).
---@param bufnr integer
---@return boolean
local function is_file(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  return vim.bo[bufnr].buftype == '' and name ~= '' and not name:match('^%a[%w+.-]+://')
end

--- Why no server answers for a buffer.
---@param bufnr integer
---@return string
function M.unserved(bufnr)
  if not is_file(bufnr) then return 'this buffer is not a file' end
  if not M.root(bufnr) then return 'no folder above this file has .manicule or .git' end
  return 'the server is not running for this file. See :checkhealth manicule'
end

--- Says that nothing is remembered at the cursor, and where to look.
function M.none_here()
  local bufnr = vim.api.nvim_get_current_buf()
  if not M.of(bufnr) then return vim.notify('manicule: ' .. M.unserved(bufnr)) end
  vim.notify('No memories here (those of a function are on its first line)')
end

--- Passes the root of a buffer to a function, unless the server has nothing to do there.
---@param bufnr integer
---@param on_dir fun(root: string)
function M.root_dir(bufnr, on_dir)
  local root = is_file(bufnr) and M.root(bufnr)
  if not root then return end
  local path, problem = config.server()
  if not path then
    vim.notify_once('manicule: ' .. problem .. '\nSee :checkhealth manicule', vim.log.levels.WARN)
    return
  end
  on_dir(root)
end

---@param dispatchers table
local function start_server(dispatchers)
  local argv = { assert(config.server()), 'lsp' }
  local rpc = vim.lsp.rpc.start(vim.list_extend(argv, config.get().server_args), dispatchers)
  rpc = require('manicule.hover').with_keys(require('manicule.lens').with_titles(rpc))
  return require('manicule.diagnostics').with_others(rpc)
end

--- The capabilities of this Neovim.
local function capabilities()
  local caps = vim.lsp.protocol.make_client_capabilities()
  caps.workspace.codeLens = { refreshSupport = true }
  return caps
end

--- Makes the server push diagnostics. 0.10 can't be told to pull again,
--- and 0.12 may show none after ":edit!", where it throws them away and keeps
--- the id that makes the server answer "unchanged". (A capability can't be taken
--- back in the configuration, which is laid over the editor's own.)
---@param params table of the initialize request
local function want_diagnostics_pushed(params) params.capabilities.textDocument.diagnostic = nil end

local function handlers()
  local own = require('manicule.events').handlers()
  own['textDocument/publishDiagnostics'] = require('manicule.diagnostics').publish
  local refresh = 'workspace/codeLens/refresh'
  if not vim.lsp.handlers[refresh] then
    own[refresh] = function(_, _, ctx)
      require('manicule.lens').refresh_all(ctx.client_id)
      return vim.NIL
    end
  end
  return own
end

--- The configuration of the client, in the form of an lsp/*.lua file.
---@return vim.lsp.Config
function M.lsp_config()
  return {
    name = M.name,
    cmd = start_server,
    root_dir = M.root_dir,
    capabilities = capabilities(),
    before_init = want_diagnostics_pushed,
    handlers = handlers(),
    commands = require('manicule.commands').handlers(),
    init_options = { clientLists = true, extensions = true },
    settings = { manicule = config.get().settings },
  }
end

--- Before 0.11 the editor decides while it attaches whether K asks for hover;
--- settle_hover() comes after that.
local function offer_hover()
  if merges_hover then return end
  for _, client in ipairs(vim.lsp.get_clients({ name = M.name })) do
    client.server_capabilities.hoverProvider = true
  end
end

--- Starts the server for a buffer, or attaches the buffer to the one that runs.
---@param bufnr integer
---@param old? table<integer, true> clients not to attach to
function M.attach(bufnr, old)
  M.root_dir(bufnr, function(root)
    local own = vim.fn.has('nvim-0.11') == 1 and vim.lsp.config[M.name] or M.lsp_config()
    offer_hover()
    vim.lsp.start(vim.tbl_extend('force', own, { root_dir = root }), {
      bufnr = bufnr,
      reuse_client = function(running, wanted)
        return not (old or {})[running.id] and running.name == wanted.name and running.root_dir == root
      end,
    })
  end)
end

--- Closes the document of a buffer that gets another name, and opens it under the new one. The
--- editor itself tells a server of the name with the next save, and keeps the old file's lenses.
---@param bufnr integer
function M.renaming(bufnr)
  local own = M.of(bufnr)
  if not own then return end
  vim.lsp.buf_detach_client(bufnr, own.id)
  vim.api.nvim_create_autocmd('BufFilePost', {
    buffer = bufnr,
    once = true,
    callback = function() M.attach(bufnr) end,
  })
end

--- Ends a client; clients became objects with methods in 0.11.
---@param client vim.lsp.Client
---@param force? boolean without asking it
local function stop(client, force)
  if vim.fn.has('nvim-0.11') == 1 then return client:stop(force) end
  client.stop(force)
end

--- Calls done when no client of a set is left: as soon as they ended, and after
--- five seconds in any case, for a server that hangs is one to restart too.
---@param old table<integer, true>
---@param done fun()
local function when_stopped(old, done)
  local polls = 0
  local function poll()
    polls = polls + 1
    local running = {} ---@type vim.lsp.Client[]
    for id in pairs(old) do
      running[#running + 1] = vim.lsp.get_client_by_id(id)
    end
    if #running == 0 or polls > 50 then return done() end
    if polls == 20 then
      for _, client in ipairs(running) do
        stop(client, true)
      end
    end
    vim.defer_fn(poll, 100)
  end
  poll()
end

--- Stops the server, and starts it again for the buffers that it had, or after it died
--- for all that are loaded.
function M.restart()
  local buffers, old = {}, {} ---@type table<integer, true>, table<integer, true>
  for _, client in ipairs(vim.lsp.get_clients({ name = M.name })) do
    old[client.id] = true
    for bufnr in pairs(client.attached_buffers) do
      buffers[bufnr] = true
    end
    stop(client)
  end
  if not next(old) then -- it died, and nobody knows which it had
    for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
      buffers[bufnr] = vim.api.nvim_buf_is_loaded(bufnr) or nil
    end
  end
  when_stopped(old, function()
    for bufnr in pairs(buffers) do
      for id in pairs(old) do
        if vim.lsp.get_client_by_id(id) then vim.lsp.buf_detach_client(bufnr, id) end
      end
      if vim.api.nvim_buf_is_valid(bufnr) then M.attach(bufnr, old) end
    end
  end)
end

--- Before 0.11: K must not break where another server answers it too, so ours
--- offers hover only in the buffers that it has for itself. Called whenever
--- the current buffer, or its servers, change.
function M.settle_hover()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = not merges_hover and M.of(bufnr)
  if not client then return end
  local alone = true
  for _, other in ipairs(vim.lsp.get_clients({ bufnr = bufnr })) do
    if other.id ~= client.id and other.server_capabilities.hoverProvider then alone = false end
  end
  client.server_capabilities.hoverProvider = alone
end

return M
