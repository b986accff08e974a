import { AcrossClusters } from '../app/across-clusters.js';
import { FindManifestFindings } from '../app/findings/find-manifest-findings.js';
import { ListFindingsOfClusters } from '../app/findings/list-findings-of-clusters.js';
import { ListFindings } from '../app/findings/list-findings.js';
import { ReadDigest } from '../app/reads/read-digest.js';
import { ReadState } from '../app/reads/read-state.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { made } from './made.js';

export const FINDINGS = [
  made(ListFindings, ReadDigest, DerivedStateCache),
  made(ListFindingsOfClusters, AcrossClusters, ListFindings),
  made(FindManifestFindings, ReadState),
];
