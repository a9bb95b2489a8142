--- The review queue: what agents want remembered and what was learned from them,
--- waiting for review.
local client = require('manicule.client')
local item = require('manicule.item')
local view = require('manicule.view')

local M = {}

--- What was decided in this session and can be taken back, the latest last.
---@type { uuid: string, what: string }[]
local decisions = {}

--- Notes a decision that the server can take back, and says what was done.
---@param candidate manicule.Candidate
---@param result any the answer of the server
---@param said string what is said of it
local function note(candidate, result, said)
  if client.refusal(result) then return end
  local undo = type(result) == 'table' and result.undo
  if undo then table.insert(decisions, { uuid = candidate.uuid, what = candidate.what }) end
  vim.notify(('☞ %s%s'):format(said, undo and ' (u takes it back)' or ''))
end

---@param candidate manicule.Candidate
---@param list manicule.View
---@param command string
---@param said string what is said when it is done
---@param ... any further arguments
local function run(candidate, list, command, said, ...)
  client.execute(list.buf, command, { candidate.uuid, ... }, function(result)
    note(candidate, result, said .. ': ' .. candidate.what)
    view.refresh(list)
    require('manicule.status').refresh()
  end)
end

--- Takes the latest decision back: what it was about waits again.
---@param bufnr integer
---@param done? fun()
function M.undo(bufnr, done)
  local last = table.remove(decisions)
  if not last then return vim.notify('Nothing that was accepted or rejected here can be taken back.') end
  client.execute(bufnr, 'manicule.takeBackReview', { last.uuid }, function(result)
    if client.refusal(result) then return end
    vim.notify('☞ Waits again: ' .. last.what)
    if done then done() end
    require('manicule.status').refresh()
  end)
end

--- Has the person decide, if the entry is a memory with several versions.
---@param candidate manicule.Candidate
---@param list manicule.View
---@return boolean
local function decided(candidate, list)
  if #(candidate.versions or {}) == 0 then return false end
  require('manicule.conflict').resolve(list.buf, candidate.uuid, function(result)
    if not client.refusal(result) then vim.notify('☞ Decided') end
    view.refresh(list)
    require('manicule.status').refresh()
  end)
  return true
end

--- Accepts a candidate as it is, or decides between the versions of a memory.
---@param candidate manicule.Candidate
---@param list manicule.View
function M.accept(candidate, list)
  if decided(candidate, list) then return end
  run(candidate, list, 'manicule.acceptMemory', 'Accepted')
end

--- Accepts a candidate after a person has corrected it in a buffer.
---@param candidate manicule.Candidate
---@param done? fun()
function M.correct(candidate, done)
  local form = require('manicule.form')
  form.open(form.edit, candidate, 'Accept, edited', function(changed, answered)
    local edits = next(changed) and changed or vim.empty_dict()
    client.execute(0, 'manicule.acceptMemory', { candidate.uuid, edits }, function(result)
      if not answered(client.refusal(result)) then return end
      note(candidate, result, 'Accepted as edited')
      if done then done() end
      require('manicule.status').refresh()
    end)
  end)
end

--- Accepts a candidate of the queue after a person has corrected it.
---@param candidate manicule.Candidate
---@param list manicule.View
function M.edit(candidate, list)
  if decided(candidate, list) then return end
  M.correct(candidate, function() view.refresh(list) end)
end

--- Rejects a candidate: the same is not proposed again.
---@param candidate manicule.Candidate
---@param list manicule.View
function M.reject(candidate, list)
  if decided(candidate, list) then return end
  run(candidate, list, 'manicule.rejectMemory', 'Rejected')
end

--- Rejects a candidate and says why.
---@param candidate manicule.Candidate
---@param list manicule.View
function M.reject_because(candidate, list)
  if decided(candidate, list) then return end
  vim.ui.input({ prompt = 'Why is it rejected? ' }, function(reason)
    if reason and vim.trim(reason) ~= '' then
      run(candidate, list, 'manicule.rejectMemory', 'Rejected', vim.trim(reason))
    end
  end)
end

--- Goes to the code that an item is about, in the window that the list was opened from.
---@param what manicule.Item
---@param list manicule.View
function M.visit(what, list)
  local near = client.near(list.buf)
  if list.spec.split and vim.api.nvim_win_is_valid(list.from) then
    vim.api.nvim_set_current_win(list.from)
  else
    view.close(list)
  end
  item.visit(what, near and near.root_dir)
end

--- The keys of the queue, in the order of the help.
---@type manicule.Key[]
M.keys = {
  { 'a', 'accept: from now on it is a memory', M.accept },
  { 'e', 'edit, then accept by :w', M.edit },
  { 'x', 'reject: it is not proposed again', M.reject },
  { 'X', 'reject, and say why', M.reject_because },
  {
    'u',
    'undo: what you decided last waits again',
    function(_, list)
      M.undo(list.buf, function() view.refresh(list) end)
    end,
    any = true,
  },
  { '<CR>', 'go to the code that it is about', M.visit },
}

---@param items table[]
---@return manicule.Block[]
function M.blocks(items)
  return vim.tbl_map(function(each) return { lines = item.lines(each), item = each, id = each.uuid } end, items)
end

--- Opens the queue.
function M.open()
  view.open({
    name = 'review',
    title = 'To review',
    empty = 'Nothing waits for a review.',
    keys = M.keys,
    load = function(list, show)
      client.ask(
        list.buf,
        'manicule/candidates',
        { limit = view.most },
        function(result) show(view.rest(M.blocks(result and result.candidates or {}), result and result.total)) end
      )
    end,
  })
end

return M
