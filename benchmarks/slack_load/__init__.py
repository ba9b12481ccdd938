"""`make load`: many people asking at once; is every acknowledged command answered exactly once?

`ec2-pick serve` runs as a process of its own, over real HTTP and a SQLite file, against a fake
Slack that answers at once. The clients are closed loops: each sends a command, waits for the
acknowledgement, then thinks for `clients / rate` seconds on average (uniform between none and
twice that), so that together they offer `rate` commands a second and never more than one each.
The default, 200 clients and 20 commands a second for 30 s, is meant to be drained within a minute
of the last one on two cores, the clients' own work included: an answer costs some 30 ms of Python.

One command in twenty is delivered a second time, as Slack does when it missed the acknowledgement:
the same body, trigger id included, signed again at its own time. Half of these arrive while the
first is still being handed on, the others one second after its acknowledgement.

Exit code 1: an acknowledged command went without its answer or got two, or one was refused.
"""
