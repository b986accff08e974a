import { DownloadCase } from '../app/agreement/download-case.js';
import { ListDisagreements } from '../app/agreement/list-disagreements.js';
import { ReadAgreement } from '../app/agreement/read-agreement.js';
import { RevisionJudge } from '../app/agreement/revision-judge.js';
import { GetCluster } from '../app/clusters/get-cluster.js';
import { EvictionMemory } from '../app/evictions/eviction-memory.js';
import { ClusterStates } from '../app/states/cluster-states.js';
import { AgreementStore } from '../storage/agreement-store.js';
import { ObjectReader } from '../storage/object-reader.js';
import { made } from './made.js';

export const AGREEMENT = [
  made(RevisionJudge, ClusterStates, ObjectReader, EvictionMemory),
  made(ReadAgreement, AgreementStore, GetCluster),
  made(ListDisagreements, AgreementStore, GetCluster),
  made(DownloadCase, AgreementStore, GetCluster),
];
