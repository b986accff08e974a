import { internText } from '../../cluster/intern-table.js';
import type { SignPod } from '../in-tree-plugin.js';

/** What plugins for volumes read of a pod: its volumes, and what tells which claims are its own. */
export const signVolumes: SignPod = ({ metadata: { namespace, name, uid }, spec: { volumes = [] } }) =>
  volumes.length === 0 ? '' : internText([namespace, name, uid, volumes]);
