--- Memories and shared threads of which a merge kept several versions: the person decides.
local client = require('manicule.client')

local M = {}

--- One of several versions of a memory.
---@class manicule.ConflictVersion
---@field number integer from 1, which is what the memory says now
---@field label string the words that tell it from the other versions
---@field type string
---@field what string
---@field why? string
---@field author? string
---@field deleted? boolean its author deleted the memory, which said this

--- What the server answers when a choice is missing.
---@class manicule.Conflict
---@field uuid string
---@field version integer of the memory that was read
---@field thread? boolean it is a shared thread
---@field versions manicule.ConflictVersion[]

--- The ways to decide, for a picker.
---@param conflict manicule.Conflict
---@return manicule.Entry[]
function M.choices(conflict)
  local entries = {}
  local function add(text, preview, keep, rest)
    entries[#entries + 1] = {
      text = text,
      preview = preview,
      value = { keep = keep, rest = rest, version = conflict.version },
    }
  end
  for _, version in ipairs(conflict.versions) do
    local by = version.author and (' (%s)'):format(version.author) or ''
    local preview = vim.split(version.what, '\n')
    if version.why then vim.list_extend(preview, vim.split('Why: ' .. version.why, '\n')) end
    local text = ('Keep version %d: %s%s'):format(version.number, version.label, by)
    if version.deleted then text = 'Delete it: ' .. version.label end
    add(text, preview, version.number, 'drop')
  end
  if conflict.thread then return entries end -- it keeps one version
  local texts = #vim.tbl_filter(function(version) return not version.deleted end, conflict.versions)
  if texts < 2 then return entries end
  local all = texts == 2 and 'Keep both' or ('Keep all %d'):format(texts)
  add(all, { 'The other versions become memories of their own.' }, 1, 'keep')
  add('Newest supersedes the others', { 'The others stay as superseded memories.' }, 1, 'supersede')
  return entries
end

--- Asks which version a memory keeps.
---@param bufnr integer
---@param uuid string
---@param done? fun(result: any)
function M.resolve(bufnr, uuid, done)
  client.execute(bufnr, 'manicule.resolveConflict', { uuid }, function(conflict)
    if type(conflict) ~= 'table' or not conflict.needsResolution then
      vim.notify('manicule: ' .. (client.refusal(conflict) or 'the memory has one version'))
      return
    end
    require('manicule.pick').entries(
      M.choices(conflict),
      ('This %s has %d versions. What should it say?'):format(
        conflict.thread and 'thread' or 'memory',
        #conflict.versions
      ),
      function(entry) client.execute(bufnr, 'manicule.resolveConflict', { uuid, entry.value }, done) end
    )
  end)
end

return M
