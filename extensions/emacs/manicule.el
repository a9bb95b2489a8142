;;; manicule.el --- Memories in the margin of your code -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, convenience

;;; Commentary:

;; Has eglot or lsp-mode start Manicule's language server, which shows what
;; people and agents wrote down about your code, and writes memories.
;;
;; lsp-mode runs several servers a buffer, so Manicule stands beside the
;; language's own:
;;
;;     (require 'manicule)
;;     (manicule-setup-lsp-mode)
;;
;; eglot runs one server a buffer, so there Manicule starts the language's own
;; and adds its answers.  In modes that have none it runs alone:
;;
;;     (require 'manicule)
;;     (manicule-setup-eglot-beside '(go-mode go-ts-mode) "gopls")
;;     (manicule-setup-eglot '(text-mode conf-mode sh-mode))

;;; Code:

(defvar eglot-server-programs)
(defvar lsp-language-id-configuration)
(defvar lsp--cur-workspace)
(declare-function eglot-current-server "eglot")
(declare-function eglot--TextDocumentIdentifier "eglot")
(declare-function eglot--pos-to-lsp-position "eglot")
(declare-function jsonrpc-request "jsonrpc")
(declare-function lsp-register-client "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(declare-function lsp-request "lsp-mode")
(declare-function lsp--text-document-identifier "lsp-mode")
(declare-function lsp--cur-position "lsp-mode")
(declare-function lsp-get "lsp-protocol")
(declare-function lsp-find-workspace "lsp-mode")
(declare-function lsp-workspaces "lsp-mode")

(defgroup manicule nil
  "Memories in the margin of your code."
  :group 'tools)

(defcustom manicule-command '("manicule" "lsp")
  "The program of the language server and its arguments."
  :type '(repeat string))

;;;###autoload
(defun manicule-setup-eglot (modes)
  "Have eglot start Manicule in MODES, a list of major modes.
It is the only server there, for eglot runs one a buffer."
  (with-eval-after-load 'eglot
    (add-to-list 'eglot-server-programs (cons modes manicule-command))))

;;;###autoload
(defun manicule-setup-eglot-beside (modes &rest server)
  "Have eglot start Manicule in MODES, a list of major modes, in front of SERVER.
SERVER is the program of the language's own server and its arguments.  Manicule
starts it, and adds its answers to those of the other."
  (with-eval-after-load 'eglot
    (add-to-list 'eglot-server-programs (cons modes (append manicule-command '("--wrap") server)))))

;;;###autoload
(defun manicule-setup-lsp-mode ()
  "Have lsp-mode start Manicule beside the other servers of a buffer."
  (with-eval-after-load 'lsp-mode
    (lsp-register-client
     (make-lsp-client
      :new-connection (lsp-stdio-connection (lambda () manicule-command))
      :activation-fn (lambda (file &rest _) (and file (locate-dominating-file file ".manicule") t))
      :add-on? t
      :server-id 'manicule))))

(defun manicule--eglot-p ()
  "Whether eglot runs the server of this buffer."
  (and (fboundp 'eglot-current-server) (eglot-current-server) t))

(defun manicule--request (method params)
  "Ask the server of this buffer for METHOD with PARAMS, a plist."
  (if (manicule--eglot-p)
      (jsonrpc-request (eglot-current-server) (intern (concat ":" method)) params)
    ;; What `with-lsp-workspace' does.  A macro of another package is unknown where this one is compiled.
    (let ((lsp--cur-workspace (lsp-find-workspace 'manicule nil)))
      (lsp-request method params))))

(defun manicule--place ()
  "The document and the range of the cursor, for a request."
  (if (manicule--eglot-p)
      (let ((at (eglot--pos-to-lsp-position (point))))
        (list :textDocument (eglot--TextDocumentIdentifier) :range (list :start at :end at)))
    (let ((at (lsp--cur-position)))
      (list :textDocument (lsp--text-document-identifier) :range (list :start at :end at)))))

(defun manicule--get (object key)
  "The member KEY, a string, of OBJECT, a plist or a hash table."
  (if (hash-table-p object) (gethash key object) (plist-get object (intern (concat ":" key)))))

;;;###autoload
(defun manicule-remember (text)
  "Write a memory TEXT about the place of the cursor.
Which place that is the server knows: it offers the innermost one as its first
code action."
  (interactive "sWhat should be remembered here? ")
  (let* ((params (append (manicule--place)
                         (list :context (list :diagnostics [] :only ["refactor.manicule.remember"]))))
         (actions (manicule--request "textDocument/codeAction" params)))
    (unless (> (length actions) 0)
      (user-error "There is nothing to remember something about here"))
    (let* ((command (manicule--get (elt actions 0) "command"))
           (given (append (manicule--get command "arguments") nil))
           (arguments (vconcat (list (nth 0 given) (nth 1 given) text))))
      (manicule--request "workspace/executeCommand"
                         (list :command (manicule--get command "command") :arguments arguments)))))

(provide 'manicule)
;;; manicule.el ends here
