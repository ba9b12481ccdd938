"""The custom resources that are emitted, as far as they are: every other field is refused.

Field names and types as in the public types of KEDA 2.17, prometheus-operator 0.8x, Gateway API
1.x, JobSet 0.8 and Kubeflow's Training Operator 1.8.
"""

TEXT = {"type": "string", "minLength": 1}
COUNT = {"type": "integer", "minimum": 0}
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}


def closed(properties, required=()):
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def many(items):
    return {"type": "array", "items": items, "minItems": 1}


METADATA = closed({"name": TEXT, "namespace": TEXT, "labels": TEXTS}, ["name"])


def resource(spec):
    top = {"apiVersion": TEXT, "kind": TEXT, "metadata": METADATA, "spec": spec}
    return closed(top, top)


WINDOW = closed({"stabilizationWindowSeconds": COUNT | {"maximum": 3600}})
BEHAVIOR = closed({"scaleDown": WINDOW})
SELECTOR = closed({"matchLabels": TEXTS}, ["matchLabels"])
POLICY = {"enum": ["RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts", "FailJobSet"]}
FAILURE_RULE = closed(
    {
        "name": {"pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"},
        "action": POLICY,
        "onJobFailureReasons": many(
            {"enum": ["BackoffLimitExceeded", "DeadlineExceeded", "PodFailurePolicy"]}
        ),
    },
    ["name", "action"],
)
# The Job and the pod inside are held against Kubernetes' own schemas by `kube_schemas`.
REPLICATED_JOB = closed(
    {"name": TEXT, "replicas": COUNT, "template": closed({"spec": {"type": "object"}}, ["spec"])},
    ["name", "template"],
)
REPLICA = closed(
    {
        "replicas": COUNT,
        "restartPolicy": {"enum": ["Always", "OnFailure", "Never", "ExitCode"]},
        "template": {"type": "object"},
    },
    ["template"],
)
BACKEND = closed({"name": TEXT, "port": COUNT, "weight": COUNT | {"maximum": 1_000_000}}, ["name"])
SCHEMAS = {
    ("keda.sh/v1alpha1", "ScaledObject"): resource(
        closed(
            {
                "scaleTargetRef": closed({"name": TEXT, "kind": TEXT}, ["name"]),
                "minReplicaCount": COUNT,
                "maxReplicaCount": COUNT,
                "cooldownPeriod": COUNT,
                "advanced": closed(
                    {"horizontalPodAutoscalerConfig": closed({"behavior": BEHAVIOR})}
                ),
                "triggers": many(closed({"type": TEXT, "metadata": TEXTS}, ["type", "metadata"])),
            },
            ["scaleTargetRef", "triggers"],
        )
    ),
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): resource(
        closed(
            {
                "ttlSecondsAfterFinished": COUNT,
                "network": closed({"enableDNSHostnames": {"type": "boolean"}, "subdomain": TEXT}),
                "failurePolicy": closed({"maxRestarts": COUNT, "rules": many(FAILURE_RULE)}),
                "replicatedJobs": many(REPLICATED_JOB),
            },
            ["replicatedJobs"],
        )
    ),
    ("kubeflow.org/v1", "PyTorchJob"): resource(
        closed(
            {
                "nprocPerNode": TEXT,
                "runPolicy": closed(
                    {
                        "cleanPodPolicy": {"enum": ["All", "Running", "None"]},
                        "ttlSecondsAfterFinished": COUNT,
                        "backoffLimit": COUNT,
                    }
                ),
                "pytorchReplicaSpecs": closed({"Master": REPLICA, "Worker": REPLICA}),
            },
            ["pytorchReplicaSpecs"],
        )
    ),
    ("monitoring.coreos.com/v1", "PodMonitor"): resource(
        closed(
            {
                "namespaceSelector": closed({"matchNames": many(TEXT)}),
                "selector": SELECTOR,
                "podMetricsEndpoints": many(
                    closed(
                        {
                            "port": TEXT,
                            "path": TEXT,
                            "interval": {"pattern": "^[0-9]+s$"},
                            "honorLabels": {"type": "boolean"},
                            "relabelings": many(
                                closed({"sourceLabels": many(TEXT), "targetLabel": TEXT})
                            ),
                        }
                    )
                ),
            },
            ["selector", "podMetricsEndpoints"],
        )
    ),
    ("monitoring.coreos.com/v1", "PrometheusRule"): resource(
        closed(
            {
                "groups": many(
                    closed(
                        {
                            "name": TEXT,
                            "rules": many(
                                closed(
                                    {
                                        "alert": {"pattern": "^[a-zA-Z_][a-zA-Z0-9_]*$"},
                                        "expr": TEXT,
                                        "for": {"pattern": "^[0-9]+m$"},
                                        "labels": TEXTS,
                                        "annotations": TEXTS,
                                    },
                                    ["alert", "expr"],
                                )
                            ),
                        },
                        ["name", "rules"],
                    )
                )
            },
            ["groups"],
        )
    ),
    ("gateway.networking.k8s.io/v1", "HTTPRoute"): resource(
        closed(
            {
                "parentRefs": many(closed({"name": TEXT, "namespace": TEXT}, ["name"])),
                "rules": many(closed({"backendRefs": many(BACKEND)}, ["backendRefs"])),
            },
            ["parentRefs", "rules"],
        )
    ),
}
