/** The name under which the service owns fields of what it writes in clusters, in `metadata.managedFields`. */
export const FIELD_MANAGER = 'kube-placement';
