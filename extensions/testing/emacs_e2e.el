;;; emacs_e2e.el --- eglot and lsp-mode with the real server -*- lexical-binding: t; -*-

;; Run by run-emacs.sh: emacs -q --batch -l emacs_e2e.el, with MANICULE_E2E_CLIENT
;; eglot or lsp-mode.  Asserts on what the editor has after the server has
;; spoken: flymake's diagnostics, eldoc's text, the code actions, the overlays.

;;; Code:

(require 'cl-lib)
(require 'project)

(defvar t-workspace (file-truename (file-name-as-directory (getenv "MANICULE_E2E_WORKSPACE"))))
(defvar t-client (getenv "MANICULE_E2E_CLIENT"))
(defvar t-server (getenv "MANICULE_SERVER"))
(defvar t-failed 0)
(defvar t-refresh "Refresh fails silently when Redis is unreachable")
(defvar t-why "Incident in May: the dial error was swallowed")

(setq make-backup-files nil auto-save-default nil create-lockfiles nil
      user-emacs-directory (expand-file-name "emacs/" (getenv "HOME")))
(add-to-list 'load-path (getenv "MANICULE_E2E_PLUGIN"))

(defun t-wait (condition)
  "Wait until CONDITION, a function, is true; return whether it became so."
  (let ((end (+ (float-time) 20)))
    (while (and (not (funcall condition)) (< (float-time) end))
      (accept-process-output nil 0.02)
      (sit-for 0))
    (funcall condition)))

(defun t-check (name ok &optional detail)
  "Print whether the check NAME is OK, and DETAIL when it is not."
  (unless ok (setq t-failed (1+ t-failed)))
  (princ (format "%s %s%s\n" (if ok "PASS" "FAIL") name (if (or ok (not detail)) "" (format ": %S" detail)))))

(defun t-manicule (&rest arguments)
  "The output of the command line of the server with ARGUMENTS."
  (with-temp-buffer
    (let ((default-directory t-workspace))
      (apply #'call-process t-server nil t nil arguments))
    (buffer-string)))

(defun t-go-to (text)
  "Put the cursor at the end of the first TEXT."
  (goto-char (point-min))
  (search-forward text))

(defun t-eglot ()
  "Check eglot."
  (require 'eglot)
  (require 'flymake)
  (require 'go-mode)
  (add-hook 'project-find-functions (lambda (_) (cons 'transient t-workspace)))
  (setq eglot-server-programs nil eglot-autoshutdown t eglot-sync-connect 20)
  (manicule-setup-eglot '(go-mode))
  (find-file (expand-file-name "auth/token.go" t-workspace))
  (apply #'eglot--connect (eglot--guess-contact))
  (t-check "eglot: the server runs" (t-wait #'eglot-current-server))
  (flymake-mode 1)
  (flymake-start)
  (t-wait #'flymake-diagnostics)
  (let ((found (cl-find-if (lambda (d) (string-match-p t-refresh (flymake-diagnostic-text d))) (flymake-diagnostics))))
    (t-check "eglot: the diagnostic is there" found (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))
    (when found
      (t-check "eglot: at the method" (= (line-number-at-pos (flymake-diagnostic-beg found)) 12))))
  (t-go-to "func (s *Store) Ref")
  (let (text)
    (eglot-hover-eldoc-function (lambda (string &rest _) (setq text (or string ""))))
    (t-wait (lambda () text))
    (t-check "eglot: eldoc shows why" (string-match-p t-why (or text "")) text))
  (let ((titles (mapcar (lambda (action) (plist-get action :title))
                        (eglot-code-actions (line-beginning-position) (line-end-position)))))
    (t-check "eglot: the code actions are offered" (cl-some (lambda (title) (string-match-p "emember" title)) titles) titles))
  (manicule-remember "Written from eglot")
  (t-check "eglot: manicule-remember writes" (string-match-p "Written from eglot" (t-manicule "list")))
  (t-check "eglot: and its diagnostic comes"
           (t-wait (lambda ()
                     (flymake-start)
                     (cl-some (lambda (d) (string-match-p "Written from eglot" (flymake-diagnostic-text d)))
                              (flymake-diagnostics))))
           (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))
  (eglot-shutdown (eglot-current-server))
  (let ((gopls (getenv "MANICULE_E2E_GOPLS")))
    (unless (member gopls '(nil "")) (t-eglot-beside gopls))))

(defun t-eglot-beside (gopls)
  "Check eglot with GOPLS behind Manicule."
  (setq eglot-server-programs nil)
  (manicule-setup-eglot-beside '(go-mode) gopls)
  (apply #'eglot--connect (eglot--guess-contact))
  (t-check "eglot: Manicule runs in front of gopls" (t-wait #'eglot-current-server))
  (t-go-to "func (s *Store) Ref")
  (let* (text
         (both (lambda ()
                 (eglot-hover-eldoc-function (lambda (string &rest _) (setq text (or string ""))))
                 (t-wait (lambda () text))
                 (and (string-match-p t-why text) (string-match-p "func (s \\*Store) Refresh" text)))))
    (t-check "eglot: the hover has what both say" (t-wait both) text))
  (t-check "eglot: the diagnostics of memories are there, too"
           (t-wait (lambda ()
                     (flymake-start)
                     (cl-some (lambda (d) (string-match-p t-refresh (flymake-diagnostic-text d))) (flymake-diagnostics))))
           (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))
  ;; Two servers end, one after the other.
  (eglot-shutdown (eglot-current-server) nil 20))

(defun t-lsp-mode ()
  "Check lsp-mode, beside gopls where that is here."
  (setq lsp-session-file (expand-file-name "lsp-session" (getenv "HOME"))
        lsp-auto-guess-root t lsp-guess-root-without-session t lsp-enable-file-watchers nil
        lsp-enable-snippet nil lsp-headerline-breadcrumb-enable nil lsp-warn-no-matched-clients nil
        lsp-restart 'ignore lsp-client-packages nil lsp-keep-workspace-alive nil lsp-lens-enable t)
  (require 'lsp-mode)
  (require 'lsp-lens)
  (require 'flymake)
  (require 'go-mode)
  (setq lsp-diagnostics-provider :flymake)
  (manicule-setup-lsp-mode)
  (let ((gopls (getenv "MANICULE_E2E_GOPLS")))
    (when (and gopls (not (string-empty-p gopls)))
      (lsp-register-client
       (make-lsp-client :new-connection (lsp-stdio-connection (list gopls)) :major-modes '(go-mode)
                        :language-id "go" :server-id 'gopls))))
  (find-file (expand-file-name "auth/token.go" t-workspace))
  (lsp-workspace-folders-add t-workspace)
  (lsp)
  (t-check "lsp-mode: the server runs"
           (t-wait (lambda () (cl-find 'manicule (lsp-workspaces) :key (lambda (w) (lsp--workspace-server-id w)))))
           (mapcar #'lsp--workspace-server-id (lsp-workspaces)))
  (lsp-lens-mode 1)
  (lsp-lens-refresh t)
  (t-check "lsp-mode: the lens stands at the method"
           (t-wait (lambda ()
                     (cl-some (lambda (o)
                                (string-match-p "1 memory here"
                                                (or (overlay-get o 'before-string) (overlay-get o 'after-string) "")))
                              lsp-lens--overlays)))
           (mapcar (lambda (o) (overlay-get o 'before-string)) lsp-lens--overlays))
  (t-go-to "func (s *Store) Ref")
  (let ((seen (lambda ()
                (let ((hover (lsp-request "textDocument/hover" (lsp--text-document-position-params))))
                  (and hover (format "%S" (lsp:hover-contents hover)))))))
    (t-check "lsp-mode: the hover shows why"
             (t-wait (lambda () (string-match-p t-why (or (ignore-errors (funcall seen)) ""))))
             (ignore-errors (funcall seen)))
    (when (> (length (lsp-workspaces)) 1)
      (t-check "lsp-mode: beside gopls the hover has both"
               (t-wait (lambda () (string-match-p "func (s \\*Store) Refresh" (or (ignore-errors (funcall seen)) ""))))
               (ignore-errors (funcall seen)))))
  (manicule-remember "Written from lsp-mode")
  (t-check "lsp-mode: manicule-remember writes" (string-match-p "Written from lsp-mode" (t-manicule "list")))
  (dolist (workspace (lsp-workspaces))
    (with-lsp-workspace workspace (ignore-errors (lsp--shutdown-workspace)))))

(require 'manicule)
(condition-case problem
    (if (equal t-client "eglot") (t-eglot) (t-lsp-mode))
  (error (t-check "the test itself" nil problem)))
(set-buffer-modified-p nil)
(kill-emacs (if (> t-failed 0) 1 0))

;;; emacs_e2e.el ends here
