"""Drives a model over cases, captures every signal, and writes a run file; durable, resumable.

The way of one question, file by file::

    task, cases -> prompts -> endpoint -> reply -> tokens, signals -> record -> journal -> artifact
                      ^ retrieval (few-shot)                     drive: who asks, and when

Nothing a model or a file says is executed, followed as a path, or shown in a message.
"""
