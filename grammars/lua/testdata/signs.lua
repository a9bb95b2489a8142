--- Shows signs beside lines.
local api = vim.api
local util = require("gitsigns.util")
local Cache = require 'gitsigns.cache'.Cache
local log = require("gitsigns.debug.log").new("signs")
require("gitsigns.setup")

local M = {}

---@class Signs
---@field placed table<integer, string>
local Signs = { kinds = { "add", "change" }, limit = 100 }
Signs.__index = Signs

M.version = "1.2"
M.handlers = {
  add = function(line, ...) return line, ... end,
  remove = Signs.remove,
}

DEBUG = false

local count, names = 0, {}
local max = 10

--- Makes new signs.
--- @param group string
--- @return Signs
function Signs.new(group, opts)
  local self = setmetatable({}, { __index = Signs })
  self.group = group
  self.placed, self.total = {}, 0
  opts = opts or {}
  self.on_change = function(bufnr)
    M.refresh(bufnr)
  end
  return self
end

function Signs:add(bufnr, lines)
  for i, line in ipairs(lines) do
    self.placed[i] = line.text
    local sign = Cache.find(bufnr):sign(line)
    if sign and not sign.hidden then
      api.nvim_buf_set_extmark(bufnr, self.ns, i, 0, { sign_text = sign.text, priority = M.priority })
    end
  end
  for n = 1, #lines, 2 do
    count = count + n
  end
  return self
end

function M.outer.inner.deep(a) return a end

local function hidden(sign)
  return sign.kind == "none"
end

local render = function(signs, cb)
  while signs.total > 0 do
    signs:pop()
  end
  repeat
    local done = cb(signs)
  until done
  return function() return hidden(signs) end
end

function M.refresh(bufnr)
  local ok, err = pcall(render, Signs.new("main"), function(s) return s:add(bufnr, {}) end)
  if not ok then
    log.error("failed: " .. err, util.level)
  elseif names[bufnr] then
    names[bufnr]:close()
  end
end

return setmetatable(M, { __call = function(_, opts) return Signs.new(opts) end })
