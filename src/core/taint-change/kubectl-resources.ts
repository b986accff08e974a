/** The names under which a resource can be typed: plural, singular, short names. */
type Names = readonly [plural: string, ...others: string[]];

const NODES: Names = ['nodes', 'node', 'no'];

/** The resources of a v1.36 API server without extensions, except nodes. */
const OTHERS: readonly Names[] = [
  ['bindings', 'binding'],
  ['componentstatuses', 'componentstatus', 'cs'],
  ['configmaps', 'configmap', 'cm'],
  ['endpoints', 'ep'],
  ['events', 'event', 'ev'],
  ['limitranges', 'limitrange', 'limits'],
  ['namespaces', 'namespace', 'ns'],
  ['persistentvolumeclaims', 'persistentvolumeclaim', 'pvc'],
  ['persistentvolumes', 'persistentvolume', 'pv'],
  ['pods', 'pod', 'po'],
  ['podtemplates', 'podtemplate'],
  ['replicationcontrollers', 'replicationcontroller', 'rc'],
  ['resourcequotas', 'resourcequota', 'quota'],
  ['secrets', 'secret'],
  ['serviceaccounts', 'serviceaccount', 'sa'],
  ['services', 'service', 'svc'],
  ['mutatingwebhookconfigurations', 'mutatingwebhookconfiguration'],
  ['validatingadmissionpolicies', 'validatingadmissionpolicy'],
  ['validatingadmissionpolicybindings', 'validatingadmissionpolicybinding'],
  ['validatingwebhookconfigurations', 'validatingwebhookconfiguration'],
  ['customresourcedefinitions', 'customresourcedefinition', 'crd', 'crds'],
  ['apiservices', 'apiservice'],
  ['controllerrevisions', 'controllerrevision'],
  ['daemonsets', 'daemonset', 'ds'],
  ['deployments', 'deployment', 'deploy'],
  ['replicasets', 'replicaset', 'rs'],
  ['statefulsets', 'statefulset', 'sts'],
  ['selfsubjectreviews', 'selfsubjectreview'],
  ['tokenreviews', 'tokenreview'],
  ['localsubjectaccessreviews', 'localsubjectaccessreview'],
  ['selfsubjectaccessreviews', 'selfsubjectaccessreview'],
  ['selfsubjectrulesreviews', 'selfsubjectrulesreview'],
  ['subjectaccessreviews', 'subjectaccessreview'],
  ['horizontalpodautoscalers', 'horizontalpodautoscaler', 'hpa'],
  ['cronjobs', 'cronjob', 'cj'],
  ['jobs', 'job'],
  ['certificatesigningrequests', 'certificatesigningrequest', 'csr'],
  ['leases', 'lease'],
  ['endpointslices', 'endpointslice'],
  ['flowschemas', 'flowschema'],
  ['prioritylevelconfigurations', 'prioritylevelconfiguration'],
  ['ingressclasses', 'ingressclass'],
  ['ingresses', 'ingress', 'ing'],
  ['ipaddresses', 'ipaddress', 'ip'],
  ['networkpolicies', 'networkpolicy', 'netpol'],
  ['servicecidrs', 'servicecidr'],
  ['runtimeclasses', 'runtimeclass'],
  ['poddisruptionbudgets', 'poddisruptionbudget', 'pdb'],
  ['clusterrolebindings', 'clusterrolebinding'],
  ['clusterroles', 'clusterrole'],
  ['rolebindings', 'rolebinding'],
  ['roles', 'role'],
  ['deviceclasses', 'deviceclass'],
  ['devicetaintrules', 'devicetaintrule'],
  ['resourceclaims', 'resourceclaim'],
  ['resourceclaimtemplates', 'resourceclaimtemplate'],
  ['resourceslices', 'resourceslice'],
  ['priorityclasses', 'priorityclass', 'pc'],
  ['csidrivers', 'csidriver'],
  ['csinodes', 'csinode'],
  ['csistoragecapacities', 'csistoragecapacity'],
  ['storageclasses', 'storageclass', 'sc'],
  ['volumeattachments', 'volumeattachment'],
  ['volumeattributesclasses', 'volumeattributesclass', 'vac'],
];

const PLURALS: ReadonlyMap<string, string> = new Map(
  [NODES, ...OTHERS].flatMap((names) => names.map((name) => [name, names[0]] as const)),
);

/**
 * The plural of a resource as typed, in upper or lower case; undefined if the API server does not have the resource.
 */
export const pluralOf = (typed: string): string | undefined => PLURALS.get(typed.toLowerCase());
