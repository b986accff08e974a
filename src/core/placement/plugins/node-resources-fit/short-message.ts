/** Kubernetes' text for a node that has too little of a resource. */
export const shortMessage = (resource: string): string =>
  resource === 'pods' ? 'Too many pods' : `Insufficient ${resource}`;
