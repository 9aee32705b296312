;;; What the tests ask of Emacs, beside its own functions.  -*- lexical-binding: t -*-
(require 'package)
(package-initialize)
(require 'eglot)
(require 'json)
(require 'cl-lib)

;; Without markdown-mode, Markdown is text.
(add-to-list 'auto-mode-alist '("\\.md\\'" . text-mode))
(add-to-list 'eglot-server-programs '(text-mode . ("memstore" "--as" "human:sean" "lsp")))
(setq eglot-autoshutdown t eglot-sync-connect 20 create-lockfiles nil make-backup-files nil
      revert-without-query '(".*") require-final-newline nil eglot-send-changes-idle-time 0.05)
(global-auto-revert-mode 1)
(setq project-find-functions
      (list (lambda (folder)
              (let ((root (locate-dominating-file folder ".memstore")))
                (and root (cons 'transient root))))))

(defvar memstore-said nil "What the server has said.")
(defvar memstore-choice "Do it" "What is answered when the server asks.")
(defvar memstore-wanted nil "The action that is chosen.")

(defun memstore-choose (prompt options &rest _)
  "Answer PROMPT by one of OPTIONS."
  (push (substring-no-properties prompt) memstore-said)
  (or (cl-find-if (lambda (one) (string-match-p (regexp-quote (or memstore-wanted memstore-choice)) one))
                  (mapcar (lambda (one) (if (consp one) (car one) one)) options))
      (car (mapcar (lambda (one) (if (consp one) (car one) one)) options))))
(advice-add 'completing-read :override #'memstore-choose)
(advice-add 'y-or-n-p :override (lambda (prompt) (push prompt memstore-said) t))
(cl-defmethod eglot-handle-notification :before
  (_server (_method (eql window/showMessage)) &key _type message)
  (push message memstore-said))

(defun memstore-run (code answer)
  "Run the file CODE, and write its value to the file ANSWER."
  (let* ((form (with-temp-buffer (insert-file-contents code) (read (current-buffer))))
         (value (condition-case fault
                    (with-current-buffer (window-buffer) (eval form t))
                  (error (list :error (error-message-string fault))))))
    (with-temp-file answer
      (insert (json-encode value)))
    nil))

(defun memstore-open (path)
  "Open PATH, with the server of its vault."
  (switch-to-buffer (find-file-noselect path))
  (unless (eglot-managed-p)
    (when (locate-dominating-file path ".memstore")
      (apply #'eglot (eglot--guess-contact))
      (with-timeout (20) (while (not (eglot-current-server)) (accept-process-output nil 0.02)))))
  (flymake-mode 1)
  path)

(defun memstore-findings ()
  "Return the codes of what is found."
  (flymake-start)
  (vconcat
   (mapcar (lambda (one)
             (list :code (plist-get (cdr (assoc 'eglot-lsp-diag (eglot--diag-data one))) :code)))
           (flymake-diagnostics))))

(defun memstore-replace (old new)
  "Type NEW in place of OLD."
  (goto-char (point-min))
  (search-forward old)
  (delete-region (match-beginning 0) (match-end 0))
  (insert new)
  t)

(defun memstore-type (text)
  "Type TEXT as a new line below that of the cursor, key by key."
  (undo-boundary)
  (end-of-line)
  (newline)
  (mapc #'insert text)
  (undo-boundary)
  t)

(defun memstore-point (text after)
  "Go AFTER characters behind the beginning of TEXT."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (+ (match-beginning 0) after)))

(defun memstore-act (title)
  "Choose the action TITLE."
  (let ((memstore-wanted title) (actions (eglot-code-actions (point) (point))))
    (let ((action (cl-find-if (lambda (one) (string-match-p (regexp-quote title) (plist-get one :title))) actions)))
      (unless action (error "There is no action %s" title))
      (setq memstore-wanted nil)
      (eglot--read-execute-code-action (list action) (eglot-current-server))))
  t)

(defun memstore-hover ()
  "Return what is said of what is under the cursor."
  (let ((said (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
    (or (plist-get (plist-get said :contents) :value) "")))

(defun memstore-complete (typed)
  "Type TYPED at the end of the line, complete, and return the line."
  (end-of-line)
  (insert typed)
  (let ((found (eglot-completion-at-point)) items)
    (cl-destructuring-bind (start end table &rest more) found
      (setq items (completion-all-completions (buffer-substring start end) table (plist-get more :predicate)
                                              (- end start) '(metadata (category . eglot))))
      (let ((first (substring-no-properties (car items))))
        (delete-region start end)
        (insert first)
        (funcall (plist-get more :exit-function) first 'finished))))
  (buffer-substring-no-properties (line-beginning-position) (line-end-position)))

(defun memstore-definition ()
  "Go to what the name leads to."
  (xref-find-definitions (or (thing-at-point 'symbol t) "here"))
  (list (file-name-nondirectory (buffer-file-name)) (line-number-at-pos)))

(defun memstore-references ()
  "Return the files that lead to the note."
  (vconcat
   (mapcar (lambda (one) (file-name-nondirectory (eglot--uri-to-path (plist-get one :uri))))
           (jsonrpc-request (eglot-current-server) :textDocument/references
                            (append (eglot--TextDocumentPositionParams)
                                    (list :context (list :includeDeclaration :json-false)))))))
