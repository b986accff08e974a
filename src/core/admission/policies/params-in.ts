import type { ClusterState } from '../../cluster/cluster-state.js';
import type { JsonObject } from '../../json/json-value.js';
import type { ConfigMap } from '../../kubernetes/objects/config-map.js';
import type { ParamStore } from './collect-params.js';

const API_VERSION = 'v1';
const KIND = 'ConfigMap';

/** The controller manager puts it into every namespace (k8s.io/kubernetes v1.36.2, pkg/controller/certificates/rootcacertpublisher). */
const ROOT_CERTIFICATES = 'kube-root-ca.crt';

/**
 * What is not known of a stored ConfigMap, besides data that was not kept: most annotations are not stored, and what the API server
 * itself writes is not known of one that is still to be created.
 */
const NOT_KNOWN = [
  'annotations',
  'creationTimestamp',
  'finalizers',
  'generation',
  'managedFields',
  'ownerReferences',
  'resourceVersion',
  'uid',
].map((name) => ['metadata', name]);

/**
 * The ConfigMaps that policies may be given: those of a request take the place of stored ones with the same name. Objects of other kinds
 * are not known.
 *
 * @param given ConfigMaps that count as created, with their namespaces
 */
export function paramsIn(state: ClusterState, given: readonly ConfigMap[] = []): ParamStore {
  const isLoaded = state.loadedKinds.has(KIND);
  return {
    unknownFields: NOT_KNOWN,
    list(apiVersion, kind, namespace) {
      if (apiVersion !== API_VERSION || kind !== KIND) return undefined;
      const added = given.filter(({ metadata }) => metadata.namespace === namespace);
      const names = new Set(added.map(({ metadata }) => metadata.name));
      const stored = (state.objects(KIND) as readonly ConfigMap[]).filter(
        ({ metadata }) => metadata.namespace === namespace && !names.has(metadata.name),
      );
      const known = [...added, ...stored];
      if (!known.some(({ metadata }) => metadata.name === ROOT_CERTIFICATES)) known.push(rootCertificates(namespace));
      const params = known.map((one) => ({
        object: paramOf(one),
        isWithheld: !names.has(one.metadata.name) && one.data === undefined,
      }));
      const withheld = params.filter(({ isWithheld }) => isWithheld).map(({ object }) => object);
      return { objects: params.map(({ object }) => object), withheld: new Set(withheld), isComplete: isLoaded };
    },
  };
}

const rootCertificates = (namespace: string): ConfigMap => ({
  apiVersion: API_VERSION,
  kind: KIND,
  metadata: { name: ROOT_CERTIFICATES, namespace },
});

/** As the API server gives it to expressions: maps that are empty are left out. */
const paramOf = ({ data = {}, binaryData = {}, ...rest }: ConfigMap): JsonObject => ({
  ...(rest as unknown as JsonObject),
  ...(Object.keys(data).length > 0 && { data: { ...data } }),
  ...(Object.keys(binaryData).length > 0 && { binaryData: { ...binaryData } }),
});
