export const REVIEW = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    name: 'trainer',
    namespace: 'ml',
    operation: 'CREATE',
    userInfo: { username: 'alice' },
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'trainer', namespace: 'ml' },
      spec: { containers: [{ name: 'c', image: 'trainer:1' }] },
    },
    oldObject: null,
    dryRun: true,
  },
};

export const ADDED = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: {
    uid: REVIEW.request.uid,
    allowed: true,
    patchType: 'JSONPatch',
    patch: 'W3sib3AiOiJhZGQiLCJwYXRoIjoiL3NwZWMvdG9sZXJhdGlvbnMiLCJ2YWx1ZSI6W119XQ==',
    auditAnnotations: { pools: 'ml' },
  },
};

export const REFUSED = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: {
    uid: REVIEW.request.uid,
    allowed: false,
    status: {
      status: 'Failure',
      code: 403,
      reason: 'Forbidden',
      message:
        'pool "ml" is not open to pods of namespace "web" that run as service account "default": spec.tolerations[0] ' +
        '(Exists without a key, for every taint) tolerates dedicated=ml:NoSchedule',
    },
    auditAnnotations: { pools: 'ml' },
  },
};

export const RECORDS = {
  items: [
    {
      id: 1,
      clusterId: 1,
      recordedAt: '2026-05-04T03:02:01.000Z',
      revision: 7,
      uid: REVIEW.request.uid,
      outcome: 'added',
      operation: 'CREATE',
      namespace: 'ml',
      pod: 'trainer',
      generateName: '',
      serviceAccount: 'default',
      username: 'alice',
      caller: { name: 'prod-apiserver', kind: 'token', issuer: null },
      pools: ['ml'],
      patch: [
        {
          op: 'add',
          path: '/spec/tolerations',
          value: [{ key: 'dedicated', operator: 'Equal', value: 'ml', effect: 'NoSchedule' }],
          why: 'the pod may use pool ml by namespace ml; the toleration lets it onto the tainted nodes',
        },
      ],
      message: '',
    },
  ],
  continue: null,
};

export const CONFIGURATION = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'kube-placement' },
      webhooks: [],
    },
  ],
};
