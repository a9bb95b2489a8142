-- What vim.lsp.enable('manicule') starts (Neovim 0.11 and newer). No filetypes
-- are named: a memory can be about any file.
return require('manicule.client').lsp_config()
