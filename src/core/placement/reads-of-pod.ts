import type { ReadsOfPod } from './in-tree-plugin.js';

/** What the requests of a pod come from. */
export const readsOfRequests: ReadsOfPod = ({ spec, status }) => [
  spec.containers,
  spec.initContainers,
  spec.overhead,
  spec.resources,
  status,
];

/** The volumes of a pod, and what tells which claims are its own. */
export const readsOfVolumes: ReadsOfPod = ({ metadata, spec }) => [metadata, spec.volumes];

export const readsOfTolerations: ReadsOfPod = ({ spec }) => [spec.tolerations];
