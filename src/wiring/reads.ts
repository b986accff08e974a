import { HeadCache } from '../app/reads/head-cache.js';
import { ReadDigest } from '../app/reads/read-digest.js';
import { ReadState } from '../app/reads/read-state.js';
import { ResolveRevision } from '../app/reads/resolve-revision.js';
import { StoredHeads } from '../app/reads/stored-heads.js';
import { ClusterStates } from '../app/states/cluster-states.js';
import { DerivedStateCache } from '../app/states/derived-state-cache.js';
import { KeptDigests } from '../app/states/kept-digests.js';
import { ScenarioStates } from '../app/states/scenario-states.js';
import { StoredStates } from '../app/states/stored-states.js';
import { ClusterStore } from '../storage/cluster-store.js';
import { DigestStore } from '../storage/digest-store.js';
import { FollowStore } from '../storage/follow-store.js';
import { HeadListener } from '../storage/head-listener.js';
import { RevisionStore } from '../storage/revision-store.js';
import { TaintChangeStore } from '../storage/taint-trail/taint-change-store.js';
import { made } from './made.js';

/** What use cases read from: heads and states, kept in memory and followed. */
export const READS = [
  made(StoredHeads, ClusterStore, RevisionStore, FollowStore),
  made(HeadCache, StoredHeads, HeadListener),
  made(ResolveRevision, HeadCache, RevisionStore),
  made(ScenarioStates, DerivedStateCache),
  made(StoredStates, ClusterStates, TaintChangeStore),
  made(ReadState, ResolveRevision, StoredStates, ScenarioStates),
  made(DerivedStateCache),
  made(KeptDigests, DigestStore, ClusterStates),
  made(ReadDigest, ReadState, KeptDigests),
];
