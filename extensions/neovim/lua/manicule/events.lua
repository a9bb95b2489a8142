--- The server's notifications: something changed, a session of an
--- agent ended, an agent's context was compacted.
local M = {}

--- A session that ended, as the server says it.
---@class manicule.Session
---@field session string its id
---@field agent string which agent, for example "claude-code"
---@field used? integer how many memories the agent was shown
---@field learned? integer how many candidates came of it
---@field asks? 'each'|'all'|'needed'|'none' what the trust level wants a person to be asked
---@field needLook? integer how many candidates should be read before they are accepted
---@field tokens? integer how many tokens the agent was told
---@field saved? integer how many tokens that spared at most

--- The session that ended last, for :Manicule session.
---@type string?
M.last_session = nil

---@param name string of the User autocommand
---@param data table
local function announce(name, data)
  vim.api.nvim_exec_autocmds('User', { pattern = name, modeline = false, data = data })
end

---@param count integer
---@param one string
---@param many string
local function counted(count, one, many) return ('%d %s'):format(count, count == 1 and one or many) end

--- Refreshes lists, signs and the statusline.
function M.changed()
  require('manicule.status').refresh()
  require('manicule.view').refresh_all()
  require('manicule.current_line').forget()
  announce('ManiculeChanged', {})
end

--- Tells a person that a session ended, and how to see its result.
---@param session manicule.Session
function M.session_ended(session)
  M.last_session = session.session
  announce('ManiculeSessionEnded', session)
  if session.asks == 'none' then return end -- at the highest trust level the autocommand is all
  if session.asks == 'needed' and (session.needLook or 0) == 0 and (session.learned or 0) > 0 then return end
  local text = ('☞ %s ended: %s used, %s learned'):format(
    session.agent or 'A session',
    counted(session.used or 0, 'memory', 'memories'),
    counted(session.learned or 0, 'candidate', 'candidates')
  )
  if session.asks == 'needed' and (session.needLook or 0) > 0 then
    text = text .. (', %d to be read before accepted'):format(session.needLook)
  end
  if (session.tokens or 0) > 0 then
    local spared = (session.saved or 0) > 0 and ('at most %d spared'):format(session.saved) or 'no saving is known'
    text = text .. (', %d tokens told, %s'):format(session.tokens, spared)
  end
  if (session.used or 0) + (session.learned or 0) > 0 then text = text .. '. :Manicule session shows them' end
  vim.notify(text, vim.log.levels.INFO, { title = 'Manicule' })
end

--- Tells a person that an agent's context was compacted.
---@param session manicule.Session
function M.compacted(session)
  announce('ManiculeCompacted', session)
  vim.notify(('☞ the context of %s was compacted'):format(session.agent or 'an agent'), vim.log.levels.INFO, {
    title = 'Manicule',
  })
end

--- The handlers of these notifications, for the language client.
---@return table<string, fun(err: any, params: any)>
function M.handlers()
  return {
    ['manicule/changed'] = function() M.changed() end,
    ['manicule/sessionEnded'] = function(_, params) M.session_ended(params or {}) end,
    ['manicule/compacted'] = function(_, params) M.compacted(params or {}) end,
  }
end

return M
