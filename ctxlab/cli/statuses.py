"""The exit statuses, and what the help says of them."""

DONE, FAILED, UNUSABLE, INTERRUPTED = 0, 1, 2, 130

EXIT_STATUS = """\
exit status:
  0    done; a refusal that was replayed is a result like any other
  1    the run ended early: replayed, with an exception or at the step limit; practised, without an answer;
       or a check failed, a history has findings, or there is no safe repair
  2    input that cannot be used; one line on standard error says why
  130  interrupted with Ctrl-C
"""
